"""What one request may ask for."""

from __future__ import annotations

from kgraph.api.connection import MAX_PAGE
from kgraph.api.describe import object_type, plain
from kgraph.api.inputs.compile import MAX_CHOICES, MAX_TESTS
from kgraph.api.limits import Limits as LimitsFact


@object_type
class Limits:
    """Limits of one request; what goes beyond one is refused before it is executed.

    A refusal's code is `LIMIT_` and the limit's name; it says what was asked and what the limit is.
    """

    request_cost: int = plain(
        "Cost of this request: objects that its answer may hold, pages counted as full."
    )
    cost: int = plain("Highest cost.")
    depth: int = plain("Deepest nesting of fields, fragments opened.")
    aliases: int = plain("Most fields with an alias.")
    repeats: int = plain("Most fields that a selection names again.")
    overlaps: int = plain(
        "Most fields, fragments and variables, and pairs of fields of one name, once fragments are "
        "opened wherever they are named."
    )
    tokens: int = plain("Most words, signs and comments in a document.")
    document_bytes: int = plain("Longest document.")
    variables_bytes: int = plain("Longest variables, as JSON.")
    seconds: float = plain("Longest time that an answer may take; then `LIMIT_TIME` is answered.")
    page_size: int = plain("Most items a page, and most ids of `nodes`.")
    choices: int = plain("Most values of one `in`.")
    tests: int = plain("Most tests of one `where`, nested ones counted.")

    @classmethod
    def from_fact(cls, fact: LimitsFact, request_cost: int) -> Limits:
        """The limits as the API shows them."""
        return cls(
            request_cost=request_cost,
            cost=fact.cost,
            depth=fact.depth,
            aliases=fact.aliases,
            repeats=fact.repeats,
            overlaps=fact.overlaps,
            tokens=fact.tokens,
            document_bytes=fact.document_bytes,
            variables_bytes=fact.variables_bytes,
            seconds=fact.seconds,
            page_size=MAX_PAGE,
            choices=MAX_CHOICES,
            tests=MAX_TESTS,
        )
