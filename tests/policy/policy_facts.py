"""Facts for policy tests: the smallest that stand, one override at a time."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from kgraph.digest import ObjectId, SpecDigest
from kgraph.facts import (
    AxisFact,
    CorrectionFact,
    EnvironmentFact,
    HardwareFact,
    ImplementationFact,
    OperationFact,
    ProtocolFact,
    RunFact,
    RunVerdict,
    TensorFact,
    WorkloadFact,
)
from kgraph.policy import ranking_v1
from kgraph.vocab import CohortKey, CorrectionAction, RunStatus, Slug, TimedPass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

START = datetime(2025, 1, 1, tzinfo=UTC)


def digest_of(name: str) -> SpecDigest:
    return SpecDigest("sha256:" + hashlib.sha256(name.encode()).hexdigest())


def object_of(name: str) -> ObjectId:
    return ObjectId("blake3:" + hashlib.sha256(name.encode()).hexdigest())


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def make_run(name: str = "run", value: float | None = 100.0, **changes: object) -> RunFact:
    fields: dict[str, Any] = {
        "digest": digest_of(name),
        "object_id": object_of(name),
        "title": name,
        "status": RunStatus.PASSED,
        "observed_at": START,
        "published_at": START,
        "source": Slug("source"),
        "implementation": digest_of("implementation"),
        "workload": digest_of("workload"),
        "protocol": digest_of("protocol"),
        "environment": digest_of("environment"),
        "operation": digest_of("operation"),
        "family": Slug("rmsnorm"),
        "cohort": CohortKey("sha256:" + "0" * 64),
        "metric": "latency",
        "statistic": "median",
        "unit": "ns",
        "value": value,
        "interval_low": None,
        "interval_high": None,
        "sample_count": None,
        "has_raw_samples": False,
        "has_logs": False,
        "has_source_digest": False,
        "has_public_source": False,
        "is_baseline": False,
        "is_controlled": False,
        "independent_runners": 0,
        "corrections": (),
    }
    return RunFact(**{**fields, **changes})


def make_correction(
    run: str, at: datetime, action: CorrectionAction = CorrectionAction.RETRACT
) -> CorrectionFact:
    return CorrectionFact(
        object_id=object_of(f"{run} {action} {at}"),
        run=digest_of(run),
        action=action,
        replacement=None,
        reason="wrong",
        by="somebody",
        at=at,
    )


def judge_all(runs: Iterable[RunFact]) -> Mapping[SpecDigest, RunVerdict]:
    return {run.digest: ranking_v1.judge_run(run) for run in runs}


def make_operation(
    family: str = "rmsnorm",
    slug: str = "op",
    inputs: tuple[TensorFact, ...] = (TensorFact("x", "bf16", ("rows", "hidden")),),
    outputs: tuple[TensorFact, ...] = (TensorFact("y", "bf16", ("rows", "hidden")),),
    axes: tuple[AxisFact, ...] = (
        AxisFact("rows", "variable", None, None),
        AxisFact("hidden", "variable", None, None),
    ),
) -> OperationFact:
    return OperationFact(
        digest=digest_of(slug),
        slug=Slug(slug),
        title=slug,
        description=None,
        family=Slug(family),
        axes=axes,
        inputs=inputs,
        outputs=outputs,
        mutation="none",
        determinism="unspecified",
        expression=None,
        aliases=(),
        tags=(),
        run_count=0,
        eligible_run_count=0,
        last_observed_at=None,
    )


def make_workload(
    tensors: tuple[TensorFact, ...] = (),
    *,
    cases: tuple[dict[str, int], ...] = (),
    statistic: str | None = None,
    given: Mapping[str, int] | None = None,
    **lengths: int,
) -> WorkloadFact:
    axes = {**(given or {}), **lengths}
    return WorkloadFact(
        digest=digest_of(f"workload {sorted(axes.items())} {tensors}"),
        operation_digest=digest_of("op"),
        is_suite=statistic is not None,
        name="workload",
        title=None,
        label="workload",
        axes=tuple(axes.items()),
        dtypes=tuple(sorted({tensor.dtype for tensor in tensors})),
        tensors=tensors,
        scalars=(),
        comparator="not_asserted",
        case_axes=tuple(tuple(case.items()) for case in cases),
        aggregation_metric=None,
        aggregation_statistic=statistic,
    )


def make_protocol(
    timed_pass: TimedPass | None = None, *, flushes_cache: bool | None = None
) -> ProtocolFact:
    return ProtocolFact(
        digest=digest_of("protocol"),
        title="protocol",
        harness_name="harness",
        harness_repository=None,
        harness_version=None,
        timer=None,
        primary_statistic="median",
        timed_pass=timed_pass,
        flushes_cache=flushes_cache,
        comparability_family=None,
        notes=None,
    )


def make_hardware(
    product: str = "NVIDIA A100",
    form_factor: str | None = "SXM4-80GB",
    architecture: str = "sm_80",
    count: int | None = None,
) -> HardwareFact:
    vendor = product.partition(" ")[0].casefold()
    return HardwareFact(vendor, product, form_factor, architecture, None, count, None)


def make_environment(
    hardware: HardwareFact, software: tuple[tuple[str, str], ...] = ()
) -> EnvironmentFact:
    return EnvironmentFact(digest_of(str(hardware)), "environment", hardware, software)


def make_implementation(**changes: object) -> ImplementationFact:
    fields: dict[str, Any] = {
        "digest": digest_of("implementation"),
        "operation_digest": digest_of("op"),
        "name": "implementation",
        "title": "Implementation",
        "description": None,
        "language": "triton",
        "version": None,
        "commit": None,
        "repository": None,
        "project": None,
        "license_declared": None,
        "license_concluded": None,
        "install_kind": None,
        "install_command": None,
        "source_content_digest": None,
        "source_url": None,
        "is_baseline": False,
        "architectures": (),
        "dtypes": (),
        "authors": (),
    }
    return ImplementationFact(**{**fields, **changes})
