"""The curated table that binds rows of the Liger-Kernel CSV to exact workloads.

The table is `importers/data/liger-kernels.json`; its own `rules` say how it is read. Its counts and
provenance beside the fields below are for people and are passed over here.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from importlib.resources import files
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainValidator
from pydantic.alias_generators import to_camel

from kgraph.importers.expression import Expression, parse_expression

Cell: TypeAlias = bool | int | float | str | None
"""A config value that a binding can ask for."""

_Parsed = Annotated[Expression, PlainValidator(parse_expression)]


class _Entry(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, arbitrary_types_allowed=True, frozen=True, strict=True
    )


class Operand(_Entry):
    """A declared tensor of an operation."""

    name: str
    shape: list[str | int]
    """Axis names or integers."""
    dtype: str
    """`float` stands for the dtype of the row."""


class ScriptRevision(_Entry):
    """A revision of a benchmark script."""

    commit: str


class BindingSource(_Entry):
    """Which script wrote the rows of a binding."""

    script: str
    revisions: list[ScriptRevision]
    """Oldest first."""


class Binding(_Entry):
    """One way in which rows of a kernel state their shape."""

    x_name: str
    requires: dict[str, Cell]
    """Config key to the value it must have; None: any value but null."""
    ignores: dict[str, str] = Field(default_factory=dict)
    """Config keys that do not matter, with the reason."""
    axes: dict[str, _Parsed]
    """Over `x` and `config.KEY`."""
    dtype: str
    """`config.dtype`, or the dtype that the script fixes."""
    scalars: dict[str, float | str]
    """A number that the script fixes, or `config.KEY`."""
    source: BindingSource


class KernelProvider(_Entry):
    """What the benchmark of one kernel runs under a provider's name."""

    provider: str
    runs: str


class Kernel(_Entry):
    """One benchmarked operation."""

    csv_name: str
    slug: str
    family: str
    title: str
    description: str
    expression: str | None = None
    """What is computed, where tensors and family alone do not tell it from another kernel."""
    importable: bool
    inputs: list[Operand]
    outputs: list[Operand]
    derived: dict[str, _Parsed]
    """Over the names of the given axes."""
    bind: list[Binding]
    providers: list[KernelProvider]
    mode_overrides: dict[str, str] = Field(default_factory=dict)
    """Mode of the CSV to what its rows time instead."""
    timing: str | None = None
    """How the script times, where that is not `triton.testing.do_bench`."""
    compiled_py_torch: bool = Field(default=False, alias="compiledPyTorch")
    """Whether Liger's side is PyTorch code under torch.compile, not a hand-written kernel."""
    stale_versions: list[str] = Field(default_factory=list)
    """Liger versions in the file that cannot be what ran."""

    @cached_property
    def runs(self) -> Mapping[str, str]:
        """Provider name to what the benchmark runs under it."""
        return {entry.provider: entry.runs for entry in self.providers}


class Project(_Entry):
    """A software project whose code is measured."""

    name: str
    repository: str


class Provider(_Entry):
    """Whose code is measured, as the CSV's `kernel_provider` names it."""

    project: Project
    title: str
    language: str
    declared_license: str
    concluded_license: str | None
    pip_package: str | None
    role: str | None
    """`baseline`, or None."""
    note: str | None = None


class Gpu(_Entry):
    """Hardware, as the CSV's `gpu_name` names it."""

    vendor: str
    product: str
    form_factor: str | None
    architecture: str


class TableRules(_Entry):
    """The rules that are data."""

    dtypes: dict[str, str]
    """Dtype as the CSV writes it to the token of the manifests."""


class TableSource(_Entry):
    """The file that the table is about."""

    repository: str
    path: str
    license: str


class LigerTable(_Entry):
    """All curated facts about the Liger-Kernel benchmark CSV."""

    source: TableSource
    rules: TableRules
    integer_scalars: list[str]
    """Scalars of dtype int64; all others are fp32."""
    kernels: list[Kernel]
    providers: dict[str, Provider]
    gpus: dict[str, Gpu]

    @cached_property
    def kernel_by_name(self) -> Mapping[str, Kernel]:
        """Kernels that can be imported, by the CSV's `kernel_name`."""
        return {kernel.csv_name: kernel for kernel in self.kernels if kernel.importable}

    @cached_property
    def own_providers(self) -> frozenset[str]:
        """Providers whose code is Liger-Kernel's own, so that the row's version is theirs."""
        return frozenset(
            name
            for name, provider in self.providers.items()
            if provider.project.repository == self.source.repository
        )


@cache
def load_table() -> LigerTable:
    """The table that ships with the package, read and checked once."""
    path = files("kgraph.importers").joinpath("data", "liger-kernels.json")
    return LigerTable.model_validate_json(path.read_bytes())
