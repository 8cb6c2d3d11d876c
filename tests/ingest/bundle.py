"""A run and everything it cites, as an importer would hand them over."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from build import (
    changed,
    make_environment,
    make_implementation,
    make_operation,
    make_protocol,
    make_run,
    make_workload,
)

from kgraph.importers import ImportBatch
from kgraph.manifest import Identified, identify_value
from kgraph.vocab import Kind, Slug

if TYPE_CHECKING:
    from build import Plain


AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
"""When the tests publish."""


def named(value: Plain) -> Identified:
    """The manifest with its names."""
    return identify_value(value, where="test")


OPERATION = named(make_operation())
WORKLOAD = named(make_workload(operationSpecDigest=OPERATION.digest))
IMPLEMENTATION = named(
    changed(make_implementation(), {"spec.operation.specDigest": OPERATION.digest})
)
PROTOCOL = named(make_protocol())
ENVIRONMENT = named(make_environment())
GROUND = (OPERATION, WORKLOAD, IMPLEMENTATION, PROTOCOL, ENVIRONMENT)
"""What runs stand on."""


def run_of(median: int = 8120, **changes: object) -> Identified:
    """A run on `GROUND`, told apart by its median."""
    cited = {
        "implementationDigest": IMPLEMENTATION.digest,
        "workloadDigest": WORKLOAD.digest,
        "protocolDigest": PROTOCOL.digest,
        "environmentDigest": ENVIRONMENT.digest,
    }
    return named(make_run(median=median, **{**cited, **changes}))


def runs_of(count: int, *, start: int = 1000) -> tuple[Identified, ...]:
    """`count` different runs on `GROUND`."""
    return tuple(run_of(start + number) for number in range(count))


def batch_of(*manifests: Identified) -> ImportBatch:
    """A batch without refusals that holds these manifests."""
    return ImportBatch(
        source=Slug("example"),
        manifests=manifests,
        rows_read=len(manifests),
        run_count=sum(1 for manifest in manifests if manifest.kind is Kind.BENCHMARK_RUN),
        skipped=(),
        refused=(),
        notes=(),
    )
