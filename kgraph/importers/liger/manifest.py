"""Manifest documents that the Liger-Kernel CSV implies, as plain values before validation.

All wording here is ours. What the specs of operations, workloads, environments and eager baselines
hold is agreed with other catalogues, down to the spec digests; protocols carry our own notes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kgraph.vocab import KERNELINDEX_API_VERSION, KGRAPH_API_VERSION, Kind, Slug, TimedPass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kgraph.canonical import JsonValue
    from kgraph.digest import SpecDigest
    from kgraph.importers.liger.case import Case
    from kgraph.importers.liger.row import SpeedRow
    from kgraph.importers.liger.table import Kernel, LigerTable, Project, Provider

SOURCE: Final = Slug("liger-kernel-bench")
"""Slug of the source of every run of this importer."""

# Each is the plain form of its project. Any other provider may share project, language and licence
# with one of these on the same operation; only its name then tells the two specs apart.
_PLAIN_PROVIDERS: Final = frozenset({"liger", "torch", "huggingface"})

# A release on the package index; development and local versions cannot be installed by number.
_RELEASE: Final = re.compile(r"[0-9]+(\.[0-9]+)*((a|b|rc)[0-9]+)?(\.post[0-9]+)?")

_PASS_NOTES: Final = {
    TimedPass.FORWARD: (
        "One call is one forward pass with autograd recording; fused losses already form their "
        "gradients in it."
    ),
    TimedPass.BACKWARD: (
        "One call is one backward pass over a graph kept from a forward pass made before timing."
    ),
    TimedPass.FULL: (
        "One call is a forward pass and the backward pass after it, timed as one; some scripts "
        "draw the random upstream gradient inside it."
    ),
}
_DO_BENCH_NOTE: Final = (
    "Timed by triton.testing.do_bench, which clears the L2 cache before each call; the median is "
    "reported with the 20th and 80th percentile."
)
_COMPARABILITY_NOTE: Final = (
    "The file states no driver, CUDA, PyTorch or Triton version, so results compare only within "
    "one workload, one timed pass and one GPU."
)
_COMPILED_NOTE: Final = (
    "This is PyTorch code that works in chunks under torch.compile, which lowers it to Triton; it "
    "is not a hand-written kernel."
)


def slugify(text: str) -> str:
    """Text as it stands in names: lower case, every other run of characters a hyphen."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "unnamed"


def source_document(table: LigerTable) -> Mapping[str, JsonValue]:
    """The Source manifest."""
    repository = table.source.repository
    return {
        "apiVersion": KGRAPH_API_VERSION,
        "kind": Kind.SOURCE.value,
        "metadata": {
            "name": SOURCE,
            "title": "Liger-Kernel benchmarks",
            "description": (
                "Timings of LLM training kernels that the Liger-Kernel project keeps in "
                f"{table.source.path} of its repository. Memory measurements in the same file are "
                "not taken over."
            ),
            "sourceRefs": [{"url": f"{repository}/blob/main/{table.source.path}"}],
        },
        "spec": {
            "name": "Liger-Kernel benchmarks",
            "kind": "benchmark",
            "url": repository,
            "license": table.source.license,
            "attribution": "LinkedIn and the Liger-Kernel contributors",
            "terms": (
                "May be copied and shown, changed or not, while the copyright notice and the text "
                "of the licence stay with it."
            ),
        },
    }


def project_document(project: Project) -> Mapping[str, JsonValue]:
    """The SoftwareProject manifest of a provider's project."""
    return _document(
        Kind.SOFTWARE_PROJECT,
        {"name": slugify(project.name), "title": project.name},
        {"name": project.name, "kind": "library", "repository": project.repository},
    )


def operation_document(kernel: Kernel, table: LigerTable) -> Mapping[str, JsonValue]:
    """The OperationSpec manifest of a kernel."""
    axes: dict[str, JsonValue] = {
        name: {"role": "variable", "type": "integer"}
        for binding in kernel.bind
        for name in binding.axes
    }
    axes |= {
        name: {"role": "derived", "type": "integer", "expression": expression.text}
        for name, expression in kernel.derived.items()
    }
    semantics: dict[str, JsonValue] = {"mutation": "none", "determinism": "unspecified"}
    if kernel.expression is not None:
        semantics["expression"] = kernel.expression
    scripts = sorted(
        {
            f"{table.source.repository}/blob/{binding.source.revisions[-1].commit}"
            f"/{binding.source.script}"
            for binding in kernel.bind
        }
    )
    return _document(
        Kind.OPERATION_SPEC,
        {
            "name": kernel.slug,
            "title": kernel.title,
            "description": kernel.description,
            "sourceRefs": [{"url": url} for url in scripts],
        },
        {
            "family": kernel.family,
            "axes": axes,
            "inputs": [_tensor(entry.name, entry.shape, entry.dtype) for entry in kernel.inputs],
            "outputs": [_tensor(entry.name, entry.shape, entry.dtype) for entry in kernel.outputs],
            "semantics": semantics,
        },
    )


