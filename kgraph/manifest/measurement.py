"""BenchmarkProtocol, ExecutionEnvironment, BenchmarkRun: how, where and what was measured."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from kgraph.manifest.base import Artifact, Manifest, Part, SharedVersion
from kgraph.manifest.fields import (
    CommitText,
    Count,
    Duration,
    Instant,
    Latency,
    Line,
    Long,
    Many,
    NotNegative,
    Number,
    Positive,
    PositiveNumber,
    Share,
    Short,
    SlugText,
    SpecDigestText,
    Word,
    refuse,
)


class Harness(Part):
    """The program that measured."""

    name: Short
    """As it calls itself."""
    version: Short | None = None
    """Its release."""
    repository: Long | None = None
    """Address of its source."""
    commit: CommitText | None = None
    """State of its source."""


class MeasurementPolicy(Part):
    """How time is taken."""

    timer: Word
    """Clock, e.g. `cuda_events`."""
    timed_pass: Literal["forward", "backward", "full"] | None = None
    """Part of training that is timed; unset where the source does not say."""
    cache_flush: bool | None = None
    """Whether caches are emptied before each timed call; unset where the source does not say."""
    synchronization: Word | None = None
    """When the host waits for the device."""
    compile_included: bool | None = None
    """Whether compilation is inside the timed part."""
    setup_included: bool | None = None
    """Whether preparation is inside the timed part."""
    warmup_iterations: Count | None = None
    """Calls before timing starts."""
    warmup_duration: Duration | None = None
    """Time before timing starts, in nanoseconds."""
    measured_iterations: Positive | None = None
    """Timed calls."""
    samples: Positive | None = None
    """Samples taken."""
    input_regeneration: Word | None = None
    """Whether inputs are made anew between calls."""
    outlier_policy: Line | None = None
    """What is done with outliers."""
    primary_statistic: Word
    """The statistic that results are compared by."""


class ProtocolCorrectness(Part):
    """How the harness checks answers."""

    reference: Line
    """What answers are compared with."""
    comparator: Word
    """How they are compared."""


class DevicePolicy(Part):
    """How the device is set up."""

    clocks_locked: bool | None = None
    """Whether clocks are fixed."""
    power_limit_watts: PositiveNumber | None = None
    """Power limit in watts."""
    persistence_mode: bool | None = None
    """Whether the driver stays loaded."""


class Comparability(Part):
    """What results under this protocol may be compared with."""

    family: Word
    """Group of protocols of one source."""
    notes: Long | None = None
    """What a reader must know before comparing."""


class Protocol(Part):
    """Meaning of a BenchmarkProtocol."""

    harness: Harness
    """The program that measures."""
    measurement: MeasurementPolicy
    """How time is taken."""
    correctness: ProtocolCorrectness | None = None
    """How answers are checked."""
    device_policy: DevicePolicy | None = None
    """How the device is set up."""
    comparability: Comparability | None = None
    """What may be compared."""


class BenchmarkProtocol(Manifest):
    """How a harness measures."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["BenchmarkProtocol"]
    """Always BenchmarkProtocol."""
    spec: Protocol
    """Meaning."""


class Hardware(Part):
    """The device measured on."""

    vendor: Word
    """E.g. `nvidia`."""
    product: Short
    """As the vendor or the source names it, e.g. `NVIDIA A100`."""
    architecture: Word
    """E.g. `sm_80`; `unknown` where the source does not say."""
    form_factor: Short | None = None
    """Board or memory variant, e.g. `SXM4-80GB`."""
    memory_bytes: Positive | None = None
    """Device memory in bytes."""
    count: Positive | None = None
    """Devices used; unset means one or unknown."""
    interconnect: Short | None = None
    """What joins several devices."""


class Framework(Part):
    """The framework that called the kernel."""

    name: Word
    """E.g. `pytorch`."""
    version: Short
    """Its release."""


class Software(Part):
    """Software of the host. Empty where the source records none."""

    operating_system: Short | None = None
    """Name and release."""
    kernel: Short | None = None
    """Release of the operating system's kernel."""
    driver: Short | None = None
    """Release of the device driver."""
    cuda_toolkit: Short | None = None
    """Release of CUDA."""
    compiler: Short | None = None
    """Name and release."""
    framework: Framework | None = None
    """What called the kernel."""
    libraries: dict[Word, Short] | None = None
    """Releases of libraries by name."""


class Settings(Part):
    """How the host and device were set up."""

    clocks_locked: bool | None = None
    """Whether clocks were fixed."""
    power_limit_watts: PositiveNumber | None = None
    """Power limit in watts."""
    persistence_mode: bool | None = None
    """Whether the driver stayed loaded."""
    ecc_enabled: bool | None = None
    """Whether memory was error-corrected."""
    environment_variables: dict[Short, Annotated[str, Field(max_length=500)]] | None = None
    """Variables that change what runs."""


class Environment(Part):
    """Meaning of an ExecutionEnvironment."""

    hardware: Hardware
    """The device."""
    software: Software
    """The software."""
    settings: Settings | None = None
    """How both were set up."""
    image_digest: SpecDigestText | None = None
    """SHA-256 of the container image."""


