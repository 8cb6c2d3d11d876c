"""From a person's words to the comparisons they mean, or to the words that would mean one."""

from __future__ import annotations

import difflib
import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kgraph.errors import KgraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kgraph.cli.asking import Asker, Data

_AXIS = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)=(\d{1,16})")
_REF = re.compile(r"((sha256|blake3):)?[0-9a-f]{8,64}")
_KEY = re.compile(r"(sha256:)?[0-9a-f]{8,64}")
# Names that an error shows.
_MAX_NAMED = 6


class UnknownNameError(KgraphError):
    """A name that nothing has, with the nearest that something has."""

    code = "UNKNOWN_NAME"

    def __init__(self, kind: str, found: str, nearest: Sequence[str]) -> None:
        self.kind, self.found, self.nearest = kind, found, tuple(nearest)
        shown = ", ".join(self.nearest[:_MAX_NAMED])
        more = len(self.nearest) - _MAX_NAMED
        hint = f"; did you mean {shown}{f' or {more} others' if more > 0 else ''}?" if shown else ""
        super().__init__(f"{kind}: found no {found[:90]!r} here{hint}")


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a person says of the comparisons that are meant; None for any."""

    workload: str | None
    hardware: str | None
    protocol: str | None


@dataclass(frozen=True, slots=True)
class Subject:
    """An operation, or a family of them."""

    slug: str
    title: str
    is_family: bool

    @property
    def where(self) -> Data:
        """The filter of comparisons that are about it."""
        return {"family" if self.is_family else "operation": {"eq": self.slug}}


def narrowing_options(function: Callable[..., int]) -> Callable[..., int]:
    """Options that narrow comparisons, handed to the command as one `narrowing`."""

    @click.option(
        "--workload",
        metavar="TEXT",
        help="Sizes as `tokens=1024 hidden=4096`, words of its label, or a digest.",
    )
    @click.option("--hardware", metavar="TEXT", help="Product, or a part of its name, as H100.")
    @click.option("--protocol", metavar="TEXT", help="Words of how it is measured, as `forward`.")
    @functools.wraps(function)
    def with_options(
        *arguments: Any,  # noqa: ANN401 - whatever the command itself takes
        workload: str | None,
        hardware: str | None,
        protocol: str | None,
        **named: Any,  # noqa: ANN401 - likewise
    ) -> int:
        narrowing = Narrowing(workload or None, hardware or None, protocol or None)
        return function(*arguments, narrowing=narrowing, **named)

    return with_options


def find_subject(asker: Asker, name: str, *, may_be_family: bool = False) -> Subject:
    """The operation that a name means: slug, alias or digest; or a family where it may be one.

    Raises:
        UnknownNameError: it means none; names operations that are called like it.
    """
    found = asker.ask("names", name=name)
    operation, family = found["operation"], found["family"]
    if operation is not None:
        return Subject(operation["slug"], operation["title"], is_family=False)
    if family is not None:
        if may_be_family:
            return Subject(family["slug"], family["name"], is_family=True)
        slugs = [each["slug"] for each in family["operations"]["nodes"]]
        if len(slugs) == 1:
            return find_subject(asker, slugs[0])
        raise UnknownNameError("operation", name, slugs)
    hits = found["search"]["nodes"]
    # An operation's key is its digest, which nobody means to type.
    near = [hit["key"] if hit["kind"] == "FAMILY" else hit["name"] for hit in hits]
    raise UnknownNameError("operation", name, near)


def find_cohorts(asker: Asker, where: Data, narrowing: Narrowing) -> list[Data]:
    """Comparisons of a subject, narrowed, in the order in which people read them.

    Raises:
        UnknownNameError: no comparison of the subject is of that hardware, workload or protocol.
    """
    asked = dict(where)
    if narrowing.hardware is not None:
        asked["hardware"] = {"contains": narrowing.hardware}
    axes, words = _read_workload(asker, narrowing.workload, asked)
    if axes:
        asked["axes"] = [{"name": name, "eq": value} for name, value in axes.items()]
    found: list[Data] = []
    after, has_more = None, True
    while has_more:
        page = asker.ask("cohorts", where=asked, after=after)["cohorts"]
        found += page["nodes"]
        after, has_more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    chosen = [
        cohort
        for cohort in found
        if _holds(cohort["workload"]["label"], words)
        and _holds(cohort["protocol"]["title"], (narrowing.protocol or "").split())
    ]
    if not chosen:
        _refuse(asker, where, narrowing, found)
    return sorted(chosen, key=_order)


def find_cohort(asker: Asker, key: str, where: Data | None) -> str:
    """The key of one comparison, from itself or its beginning.

    Args:
        where: the subject whose comparisons a beginning is looked for in.

    Raises:
        UnknownNameError: there is none, or several begin so.
    """
    text = key if key.startswith("sha256:") else f"sha256:{key}"
    full = len("sha256:") + 64
    if not _KEY.fullmatch(key) or (where is None and len(text) < full):
        raise UnknownNameError("--cohort", key, ())
    if len(text) == full:
        return text
    assert where is not None  # noqa: S101 - see above
    keys = [str(each["key"]) for each in find_cohorts(asker, where, Narrowing(None, None, None))]
    matching = [each for each in keys if each.startswith(text)]
    if len(matching) != 1:
        raise UnknownNameError("--cohort", key, matching)
    return matching[0]


def choose_liveliest(cohorts: Sequence[Data]) -> Data:
    """The comparison whose record changed most often; of those, that with most runs."""
    return max(cohorts, key=lambda each: (each["recordEventCount"], each["eligibleRunCount"]))


def find_near(name: str, known: Iterable[str]) -> list[str]:
    """Of names, those that are most like one; all of a few where none is."""
    by_text = {each.lower(): each for each in known}
    near = [each for text, each in by_text.items() if name.lower() in text]
    near += [
        by_text[text] for text in difflib.get_close_matches(name.lower(), by_text, n=3, cutoff=0.5)
    ]
    return list(dict.fromkeys(near)) or sorted(by_text.values())


def _read_workload(
    asker: Asker, text: str | None, asked: Data
) -> tuple[dict[str, int], tuple[str, ...]]:
    """The sizes and the words of a description; a digest goes into `asked`."""
    if text is None:
        return {}, ()
    if _REF.fullmatch(text):
        found = asker.ask("workload", ref=text)["workload"]
        if found is None:
            raise UnknownNameError("--workload", text, ())
        asked["workload"] = {"eq": found["digest"]}
        return {}, ()
    # As labels write it, `tokens = 1024 · bf16`, and as people do.
    parts = re.sub(r"\s*=\s*", "=", text.replace("·", " ").replace(",", " ")).split()
    axes = {match[1]: int(match[2]) for part in parts if (match := _AXIS.fullmatch(part))}
    return axes, tuple(part for part in parts if not _AXIS.fullmatch(part))


def _holds(text: str, words: Iterable[str]) -> bool:
    shown = text.lower()
    return all(word.lower() in shown for word in words)


def _refuse(asker: Asker, where: Data, narrowing: Narrowing, found: Sequence[Data]) -> None:
    """Say which of the words nothing has.

    Raises:
        UnknownNameError: always.
    """
    choices = asker.ask("choices", where=where)["cohorts"]
    labels = list(dict.fromkeys(each["workload"]["label"] for each in choices["nodes"]))
    protocols = list(dict.fromkeys(each["protocol"]["title"] for each in choices["nodes"]))
    products = [facet["value"] for facet in choices["facets"]]
    hardware, workload, protocol = narrowing.hardware, narrowing.workload, narrowing.protocol
    if hardware is not None and not any(hardware.lower() in each.lower() for each in products):
        raise UnknownNameError("--hardware", hardware, find_near(hardware, products))
    if protocol is not None and not any(_holds(each, protocol.split()) for each in protocols):
        raise UnknownNameError("--protocol", protocol, find_near(protocol, protocols))
    if workload is not None:
        raise UnknownNameError("--workload", workload, find_near(workload, labels))
    said = " ".join(filter(None, (hardware, workload, protocol))) or "comparison"
    raise UnknownNameError("comparison", said, [each["key"][:15] for each in found])


def _order(cohort: Data) -> tuple[Any, ...]:
    return (
        cohort["operation"]["slug"],
        cohort["protocol"]["title"],
        cohort["hardware"]["product"],
        tuple((axis["name"], axis["value"]) for axis in cohort["workload"]["axes"]),
        cohort["key"],
    )