def _tensor(name: str, shape: list[str | int], dtype: str) -> Mapping[str, JsonValue]:
    return {"name": name, "tensor": {"shape": shape, "dtype": dtype}}


def workload_document(kernel: Kernel, case: Case, operation: SpecDigest) -> Mapping[str, JsonValue]:
    """The WorkloadCase manifest of a case."""
    spec: dict[str, JsonValue] = {
        "operationSpecDigest": operation,
        "axes": case.axes,
        "tensors": {
            name: {"shape": tensor.shape, "dtype": tensor.dtype}
            for name, tensor in case.tensors.items()
        },
        "correctness": {"comparator": "not_asserted"},
    }
    if case.scalars:
        spec["scalars"] = {
            name: {"dtype": scalar.dtype, "value": scalar.value}
            for name, scalar in case.scalars.items()
        }
    return _document(Kind.WORKLOAD_CASE, {"name": f"{kernel.slug}-{case.label}"}, spec)


def implementation_document(
    kernel: Kernel,
    name: str,
    provider: Provider,
    operation: SpecDigest,
    *,
    version: str | None,
) -> Mapping[str, JsonValue]:
    """The ImplementationRevision manifest of what runs under a provider's name.

    `version` is the Liger-Kernel release for its own providers; None for all others, whose release
    the file does not state.
    """
    project_revision: dict[str, JsonValue] = {}
    described = [f"Run by the benchmark: {kernel.runs[name]}."] if name in kernel.runs else []
    metadata_name = f"liger-bench-{slugify(kernel.csv_name)}-{slugify(name)}"
    licensing: dict[str, JsonValue] = {"declared": provider.declared_license}
    if provider.concluded_license is not None:
        licensing["concluded"] = provider.concluded_license
    callable_: dict[str, JsonValue] = {"language": provider.language}
    if name not in _PLAIN_PROVIDERS:
        callable_["symbol"] = name
    spec: dict[str, JsonValue] = {
        "projectRevision": project_revision,
        "operation": {"specDigest": operation},
        "callable": callable_,
        "support": {"hardwareArchitectures": [], "dtypes": []},
        "licensing": licensing,
    }
    if version is not None:
        metadata_name += f"-{slugify(version)}"
        project_revision |= {"repository": provider.project.repository, "version": version}
        if kernel.compiled_py_torch:
            described.append(_COMPILED_NOTE)
        if version in kernel.stale_versions:
            described.append(
                f"The rows name Liger-Kernel {version}, which is older than this operation: the "
                "version was most likely read from stale package metadata, so no install recipe is "
                "given."
            )
        elif provider.pip_package is not None and _RELEASE.fullmatch(version):
            spec["buildVariants"] = [_pip_variant(provider.pip_package, version)]
    elif provider.note is not None:
        described.append(provider.note)
    metadata: dict[str, JsonValue] = {"name": metadata_name, "title": provider.title}
    if described:
        metadata["description"] = " ".join(described)
    if provider.role is not None:
        metadata["labels"] = {"role": provider.role}
    return _document(Kind.IMPLEMENTATION_REVISION, metadata, spec)


def _pip_variant(package: str, version: str) -> Mapping[str, JsonValue]:
    command = f'pip install "{package}=={version}"'
    return {
        "name": "pip",
        "install": {"kind": "pip", "package": package, "version": version, "command": command},
    }


def protocol_document(
    kernel: Kernel, mode: TimedPass, table: LigerTable
) -> Mapping[str, JsonValue]:
    """The BenchmarkProtocol manifest under which rows of a kernel and mode were timed."""
    override = kernel.mode_overrides.get(mode)
    measurement: dict[str, JsonValue] = {
        "timer": "cuda_events",
        "primaryStatistic": "median",
        # The one override there is runs the forward pass again inside a backward row.
        "timedPass": mode.value if override is None else TimedPass.FULL.value,
    }
    if kernel.timing is None:
        name, timing = "do-bench", _DO_BENCH_NOTE
        measurement["cacheFlush"] = True
    else:
        name, timing = slugify(kernel.csv_name), kernel.timing
    name, title = f"liger-bench-{name}-{mode}", f"Liger-Kernel benchmark scripts · {mode} pass"
    passed = _PASS_NOTES[mode]
    if override is not None:
        name, title = f"{name}-with-forward", f"{title} with forward rerun"
        passed = f"The file calls these rows {mode}; what they time is {override}."
    return _document(
        Kind.BENCHMARK_PROTOCOL,
        {"name": name, "title": title},
        {
            "harness": {
                "name": "Liger-Kernel benchmark scripts",
                "repository": table.source.repository,
            },
            "measurement": measurement,
            "comparability": {
                "family": "liger_kernel_bench",
                "notes": f"{timing} {passed} {_COMPARABILITY_NOTE}",
            },
        },
    )