class ExecutionEnvironment(Manifest):
    """Where a run was made."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["ExecutionEnvironment"]
    """Always ExecutionEnvironment."""
    spec: Environment
    """Meaning."""


class RunCorrectness(Part):
    """What the check of one run found."""

    comparator: Word
    """How the answer was compared."""
    maximum_absolute_error: NotNegative | None = None
    """Largest absolute error seen."""
    maximum_relative_error: NotNegative | None = None
    """Largest relative error seen."""
    matched_ratio: Share | None = None
    """Share of elements that matched."""


class LatencyNs(Part):
    """Latency of one run as its protocol measures it; integer nanoseconds throughout."""

    median: Latency | None = None
    """Median over the timed calls."""
    mean: Latency | None = None
    """Mean over the timed calls."""
    p05: Latency | None = None
    """5th percentile."""
    p95: Latency | None = None
    """95th percentile."""
    minimum: Latency | None = None
    """Fastest timed call."""
    maximum: Latency | None = None
    """Slowest timed call."""
    mad: Duration | None = None
    """Median absolute deviation."""
    confidence95: Annotated[Many[Latency], Field(min_length=2, max_length=2)] | None = None
    """Ends of the 95 % confidence interval of the primary statistic, lower first."""

    @model_validator(mode="after")
    def _check_ends(self) -> Self:
        if self.confidence95 is not None and self.confidence95[0] > self.confidence95[1]:
            raise refuse(f"confidence95 {list(self.confidence95)}", "its lower end first")
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise refuse(f"minimum {self.minimum} above maximum {self.maximum}", "a range")
        return self


def _kind_of_samples(value: object) -> str:
    return "inline" if isinstance(value, list | tuple) else "artifact"


class Timing(Part):
    """Statistics over the timed calls of a run."""

    primary_statistic: Word
    """The statistic that the run is compared by; one that `latencyNs` holds."""
    samples: Positive | None = None
    """How many timed calls the statistics are over."""
    latency_ns: LatencyNs
    """Latency in integer nanoseconds."""
    raw_samples: (
        Annotated[
            Annotated[Artifact, Tag("artifact")] | Annotated[Many[Latency], Tag("inline")],
            Discriminator(_kind_of_samples),
        ]
        | None
    ) = None
    """Every timed call in order: durations in nanoseconds, or a file that holds them."""

    @model_validator(mode="after")
    def _check_primary(self) -> Self:
        # Fields of one word have themselves as alias, so the statistic's name is the attribute's.
        if getattr(self.latency_ns, self.primary_statistic, None) is None:
            raise refuse(
                f"primaryStatistic {self.primary_statistic!r}, which latencyNs lacks",
                "a statistic that latencyNs holds",
            )
        if self.primary_statistic in {"mad", "confidence95"}:
            raise refuse(f"primaryStatistic {self.primary_statistic!r}", "a statistic of location")
        return self


class Measurement(Part):
    """One figure of a run."""

    metric: Word
    """What is measured, e.g. `latency`."""
    unit: Word
    """Unit of the value, e.g. `ns`."""
    statistic: Word
    """How it is taken, e.g. `p80`."""
    value: Number
    """The figure."""
    sample_count: Positive | None = None
    """How many samples it is over."""


class SourceNative(Part):
    """The run in its source's own words and units."""

    source: SlugText
    """Slug of the source."""
    benchmark: Short | None = None
    """The source's name of the benchmark."""
    external_id: Line | None = None
    """The source's name of the run."""
    metrics: dict[Word, Number | Line] | None = None
    """Figures as the source gives them, all digits kept."""


class HarnessRevision(Part):
    """State of the harness that made the evidence."""

    repository: Long
    """Address of its source."""
    commit: CommitText
    """State of its source."""


class Evidence(Part):
    """What supports a run."""

    logs: Artifact | None = None
    """Output of the harness."""
    raw_samples: Artifact | None = None
    """Every timed call."""
    harness: HarnessRevision | None = None
    """Exactly which harness."""


RunStatusText = Literal[
    "passed",
    "incorrect_shape",
    "incorrect_dtype",
    "incorrect_numerical",
    "compile_error",
    "runtime_error",
    "timeout",
    "resource_exceeded",
    "invalid_reference",
    "policy_violation",
    "suspected_reward_hack",
    "incomplete_evidence",
    "revoked",
]
"""How a run ended; the values of `vocab.RunStatus`."""


class Run(Part):
    """Meaning of a BenchmarkRun."""

    implementation_digest: SpecDigestText
    """Spec digest of what was run."""
    workload_digest: SpecDigestText
    """Spec digest of the case or suite."""
    protocol_digest: SpecDigestText
    """Spec digest of how it was measured."""
    environment_digest: SpecDigestText
    """Spec digest of where it was measured."""
    status: RunStatusText
    """How it ended."""
    correctness: RunCorrectness | None = None
    """What the check found."""
    timing: Timing | None = None
    """Statistics over timed calls; unset where nothing was timed."""
    measurements: Many[Measurement] | None = None
    """Further figures, in the source's order."""
    source_native: SourceNative | None = None
    """The run in its source's own words."""
    evidence: Evidence | None = None
    """What supports it."""
    observed_at: Instant
    """When it was made, UTC."""


class BenchmarkRun(Manifest):
    """One measurement of one implementation on one workload."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["BenchmarkRun"]
    """Always BenchmarkRun."""
    spec: Run
    """Meaning."""
