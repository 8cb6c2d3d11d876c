"""Did a later revision get slower: one implementation's lineage over its cohorts."""

from __future__ import annotations

import difflib
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.digest import BadDigestError, parse_ref
from kgraph.errors import KgraphError
from kgraph.index import query_eligible_runs
from kgraph.policy import (
    REGRESSION_VERSION,
    ChangeVerdict,
    RegressionSeries,
    derive_series,
    find_lineage,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgraph.catalog.reader import FactReader
    from kgraph.digest import SpecDigest
    from kgraph.facts import ImplementationFact, OperationFact, RunFact
    from kgraph.index import Index
    from kgraph.vocab import CohortKey

_MAX_NAMED = 6


class UnknownLineageError(KgraphError):
    """A request for the history of an implementation that names none, or several."""

    code = "UNKNOWN_IMPLEMENTATION"
    exit_code = 2

    def __init__(self, argument: str, found: str, expected: str) -> None:
        self.argument, self.found, self.expected = argument, found, expected
        super().__init__(f"{argument}: found {found[:90]!r}, expected {expected}")


@dataclass(frozen=True, slots=True)
class SettingChange:
    """What became of all compared workloads of one environment, protocol and metric together."""

    environment: SpecDigest
    protocol: SpecDigest
    metric: str
    cohorts: tuple[CohortKey, ...]
    """Those compared: the cases of a sweep, where they differ along an axis."""
    geometric_mean_ratio: float
    """Later over earlier, above 1 is worse."""
    worst_ratio: float


@dataclass(frozen=True, slots=True)
class RegressionView:
    """A lineage over time, in every cohort that measured it."""

    policy: str
    operation: OperationFact
    revisions: tuple[ImplementationFact, ...]
    """Of the lineage, by first eligible observation; those without one last."""
    candidate: tuple[ImplementationFact, ...]
    """The revision that is asked about: the newest measured, unless a version was named."""
    threshold: float
    """Share by which a value may differ and count as unchanged."""
    series: tuple[RegressionSeries, ...]
    """Slowest first, then what was compared, then the rest; by cohort within each."""
    settings: tuple[SettingChange, ...]
    """Worst mean first."""
    compared_count: int
    slower_count: int
    faster_count: int


def find_regression(
    index: Index,
    catalog: FactReader,
    *,
    operation: str,
    implementation: str,
    threshold: float,
    cohorts: Sequence[CohortKey],
    version: str | None,
    baseline: str | None,
) -> RegressionView:
    """The lineage that two names mean, over time; as `Catalog.find_regression`."""
    found = catalog.find_operation(operation)
    if found is None:
        near = ", ".join(catalog.suggest_slugs(operation)) or "a slug, an alias or a digest"
        raise UnknownLineageError("operation", operation, near)
    lineage = _choose_lineage(
        catalog.load_implementations_of_operations([found.digest]).get(found.digest, ()),
        implementation,
    )
    wanted = frozenset(cohorts)
    runs: defaultdict[CohortKey, list[RunFact]] = defaultdict(list)
    seen: dict[SpecDigest, tuple[object, ...]] = {}
    for judged in query_eligible_runs(index, "implementation", [one.digest for one in lineage]):
        run = judged.run
        at = (run.observed_at, run.digest)
        seen[run.implementation] = min(seen.get(run.implementation, at), at)
        if not wanted or run.cohort in wanted:
            runs[run.cohort].append(run)
    revisions = sorted(
        lineage, key=lambda one: (one.digest not in seen, seen.get(one.digest, ()), one.digest)
    )
    measured = [one for one in revisions if one.digest in seen]
    candidate = frozenset(one.digest for one in measured[-1:])
    if version is not None:
        candidate = _find_version("version", lineage, version)
    against = None if baseline is None else _find_version("baseline", lineage, baseline)
    series = [
        derive_series(members, threshold, candidate=candidate, baseline=against)
        for members in runs.values()
    ]
    series.sort(key=_urgency)
    changes = [one.change for one in series if one.change is not None]
    return RegressionView(
        policy=REGRESSION_VERSION,
        operation=found,
        revisions=tuple(revisions),
        candidate=tuple(one for one in revisions if one.digest in candidate),
        threshold=threshold,
        series=tuple(series),
        settings=tuple(_summarise(series, runs)),
        compared_count=len(changes),
        slower_count=sum(one.verdict is ChangeVerdict.SLOWER for one in changes),
        faster_count=sum(one.verdict is ChangeVerdict.FASTER for one in changes),
    )


def _urgency(series: RegressionSeries) -> tuple[bool, float, str]:
    return series.change is None, -series.change.ratio if series.change else 0.0, series.cohort


def _find_version(
    argument: str, lineage: Iterable[ImplementationFact], version: str
) -> frozenset[SpecDigest]:
    found = frozenset(one.digest for one in lineage if one.version == version)
    if not found:
        known = ", ".join(sorted({one.version for one in lineage if one.version})) or "none named"
        raise UnknownLineageError(argument, version, f"a version of the lineage: {known}")
    return found


def _choose_lineage(
    implementations: Sequence[ImplementationFact], text: str
) -> tuple[ImplementationFact, ...]:
    """The one lineage that a title, `project/title`, digest or prefix of a digest means."""
    named = [one for one in implementations if _is_named(one, text)]
    lineages = {find_lineage(one, implementations) for one in named}
    if len(lineages) == 1:
        return lineages.pop()
    names = sorted({_name(one) for one in (named or implementations)})
    if named:
        expected = f"one implementation: {', '.join(names[:_MAX_NAMED])}, or a digest"
    else:
        near = difflib.get_close_matches(text, names, n=_MAX_NAMED, cutoff=0.3)
        expected = f"one of {', '.join(near or names[:_MAX_NAMED]) or 'none: it has none'}"
    raise UnknownLineageError("implementation", text, expected)


def _is_named(implementation: ImplementationFact, text: str) -> bool:
    folded = text.strip().casefold()
    if folded in {implementation.title.casefold(), _name(implementation).casefold()}:
        return True
    try:
        prefix = parse_ref(text)
    except BadDigestError:
        return False
    digest = implementation.digest.partition(":")[2]
    return prefix.algorithm != "blake3" and digest.startswith(prefix.hex)


def _name(implementation: ImplementationFact) -> str:
    project = implementation.project
    return implementation.title if project is None else f"{project.slug}/{implementation.title}"


def _summarise(
    series: Iterable[RegressionSeries], runs: dict[CohortKey, list[RunFact]]
) -> list[SettingChange]:
    settings: defaultdict[tuple[SpecDigest, SpecDigest, str], list[tuple[CohortKey, float]]]
    settings = defaultdict(list)
    for one in series:
        if one.change is not None:
            run = runs[one.cohort][0]
            metric = ":".join(part or "" for part in (run.metric, run.statistic, run.unit))
            settings[run.environment, run.protocol, metric].append((one.cohort, one.change.ratio))
    changes = [
        SettingChange(
            environment,
            protocol,
            metric,
            tuple(sorted(cohort for cohort, _ in found)),
            math.exp(math.fsum(math.log(ratio) for _, ratio in found) / len(found)),
            max(ratio for _, ratio in found),
        )
        for (environment, protocol, metric), found in settings.items()
    ]
    return sorted(changes, key=lambda one: (-one.geometric_mean_ratio, one.cohorts))
