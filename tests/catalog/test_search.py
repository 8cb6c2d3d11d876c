from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgraph.facts import PageRequest, SearchHit
from kgraph.index import CursorError
from kgraph.vocab import SearchKind, SearchMatch

if TYPE_CHECKING:
    from kgraph.catalog import Catalog

EVERYTHING: tuple[SearchKind, ...] = ()


def find(catalog: Catalog, text: str, *kinds: SearchKind, first: int = 20) -> tuple[SearchHit, ...]:
    return catalog.search(text, kinds, PageRequest(first=first)).items


def slugs_of(catalog: Catalog) -> list[str]:
    page = catalog.page_operations(None, (), PageRequest(first=200))
    assert not page.has_next
    return [operation.slug for operation in page.items]


def test_every_slug_finds_its_operation_first(starter: Catalog) -> None:
    for slug in slugs_of(starter):
        hit = find(starter, slug, SearchKind.OPERATION)[0]

        assert (hit.name, hit.match, hit.distance) == (slug, SearchMatch.EXACT, 0)


def test_every_family_and_device_finds_itself_first(starter: Catalog) -> None:
    families = starter.page_families(None, (), PageRequest(first=200)).items
    products = starter.page_hardware(None, (), PageRequest(first=200)).items

    assert families
    assert products
    for family in families:
        assert find(starter, family.slug)[0].key == family.slug
    for hardware in products:
        assert find(starter, hardware.product)[0].key == hardware.product


@given(data=st.data())
def test_every_slug_is_found_by_one_typo(starter: Catalog, data: st.DataObject) -> None:
    slug = data.draw(st.sampled_from(slugs_of(starter)))
    position = data.draw(st.integers(0, len(slug) - 1))
    letter = data.draw(st.sampled_from("abcxyz019"))
    typed = data.draw(
        st.sampled_from(
            [
                slug[:position] + letter + slug[position + 1 :],
                slug[:position] + slug[position + 1 :],
                slug[:position] + letter + slug[position:],
                slug[:position] + slug[position : position + 2][::-1] + slug[position + 2 :],
            ]
        )
    )

    hits = find(starter, typed, SearchKind.OPERATION)

    found = next((hit for hit in hits if hit.name == slug), None)
    assert found is not None, typed
    assert found.distance <= 1


def test_search_comes_in_order_of_exactness(starter: Catalog) -> None:
    hits = find(starter, "rope", first=200)

    order = [list(SearchMatch).index(hit.match) for hit in hits]
    assert order == sorted(order)
    assert hits[0] == find(starter, "rope", SearchKind.FAMILY)[0]
    assert {"liger-rope", "liger-llama4-rope"} <= {hit.name for hit in hits}


def test_letter_case_accents_and_separators_say_nothing(starter: Catalog) -> None:
    assert find(starter, "LIGER  Röpe") == find(starter, "liger-rope")


def test_words_in_any_order_find_what_they_are_said_of(starter: Catalog) -> None:
    hits = find(starter, "cosine distillation", SearchKind.OPERATION)

    assert [(hit.name, hit.match) for hit in hits] == [
        ("liger-distill-cosine-loss", SearchMatch.WORD)
    ]


def test_a_word_that_is_only_begun_is_counted(starter: Catalog) -> None:
    whole = find(starter, "attention neighborhood", SearchKind.OPERATION)[0]
    begun = find(starter, "attention neighb", SearchKind.OPERATION)[0]

    assert whole.key == begun.key
    assert (whole.match, whole.distance) == (SearchMatch.WORD, 0)
    assert (begun.match, begun.distance) == (SearchMatch.WORD, 1)


@pytest.mark.parametrize("kind", list(SearchKind), ids=lambda kind: kind.value)
def test_each_kind_is_found_alone(starter: Catalog, kind: SearchKind) -> None:
    text = {
        SearchKind.FAMILY: "rope",
        SearchKind.OPERATION: "liger-rope",
        SearchKind.HARDWARE: "A100",
        SearchKind.PROJECT: "Liger-Kernel",
        SearchKind.IMPLEMENTATION: "liger",
    }[kind]

    hits = find(starter, text, kind)

    assert hits[0].match is SearchMatch.EXACT
    assert {hit.kind for hit in hits} == {kind}


def test_pages_together_are_the_whole_list_in_order(starter: Catalog) -> None:
    whole = starter.search("liger", EVERYTHING, PageRequest(first=200))
    seen: list[SearchHit] = []
    after = None
    while True:
        page = starter.search("liger", EVERYTHING, PageRequest(first=7, after=after))
        assert page.total_count == whole.total_count
        assert page.has_previous == (after is not None)
        seen += page.items
        if not page.has_next:
            break
        after = page.cursors[-1]

    assert tuple(seen) == whole.items
    last = starter.search("liger", EVERYTHING, PageRequest(last=3))
    assert last.items == whole.items[-3:]
    before = starter.search("liger", EVERYTHING, PageRequest(last=2, before=whole.cursors[5]))
    assert before.items == whole.items[3:5]
    assert before.has_previous
    assert before.has_next


def test_a_page_behind_the_end_is_empty_and_still_counts(starter: Catalog) -> None:
    whole = starter.search("rope", EVERYTHING, PageRequest(first=200))

    behind = starter.search("rope", EVERYTHING, PageRequest(first=5, after=whole.cursors[-1]))

    assert behind.items == ()
    assert behind.total_count == whole.total_count
    assert not behind.has_next


def test_a_cursor_belongs_to_its_text(starter: Catalog) -> None:
    cursor = starter.search("rope", EVERYTHING, PageRequest(first=1)).cursors[0]

    with pytest.raises(CursorError):
        starter.search("rop", EVERYTHING, PageRequest(first=1, after=cursor))


@pytest.mark.parametrize(
    "text", ["", "   ", "--", "'; DROP TABLE run; --", "%", "\x00", "x" * 9999]
)
def test_text_that_names_nothing_finds_nothing(starter: Catalog, text: str) -> None:
    page = starter.search(text, EVERYTHING, PageRequest(first=5))

    assert page.items == ()
    assert page.total_count == 0


def test_a_search_is_one_statement(starter: Catalog) -> None:
    for text in ("g", "liger rope", "nothing like it"):
        before = starter.statement_count
        find(starter, text)
        assert starter.statement_count - before == 1
