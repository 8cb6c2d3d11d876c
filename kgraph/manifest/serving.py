"""Manifests of end-to-end serving: model, stack, configuration, workload and run."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kgraph.manifest.base import Manifest, Part, SharedVersion
from kgraph.manifest.fields import (
    AsSet,
    CommitText,
    Instant,
    Line,
    Long,
    Many,
    Number,
    Positive,
    PositiveNumber,
    Short,
    SlugText,
    SpecDigestText,
    Word,
)
from kgraph.manifest.measurement import Measurement


class ModelRepository(Part):
    """Where a model is kept."""

    host: Literal["huggingface", "github", "other"]
    """Service that keeps it."""
    id: Short
    """Name there."""
    revision: Short | None = None
    """State of it."""


class Tokenizer(Part):
    """What cuts text into tokens."""

    name: Short | None = None
    """Its name."""
    revision: Short | None = None
    """State of it."""
    digest: SpecDigestText | None = None
    """SHA-256 of its files."""


class Model(Part):
    """Meaning of a ModelRevision."""

    model: Short
    """Name for people."""
    repository: ModelRepository | None = None
    """Where it is kept."""
    tokenizer: Tokenizer | None = None
    """What cuts its text."""
    architecture: Short | None = None
    """Name of its architecture."""
    parameter_count: Positive | None = None
    """Number of parameters."""
    context_length: Positive | None = None
    """Longest context, in tokens."""
    modality: Word | None = None
    """What it takes in, e.g. `text`."""
    license: Short | None = None
    """As its source writes it."""


class ModelRevision(Manifest):
    """The model that is served."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["ModelRevision"]
    """Always ModelRevision."""
    spec: Model
    """Meaning."""


class StackProject(Part):
    """The project behind a serving stack."""

    name: Short
    """As it calls itself."""
    repository: Long | None = None
    """Address of its source."""


class StackState(Part):
    """Which state of a serving stack."""

    version: Line | None = None
    """As the source writes it; some leave it empty."""
    commit: CommitText | None = None
    """Commit of its source."""
    container_digest: SpecDigestText | None = None
    """SHA-256 of its container image."""


class ServingStack(Part):
    """Meaning of a ServingStackRevision."""

    project: StackProject
    """The project behind it."""
    revision: StackState
    """Which state of it."""
    backends: AsSet[Word] | None = None
    """Kernels or runtimes it uses."""
    api_protocol: Word | None = None
    """How requests reach it."""
    license: Short | None = None
    """As its source writes it."""


class ServingStackRevision(Manifest):
    """The software that serves."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["ServingStackRevision"]
    """Always ServingStackRevision."""
    spec: ServingStack
    """Meaning."""


class Parallelism(Part):
    """Over how many devices each dimension is split."""

    tensor: Positive | None = None
    """Tensor parallel."""
    pipeline: Positive | None = None
    """Pipeline parallel."""
    data: Positive | None = None
    """Data parallel."""
    expert: Positive | None = None
    """Expert parallel."""
    context: Positive | None = None
    """Context parallel."""


class KvCache(Part):
    """Cache of attention keys and values."""

    dtype: Word | None = None
    """Element type."""
    capacity_tokens: Positive | None = None
    """Tokens it holds."""


class ServingLimits(Part):
    """Largest request sizes."""

    max_sequence_length: Positive | None = None
    """Tokens in a sequence."""
    max_batch_size: Positive | None = None
    """Sequences in a batch."""
    max_num_tokens: Positive | None = None
    """Tokens in a batch."""


class Speculation(Part):
    """Speculative decoding."""

    method: Word
    """How drafts are made."""
    draft_model: Short | None = None
    """The model that drafts."""


class Configuration(Part):
    """Meaning of a ServingConfiguration."""

    stack_digest: SpecDigestText
    """Spec digest of the stack."""
    dtype: Word | None = None
    """Element type of the weights."""
    quantization: Word | None = None
    """How weights are quantised."""
    parallelism: Parallelism | None = None
    """How devices share the work."""
    attention_backend: Word | None = None
    """Attention kernels used."""
    kv_cache: KvCache | None = None
    """Cache of attention keys and values."""
    limits: ServingLimits | None = None
    """Largest request sizes."""
    speculative: Speculation | None = None
    """Speculative decoding."""
    options: dict[Word, Line] | None = None
    """Further settings in the source's words."""


