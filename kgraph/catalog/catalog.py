"""`Catalog`: every question that a reader may ask of one snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.catalog.query import QueryAnswer, answer_query
from kgraph.catalog.query_intent import KnownValues
from kgraph.catalog.reader import FactReader
from kgraph.index import query_search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.facts import Page, PageRequest, SearchHit
    from kgraph.vocab import SearchKind


class Catalog(FactReader):
    """The catalogue as of one snapshot: its facts, and questions over many of them.

    Safe to ask from any thread; each question costs at most a fixed number of SQL statements.
    """

    def search(self, text: str, kinds: Sequence[SearchKind], page: PageRequest) -> Page[SearchHit]:
        """A page of what a text leads to: exact names, then prefixes, words and typos.

        Args:
            kinds: What is looked for; everything where empty.

        Raises:
            PageSizeError, CursorError: the page cannot be met.
        """
        return query_search(self._index, text, kinds, page)

    def answer_query(self, text: str, page: PageRequest) -> QueryAnswer:
        """What one line in the query language is understood as, and the answer to that.

        Raises:
            PageSizeError, CursorError: the page of records cannot be met.
            AmbiguousRefError: the words are a digest prefix that fits several operations.
        """
        known = self._memory.load("known_values", [0], lambda _: {0: self._find_known_values()})
        return answer_query(self._index, self, text, page, known[0])

    def _find_known_values(self) -> KnownValues:
        return KnownValues(
            *(
                frozenset(facet.value for facet in self.count_facets(name, None, field))
                for name, field in (("workloads", "dtype"), ("implementations", "language"))
            )
        )
