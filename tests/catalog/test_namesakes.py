"""Operations that share a name: none of them is taken for the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from build import make_listing

from kgraph.catalog import AmbiguousNameError, AmbiguousRefError, Catalog, ResolveRequest
from kgraph.policy import MatchRequest

if TYPE_CHECKING:
    from pathlib import Path

    from small import Small

    from kgraph.digest import SpecDigest


@pytest.fixture
def pair(small: Small) -> tuple[SpecDigest, SpecDigest]:
    """Two operations of one name, whose meanings differ."""
    one, other = small.operation("double"), small.operation("other")
    small.add(make_listing({"subject": other, "slug": "double"}), name="moved")
    fast = small.implementation(one)
    small.run(fast, small.workload(one, rows=64, columns=8), 1000)
    return one, other


def ask(catalog: Catalog, operation: str) -> None:
    catalog.resolve_many([ResolveRequest(operation=operation, match=MatchRequest())])


def test_a_slug_of_several_operations_finds_none(
    small: Small, pair: tuple[SpecDigest, SpecDigest], tmp_path: Path
) -> None:
    catalog = small.publish(tmp_path)

    for find in (catalog.find_operation, lambda name: ask(catalog, name)):
        with pytest.raises(AmbiguousNameError) as caught:
            find("double")
        assert caught.value.names == tuple(sorted(pair))
        assert caught.value.code == "AMBIGUOUS_SLUG"
        assert isinstance(caught.value, AmbiguousRefError)
        for digest in pair:
            assert digest[:23] in str(caught.value)
    for digest in pair:
        found = catalog.find_operation(digest)
        assert found is not None
        assert (found.digest, found.slug) == (digest, "double")
        ask(catalog, digest)


def test_a_later_listing_tells_them_apart(
    small: Small, pair: tuple[SpecDigest, SpecDigest], tmp_path: Path
) -> None:
    source = small.open(tmp_path)
    small.add(make_listing({"subject": pair[1], "slug": "double-again"}), name="apart")
    small.append()
    source.refresh()
    catalog = source.current()

    for slug, digest in zip(("double", "double-again"), pair, strict=True):
        found = catalog.find_operation(slug)
        assert found is not None
        assert found.digest == digest


def test_an_alias_counts_where_nothing_has_the_slug(small: Small, tmp_path: Path) -> None:
    one, two, three = (small.operation(name) for name in ("one", "two", "three"))
    small.add(
        make_listing(
            {"subject": two, "aliases": ["one", "both"]}, {"subject": three, "aliases": ["both"]}
        ),
        name="aliases",
    )
    catalog = small.publish(tmp_path)

    found = catalog.find_operation("one")
    assert found is not None
    assert found.digest == one
    with pytest.raises(AmbiguousNameError) as caught:
        catalog.find_operation("both")
    assert caught.value.names == tuple(sorted((two, three)))