class ServingConfiguration(Manifest):
    """How a stack is set up."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["ServingConfiguration"]
    """Always ServingConfiguration."""
    spec: Configuration
    """Meaning."""


class Dataset(Part):
    """Where requests come from."""

    name: Short
    """As its source names it."""
    digest: SpecDigestText | None = None
    """SHA-256 of its file."""


class TokenCounts(Part):
    """How many tokens a side of a request has."""

    distribution: Word
    """Shape of the distribution, e.g. `fixed`."""
    mean: PositiveNumber | None = None
    """Mean count."""
    maximum: Positive | None = None
    """Largest count."""
    artifact_digest: SpecDigestText | None = None
    """SHA-256 of a file with all counts."""


class Tokens(Part):
    """Sizes of requests and answers."""

    prompt: TokenCounts | None = None
    """Of requests."""
    output: TokenCounts | None = None
    """Of answers."""


class Objective(Part):
    """A service level that must hold."""

    metric: Word
    """What is bounded, e.g. `ttft_ms`."""
    statistic: Word
    """How it is taken, e.g. `p99`."""
    operator: Literal["<=", "<"]
    """Which way it is bounded."""
    value: PositiveNumber
    """The bound."""
    unit: Word
    """Unit of the bound."""


class Sampling(Part):
    """How tokens are drawn."""

    temperature: Number | None = None
    """Sampling temperature."""
    seeded: bool | None = None
    """Whether the generator starts from a fixed seed."""


class Load(Part):
    """Meaning of a ServingWorkload."""

    dataset: Dataset | None = None
    """Where requests come from."""
    tokens: Tokens | None = None
    """Sizes of requests and answers."""
    streaming: bool
    """Whether answers are streamed."""
    load_generation: Literal["open_loop", "closed_loop", "offline"]
    """Whether requests arrive on their own, wait for answers, or all at once."""
    arrival: Word | None = None
    """How requests arrive, e.g. `poisson`."""
    request_rate_per_second: PositiveNumber | None = None
    """Requests a second."""
    slo: Many[Objective] | None = None
    """Service levels that must hold, in the source's order."""
    sampling: Sampling | None = None
    """How tokens are drawn."""
    duration_seconds: Positive | None = None
    """How long load is offered."""
    request_count: Positive | None = None
    """How many requests are made."""


class ServingWorkload(Manifest):
    """The load under which a stack is measured."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["ServingWorkload"]
    """Always ServingWorkload."""
    spec: Load
    """Meaning."""


class Topology(Part):
    """Devices a stack ran on."""

    accelerator_vendor: Word | None = None
    """Unset where the source does not say."""
    accelerator_model: Short
    """As the source names it."""
    accelerators_per_node: Positive
    """Devices in one node."""
    node_count: Positive
    """Nodes."""
    interconnect: Short | None = None
    """What joins them."""


class ServingHarness(Part):
    """The program that offered load."""

    name: Word
    """Its name."""
    version: Short
    """Its release."""


class ServingSourceNative(Part):
    """The run in its source's own words and units."""

    source: SlugText
    """Slug of the source."""
    benchmark: Short
    """The source's name of the benchmark."""
    scenario: Word
    """E.g. `server`."""
    division: Word
    """E.g. `closed`."""
    category: Word
    """E.g. `datacenter`."""
    external_id: Line
    """The source's name of the run."""
    metrics: dict[Word, Number | Line] | None = None
    """Figures as the source gives them."""


class ServingResult(Part):
    """Meaning of a ServingRun."""

    model_digest: SpecDigestText
    """Spec digest of the model."""
    configuration_digest: SpecDigestText
    """Spec digest of the configuration."""
    workload_digest: SpecDigestText
    """Spec digest of the load."""
    topology: Topology
    """Devices it ran on."""
    harness: ServingHarness
    """The program that offered load."""
    placement: Word | None = None
    """How parts were placed on devices."""
    quality_policy: Word
    """The accuracy that had to be met."""
    status: Literal["valid", "invalid", "incomplete_evidence"]
    """Whether the source holds it valid."""
    measurements: Many[Measurement] = Field(min_length=1, max_length=64)
    """Figures, in the source's order."""
    source_native: ServingSourceNative | None = None
    """The run in its source's own words."""
    caveats: Many[Line] | None = None
    """What a reader must know."""
    observed_at: Instant
    """When it was made, UTC."""


class ServingRun(Manifest):
    """One measurement of a stack under load."""

    api_version: SharedVersion
    """Vocabulary of the shared kinds."""
    kind: Literal["ServingRun"]
    """Always ServingRun."""
    spec: ServingResult
    """Meaning."""