def environment_document(name: str, table: LigerTable) -> Mapping[str, JsonValue]:
    """The ExecutionEnvironment manifest of a GPU as the file names it.

    A name that the table does not know is kept as it stands, with the architecture `unknown`.
    """
    gpu = table.gpus.get(name)
    if gpu is None:
        vendor = name.split(maxsplit=1)[0].lower()
        hardware: dict[str, JsonValue] = {
            "vendor": vendor if vendor in {"nvidia", "amd", "intel"} else "unknown",
            "product": name,
            "architecture": "unknown",
        }
        title = name
    else:
        hardware = {
            "vendor": gpu.vendor,
            "product": gpu.product,
            "architecture": gpu.architecture,
        }
        title = gpu.product
        if gpu.form_factor is not None:
            hardware["formFactor"] = gpu.form_factor
            title += f" {gpu.form_factor}"
    return _document(
        Kind.EXECUTION_ENVIRONMENT,
        {"name": f"liger-bench-{slugify(name)}", "title": f"{title} · software not stated"},
        {"hardware": hardware, "software": {}},
    )


def listing_document(
    kernel: Kernel, projects: Iterable[tuple[SpecDigest, SpecDigest]]
) -> Mapping[str, JsonValue]:
    """The Listing manifest of a kernel: spec digest of each implementation, and of its project."""
    return {
        "apiVersion": KGRAPH_API_VERSION,
        "kind": Kind.LISTING.value,
        "metadata": {
            "name": f"{SOURCE}-{slugify(kernel.csv_name)}",
            "title": f"Projects behind the implementations of {kernel.slug}",
        },
        "spec": {
            "source": SOURCE,
            "entries": [
                {"subject": subject, "project": project} for subject, project in sorted(projects)
            ],
        },
    }


def external_id(row: SpeedRow, case: Case) -> str:
    """How a measurement is named in the source: what was run on what, and when."""
    moment = re.sub("[ :]", "-", row.observed_at)
    return "/".join(
        (row.kernel, row.timed_pass, row.provider, slugify(row.gpu), case.label, moment)
    )


def run_document(
    row: SpeedRow,
    kernel: Kernel,
    case: Case,
    *,
    external: str,
    implementation: SpecDigest,
    workload: SpecDigest,
    protocol: SpecDigest,
    environment: SpecDigest,
) -> Mapping[str, JsonValue]:
    """The BenchmarkRun manifest of a row."""
    return _document(
        Kind.BENCHMARK_RUN,
        {
            "name": "-".join(
                (
                    kernel.slug,
                    row.timed_pass,
                    slugify(row.provider),
                    slugify(row.gpu),
                    case.label,
                )
            ),
            "title": f"{kernel.title} · {row.provider} · {row.timed_pass}",
            "labels": {
                "liger_version": row.liger_version,
                "observed_at_zone": "assumed-utc",
            },
        },
        {
            "implementationDigest": implementation,
            "workloadDigest": workload,
            "protocolDigest": protocol,
            "environmentDigest": environment,
            "status": "passed",
            "timing": {"primaryStatistic": "median", "latencyNs": {"median": row.median.ns}},
            "measurements": [
                {"metric": "latency", "statistic": "p20", "unit": "ns", "value": row.p20.ns},
                {"metric": "latency", "statistic": "p80", "unit": "ns", "value": row.p80.ns},
            ],
            "sourceNative": {
                "source": SOURCE,
                "benchmark": f"{row.kernel}/{row.timed_pass}",
                "externalId": external,
                "metrics": {
                    "ms_20": row.p20.published_ms,
                    "ms_50": row.median.published_ms,
                    "ms_80": row.p80.published_ms,
                },
            },
            "observedAt": f"{row.observed_at.replace(' ', 'T')}.000Z",
        },
    )


def _document(
    kind: Kind, metadata: Mapping[str, JsonValue], spec: Mapping[str, JsonValue]
) -> Mapping[str, JsonValue]:
    return {
        "apiVersion": KERNELINDEX_API_VERSION,
        "kind": kind.value,
        "metadata": metadata,
        "spec": spec,
    }
