"""Comparing named runs: finds them with all they depend on, and lets policy judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.digest import BadDigestError, SpecDigest, parse_spec_digest
from kgraph.errors import UsageError
from kgraph.policy import MAX_COMPARED, MIN_COMPARED, ComparedRun, Comparison, compare_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.catalog.reader import FactReader


class ComparisonError(UsageError):
    """Runs that cannot be set side by side: too few, too many, one twice, or one unknown."""

    code = "BAD_COMPARISON"

    def __init__(self, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(f"compare: found {found}, expected {expected}")


def compare_named_runs(catalog: FactReader, refs: Sequence[str]) -> Comparison:
    """The runs of some digests or prefixes, side by side; errors as `Catalog.compare_runs`."""
    expected = f"{MIN_COMPARED} to {MAX_COMPARED} different runs"
    if not MIN_COMPARED <= len(refs) <= MAX_COMPARED:
        raise ComparisonError(f"{len(refs)} runs", expected)
    digests = [_find_digest(catalog, ref) for ref in refs]
    runs = catalog.load_runs(digests)
    for ref, digest in zip(refs, digests, strict=True):
        if digest not in runs:
            raise ComparisonError(f"{ref[:90]!r}", "the digest of a stored run")
    if len(set(digests)) < len(digests):
        raise ComparisonError("one run twice", expected)
    judged = [runs[digest] for digest in digests]
    facts = [one.run for one in judged]
    operations = catalog.load_operations(run.operation for run in facts)
    workloads = catalog.load_workloads(run.workload for run in facts)
    protocols = catalog.load_protocols(run.protocol for run in facts)
    environments = catalog.load_environments(run.environment for run in facts)
    implementations = catalog.load_implementations(run.implementation for run in facts)
    return compare_runs(
        [
            ComparedRun(
                one,
                operations[one.run.operation],
                workloads[one.run.workload],
                protocols[one.run.protocol],
                environments[one.run.environment],
                implementations[one.run.implementation],
            )
            for one in judged
        ]
    )


def _find_digest(catalog: FactReader, ref: str) -> SpecDigest:
    try:
        return parse_spec_digest(ref)
    except BadDigestError:
        found = catalog.find_run(ref)
    if found is None:
        raise ComparisonError(f"{ref[:90]!r}", "the digest of a stored run")
    return found.run.digest
