"""What a run's manifest says beyond what the index keeps, translated for the API."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kgraph.api.scalars import Json, encode_instant
from kgraph.api.types.measure import Measurement
from kgraph.api.types.run_part import (
    Artifact,
    Citation,
    Correctness,
    Label,
    NativeMetric,
    SourceNative,
)
from kgraph.facts import JudgedRun, MeasurementFact
from kgraph.units import format_quantity

NOT_ASSERTED = "not_asserted"
"""Comparator of a workload whose source published no correctness policy."""

# Order in which statistics of a timing are listed.
_STATISTICS = ("median", "mean", "minimum", "p05", "p95", "maximum", "mad")


def read_labels(manifest: Mapping[str, Any]) -> list[Label]:
    """Labels of a manifest, by name."""
    labels = manifest.get("metadata", {}).get("labels") or {}
    return [Label(name=name, value=str(value)) for name, value in sorted(labels.items())]


def read_measurements(manifest: Mapping[str, Any], fact: JudgedRun) -> list[Measurement]:
    """The primary measurement, then other statistics of its timing, then what else is reported."""
    spec, run = manifest["spec"], fact.run
    found: dict[tuple[str, str | None, str], MeasurementFact] = {}

    def add(item: MeasurementFact) -> None:
        found.setdefault((item.metric, item.statistic, item.unit), item)

    if run.value is not None:
        add(MeasurementFact(run.metric, run.statistic, run.unit or "", run.value, run.sample_count))
    timing = spec.get("timing") or {}
    latency = timing.get("latencyNs") or {}
    for statistic in _STATISTICS:
        if latency.get(statistic) is not None:
            value = float(latency[statistic])
            add(MeasurementFact("latency", statistic, "ns", value, timing.get("samples")))
    for item in spec.get("measurements") or ():
        add(
            MeasurementFact(
                item["metric"],
                item.get("statistic"),
                item["unit"],
                float(item["value"]),
                item.get("sampleCount"),
            )
        )
    return [Measurement.from_fact(item) for item in found.values()]


def read_correctness(manifest: Mapping[str, Any], comparator: str) -> Correctness:
    """What is known of the outputs being right: of the run where it says, else of its workload."""
    stated = manifest["spec"].get("correctness") or {}
    used = stated.get("comparator") or comparator
    return Correctness(
        comparator=used,
        asserted=used != NOT_ASSERTED,
        maximum_absolute_error=stated.get("maximumAbsoluteError"),
        maximum_relative_error=stated.get("maximumRelativeError"),
    )


def read_source_native(manifest: Mapping[str, Any]) -> SourceNative | None:
    """How the source itself names and reports the run; None where it states nothing."""
    native = manifest["spec"].get("sourceNative")
    if native is None:
        return None
    metrics = native.get("metrics") or {}
    return SourceNative(
        source=native["source"],
        benchmark=native.get("benchmark"),
        external_id=native.get("externalId"),
        metrics=[NativeMetric(name=name, value=Json(metrics[name])) for name in sorted(metrics)],
    )


def read_artifacts(
    run: Mapping[str, Any], implementation: Mapping[str, Any] | None
) -> list[Artifact]:
    """Logs and raw samples of the run, then the source text of its implementation."""
    spec = run["spec"]
    evidence = spec.get("evidence") or {}
    samples = (spec.get("timing") or {}).get("rawSamples")
    named = [
        ("logs", evidence.get("logs")),
        ("rawSamples", evidence.get("rawSamples")),
        ("rawSamples", samples if isinstance(samples, dict) else None),
    ]
    artifacts = [
        Artifact(kind=kind, digest=item.get("digest"), uri=item.get("uri"))
        for kind, item in named
        if item
    ]
    if implementation is not None:
        source = implementation["spec"].get("source") or {}
        digest = source.get("contentDigest") or source.get("digest")
        uri = source.get("uri") or source.get("url")
        if digest or uri:
            artifacts.append(Artifact(kind="source", digest=digest, uri=uri))
    return artifacts


def make_citation(
    fact: JudgedRun, *, implementation: str, source: str, base_url: str, now: datetime
) -> Citation:
    """How to cite the run: digest, permalink and the day on which it was read.

    Args:
        implementation: title of what was measured.
        source: name of where the run comes from.
        base_url: where this API is reached, without a slash at the end.
    """
    run = fact.run
    permalink = f"{base_url}/objects/{run.object_id}"
    day, observed = f"{now:%Y-%m-%d}", run.observed_at
    value = "" if run.value is None else f", {format_quantity(run.value, run.unit)}"
    title = f"{run.title} ({implementation}{value})"
    short_name = run.digest.partition(":")[2][:16]
    text = (
        f"{source}. {title}. Observed {observed:%Y-%m-%d}. Run {run.digest}. "
        f"{permalink} (accessed {day})."
    )
    bibtex = "\n".join(
        (
            f"@misc{{kgraph-{short_name},",
            f"  title = {{{_escape_tex(title)}}},",
            f"  author = {{{{{_escape_tex(source)}}}}},",
            f"  year = {{{observed:%Y}}},",
            f"  note = {{Run {run.digest}, accessed {day}}},",
            f"  url = {{{permalink}}}",
            "}",
        )
    )
    csl = {
        "id": run.digest,
        "type": "dataset",
        "title": title,
        "author": [{"literal": source}],
        "issued": {"date-parts": [[observed.year, observed.month, observed.day]]},
        "accessed": {"date-parts": [[now.year, now.month, now.day]]},
        "number": run.digest,
        "URL": permalink,
        "note": f"Observed {encode_instant(observed)}",
    }
    return Citation(text=text, bibtex=bibtex, csl_json=Json(csl), permalink=permalink)


_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def _escape_tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)
