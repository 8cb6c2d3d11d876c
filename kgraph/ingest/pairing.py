"""Runs that measure an implementation of one operation on a workload of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgraph.errors import KgraphError
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kgraph.digest import SpecDigest
    from kgraph.ingest.holding import Holding

_SHOWN_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class OperationMismatch:
    """A run whose implementation and workload are of different operations."""

    run: str
    """`metadata.name` of the run."""
    of_implementation: SpecDigest
    of_workload: SpecDigest

    def __str__(self) -> str:
        """One line: where, what was found, what was expected."""
        return (
            f"{self.run}: spec.implementationDigest cites an implementation of operation "
            f"{self.of_implementation}, expected one of {self.of_workload}, which "
            "spec.workloadDigest is of"
        )


class OperationMismatchError(KgraphError):
    """Runs are of two operations each; nothing of the publication was stored."""

    code = "OPERATION_MISMATCH"

    def __init__(self, found: Sequence[OperationMismatch]) -> None:
        self.found = tuple(found)
        lines = [str(one) for one in self.found[:_SHOWN_AT_ONCE]]
        if len(self.found) > _SHOWN_AT_ONCE:
            lines.append(f"and {len(self.found) - _SHOWN_AT_ONCE} more")
        super().__init__("\n".join(lines))


def check_operations(runs: Iterable[Holding], known: Mapping[SpecDigest, Holding]) -> None:
    """Refuse runs of two operations.

    Args:
        runs: manifests of any kind.
        known: all that they cite.

    Raises:
        OperationMismatchError: a run measures an implementation of another operation than the one
            that its workload is of.
    """
    found = [
        OperationMismatch(run.name, of_implementation, of_workload)
        for run in runs
        if run.kind is Kind.BENCHMARK_RUN
        and (of_implementation := _find_operation(run, "implementationDigest", known))
        != (of_workload := _find_operation(run, "workloadDigest", known))
        and of_implementation is not None
        and of_workload is not None
    ]
    if found:
        raise OperationMismatchError(found)


# Where an implementation and a workload cite their operation.
_OPERATION_FIELDS = ("spec.operation.specDigest", "spec.operationSpecDigest")


def _find_operation(
    run: Holding, field: str, known: Mapping[SpecDigest, Holding]
) -> SpecDigest | None:
    cited = run.find_cited(f"spec.{field}")
    holding = None if cited is None else known.get(cited)
    if holding is None:
        return None
    return next((found for name in _OPERATION_FIELDS if (found := holding.find_cited(name))), None)
