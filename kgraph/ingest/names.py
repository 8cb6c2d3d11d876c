"""Slugs that operations share, which then find none of them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kgraph.digest import SpecDigest
    from kgraph.ingest.holding import Holding

_SHOWN_DIGITS = 23


def find_namesakes(holdings: Iterable[Holding]) -> dict[str, tuple[SpecDigest, ...]]:
    """Operations that share a slug, by slug: the one listed last, else the manifest's own name.

    Args:
        holdings: in the order of their publication; a later one overrules an earlier.
    """
    names: dict[SpecDigest, str] = {}
    listed: dict[SpecDigest, str] = {}
    for held in holdings:
        if held.kind is Kind.OPERATION_SPEC:
            names[held.digest] = held.name
        listed.update(held.slugs)
    owners: defaultdict[str, list[SpecDigest]] = defaultdict(list)
    for digest, name in names.items():
        owners[listed.get(digest, name)].append(digest)
    return {
        slug: tuple(sorted(digests)) for slug, digests in sorted(owners.items()) if len(digests) > 1
    }


def iter_shared(namesakes: dict[str, tuple[SpecDigest, ...]]) -> Iterator[tuple[str, str]]:
    """For each shared slug, where that is and what is wrong, for people."""
    for slug, digests in namesakes.items():
        shown = ", ".join(digest[:_SHOWN_DIGITS] for digest in digests)
        yield (
            f"operation {slug}",
            f"found {len(digests)} operations of that slug ({shown}), expected one; "
            "a Listing with another slug tells them apart, and until then only digests do",
        )
