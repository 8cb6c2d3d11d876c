"""Finding things by text: exact, by prefix, by word, and with a letter or two off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.facts import Page, PageRequest, SearchHit
from kgraph.index.cursor import decode_cursor, encode_cursor, fingerprint
from kgraph.index.list_spec import UnknownFieldError
from kgraph.index.read import Index, check_page
from kgraph.vocab import SearchKind, SearchMatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.facts import Order

MAX_TEXT = 200
"""Longest text that is searched for; what stands behind it is not read."""

FOLD_SQL = r"trim(regexp_replace(lower(strip_accents(?)), '[^\p{L}\p{N}]+', ' ', 'g'))"
"""Text as search compares it; `fold_text` in search.sql is the same expression."""

# Letters that may be off: none in a text of two, where most words would do; two from eight on.
_SHORTEST_NAME_WITH_TYPO = 3
_SHORTEST_WORD_WITH_TYPO = 4
_MAY_DIFFER = (
    "length({asked}) >= {shortest} AND abs(length({known}) - length({asked})) <="
    " if(length({asked}) >= 8, 2, 1)"
    " AND damerau_levenshtein({known}, {asked}) <= if(length({asked}) >= 8, 2, 1)"
)
_NAME_DIFFERS = _MAY_DIFFER.format(
    asked="asked.text", known="term", shortest=_SHORTEST_NAME_WITH_TYPO
)
_WORD_DIFFERS = _MAY_DIFFER.format(
    asked="a.word", known="v.word", shortest=_SHORTEST_WORD_WITH_TYPO
)

# A letter off outweighs any number of words that are only begun.
_TYPO_COST = 1000

_KIND_TEST = "/* of these kinds */"
_FIRST_BY = "/* first by these */"
_ORDERS = {"kind": "e.kind_order", "name": "e.name", "run_count": "e.run_count"}
_RANKED = f"""
WITH asked AS (SELECT {FOLD_SQL} AS text),
asked_word AS (SELECT DISTINCT unnest(string_split(text, ' ')) AS word FROM asked WHERE text <> ''),
near_word AS (
    SELECT a.word AS asked, v.word,
        CASE WHEN v.word = a.word THEN 0 WHEN starts_with(v.word, a.word) THEN 1
            ELSE {_TYPO_COST} * damerau_levenshtein(v.word, a.word) END AS cost
    FROM asked_word a JOIN search_vocabulary v
    ON starts_with(v.word, a.word) OR ({_WORD_DIFFERS})
),
by_word AS (
    SELECT kind, key, sum(cost) AS cost FROM (
        SELECT kind, key, asked, min(cost) AS cost FROM near_word JOIN search_word USING (word)
        GROUP BY kind, key, asked
    ) GROUP BY kind, key HAVING count(*) = (SELECT count(*) FROM asked_word)
),
found AS (
    SELECT kind, key, CASE WHEN term = text THEN 0 WHEN starts_with(term, text) THEN 1 ELSE 3 END
        AS level, if(starts_with(term, text), 0, damerau_levenshtein(term, text)) AS distance,
        false AS is_part
    FROM search_term, asked WHERE text <> '' AND (starts_with(term, text) OR ({_NAME_DIFFERS}))
    UNION ALL
    SELECT kind, key, if(cost < {_TYPO_COST}, 2, 3),
        if(cost < {_TYPO_COST}, cost, cost // {_TYPO_COST}), true FROM by_word
),
best AS (
    SELECT kind, key, min(level) AS level, arg_min(distance, (level, distance, is_part))
        AS distance, arg_min(is_part, (level, distance, is_part)) AS is_part
    FROM found GROUP BY kind, key
),
ranked AS (
    SELECT e.kind, e.key, e.name, b.level, b.distance::INTEGER AS distance, e.run_count,
        row_number() OVER (ORDER BY /* first by these */ b.level, b.distance, b.is_part,
            e.kind_order, e.run_count DESC, e.name, e.key) AS number,
        count(*) OVER () AS total
    FROM best b JOIN search_entry e ON e.kind = b.kind AND e.key = b.key{_KIND_TEST}
)
"""
_MATCHES = (SearchMatch.EXACT, SearchMatch.PREFIX, SearchMatch.WORD, SearchMatch.TYPO)


def query_search(
    index: Index,
    text: str,
    kinds: Sequence[SearchKind],
    request: PageRequest,
    order: Sequence[Order] = (),
) -> Page[SearchHit]:
    """One page of what a text leads to, most exact first; one statement.

    Equally exact hits are ordered by distance, whole names before words, kind, number of runs,
    name and key. A text without a letter or digit leads to nothing.

    Args:
        kinds: What is looked for; everything where empty.
        order: By `kind`, `name` or `run_count`, before all that is said above.

    Raises:
        PageSizeError, CursorError, UnknownFieldError: the page cannot be met.

    Source: tables `search_entry`, `search_term`, `search_word`, `search_vocabulary`.
    """
    size, is_reversed = check_page(request)
    text = text[:MAX_TEXT]
    question = fingerprint(index.snapshot, "search", text, tuple(kinds), tuple(order))
    low, high = 0, 1 << 60
    if request.after is not None:
        low = int(decode_cursor(request.after, [question], ("number",))[0])
    if request.before is not None:
        high = int(decode_cursor(request.before, [question], ("number",))[0])
    where = f" WHERE e.kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
    direction = "DESC" if is_reversed else "ASC"
    # The first hit comes along on every page: it carries how many there are.
    found = index.fetch(
        f"{_RANKED.replace(_KIND_TEST, where).replace(_FIRST_BY, _compile_order(order))}"
        "SELECT kind, key, name, level, distance, run_count, number, total FROM ranked"
        " WHERE number = 1 OR (number > ? AND number < ?)"
        f" ORDER BY NOT (number > ? AND number < ?), number {direction} LIMIT {size + 2}",
        [text, *(kind.value for kind in kinds), low, high, low, high],
    )
    shown = [row for row in found if low < row[6] < high]
    has_more = len(shown) > size
    shown = shown[:size]
    if is_reversed:
        shown.reverse()
    return Page(
        tuple(
            SearchHit(SearchKind(kind), key, name, _MATCHES[level], distance, run_count)
            for kind, key, name, level, distance, run_count, _, _ in shown
        ),
        tuple(encode_cursor(question, [row[6]]) for row in shown),
        found[0][7] if found else 0,
        has_next=request.before is not None if is_reversed else has_more,
        has_previous=has_more if is_reversed else request.after is not None,
    )


def _compile_order(order: Sequence[Order]) -> str:
    """The orders as the beginning of an ORDER BY list."""
    parts = []
    for one in order:
        found = _ORDERS.get(one.field)
        if found is None:
            raise UnknownFieldError("search", one.field, tuple(_ORDERS))
        parts.append(f"{found} {'DESC' if one.is_descending else 'ASC'}, ")
    return "".join(parts)
