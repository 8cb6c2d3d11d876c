"""Speed rows of the Liger-Kernel CSV as typed values, or the reason why a row gives none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Final

from kgraph.canonical import MAX_INTEGER, encode_canonical, read_json, show
from kgraph.importers.batch import RefusedRow
from kgraph.units import UnitError, milliseconds_to_ns
from kgraph.vocab import Nanoseconds, TimedPass

if TYPE_CHECKING:
    from kgraph.canonical import JsonValue
    from kgraph.importers.delimited import DelimitedRow

COLUMNS: Final = (
    "kernel_name",
    "kernel_provider",
    "kernel_operation_mode",
    "metric_name",
    "metric_unit",
    "x_name",
    "x_value",
    "y_value_50",
    "y_value_20",
    "y_value_80",
    "extra_benchmark_config_str",
    "gpu_name",
    "timestamp",
    "liger_version",
    "x_label",
)
"""The header of the file, by name; x_label comes last because nothing is read from it."""

MEMORY_METRIC = "MEMORY_METRIC"
"""The row measures memory: another quantity of a case that its speed row describes."""
NOT_MEASURED = "NOT_MEASURED"
"""All three values are nan: the writer's filler for a point that ran out of memory or failed."""
PASS_NOT_STATED = "PASS_NOT_STATED"  # noqa: S105 - a pass of training, not a password
"""kernel_operation_mode is blank, so no protocol can be named."""

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_COUNT = re.compile(r"[1-9][0-9]{0,15}")
_VERSION = re.compile(r"[0-9]+(\.[0-9]+)*[0-9A-Za-z.+!-]*")
_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Config:
    """The JSON object of a config cell."""

    values: Mapping[str, JsonValue]
    canonical: str
    """One text for one meaning, whatever the order of the keys in the cell."""


@dataclass(frozen=True, slots=True)
class Latency:
    """One of the three times of a row."""

    published_ms: float
    """As the file writes it."""
    ns: Nanoseconds


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """One timing as the file states it."""

    place: DelimitedRow
    kernel: str
    provider: str
    timed_pass: TimedPass
    """The file's word; a few kernels time something else under it (see the table)."""
    x_name: str
    x_value: int
    median: Latency
    p20: Latency
    p80: Latency
    config: Config
    gpu: str
    observed_at: str
    """`YYYY-MM-DD HH:MM:SS`, without a zone."""
    liger_version: str

    @property
    def identity(self) -> tuple[str, ...]:
        """What upstream overwrites a row by: all that names the case, neither time nor version."""
        return (
            self.kernel,
            self.provider,
            self.timed_pass,
            self.x_name,
            str(self.x_value),
            self.config.canonical,
            self.gpu,
        )

    @property
    def outcome(self) -> tuple[str | float, ...]:
        """What was measured, and with which release."""
        return (
            self.median.published_ms,
            self.p20.published_ms,
            self.p80.published_ms,
            self.liger_version,
        )


def parse_row(place: DelimitedRow) -> SpeedRow | str | tuple[RefusedRow, ...]:
    """The timing of a row whose cells are in the order of `COLUMNS`.

    Returns:
        The row; or the reason why it is left out; or everything that is wrong with it.
    """
    cells = dict(zip(COLUMNS, place.cells, strict=True))
    if cells["metric_name"] == "memory":
        return MEMORY_METRIC
    refused = [
        RefusedRow(place.where(column), show(cells[column]), expected)
        for column, (is_fine, expected) in _CHECKS.items()
        if not is_fine(cells[column])
    ]
    config, problems = _parse_config(cells["extra_benchmark_config_str"])
    refused += [
        RefusedRow(place.where("extra_benchmark_config_str"), found, expected)
        for found, expected in problems
    ]
    times = _parse_times(place, cells, refused)
    if refused:
        return tuple(refused)
    if times is None:
        return NOT_MEASURED
    mode = cells["kernel_operation_mode"]
    if not mode:
        return PASS_NOT_STATED
    p20, median, p80 = times
    return SpeedRow(
        place=place,
        kernel=cells["kernel_name"],
        provider=cells["kernel_provider"],
        timed_pass=TimedPass(mode),
        x_name=cells["x_name"],
        x_value=int(cells["x_value"]),
        median=median,
        p20=p20,
        p80=p80,
        config=config,
        gpu=cells["gpu_name"],
        observed_at=cells["timestamp"],
        liger_version=cells["liger_version"],
    )


def _is_mode(text: str) -> bool:
    return not text or text in set(TimedPass)


def _is_count(text: str) -> bool:
    return _COUNT.fullmatch(text) is not None and int(text) <= MAX_INTEGER


@cache
def _is_timestamp(text: str) -> bool:
    if not _TIMESTAMP.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


_CHECKS: Final[Mapping[str, tuple[Callable[[str], bool], str]]] = {
    "metric_name": (lambda text: text == "speed", "speed or memory"),
    "metric_unit": (lambda text: text == "ms", "ms, the unit of speed"),
    "kernel_operation_mode": (_is_mode, "forward, backward, full or a blank cell"),
    "x_value": (_is_count, "a whole number from 1 to 2^53 - 1 in decimal digits"),
    "gpu_name": (lambda text: bool(text.strip()), "the name of the GPU"),
    "timestamp": (_is_timestamp, "a time as YYYY-MM-DD HH:MM:SS"),
    "liger_version": (lambda text: _VERSION.fullmatch(text) is not None, "a version as 0.5.10"),
}
"""What a cell of a speed row must hold, whatever the other cells hold."""


@cache
def _parse_config(text: str) -> tuple[Config, tuple[tuple[str, str], ...]]:
    """The config of a cell, and what was found wrong in it beside what was expected."""
    reading = read_json(text.encode())
    problems = tuple(
        (f"{refusal.path}: {refusal.found}" if refusal.path else refusal.found, refusal.expected)
        for refusal in reading.refusals
    )
    if problems:
        return Config({}, ""), problems
    if not isinstance(reading.value, Mapping):
        return Config({}, ""), ((show(reading.value), "a JSON object"),)
    return Config(reading.value, encode_canonical(reading.value).decode()), ()


def _parse_times(
    place: DelimitedRow, cells: Mapping[str, str], refused: list[RefusedRow]
) -> tuple[Latency, Latency, Latency] | None:
    """20th percentile, median and 80th percentile; None where the writer filled in nan."""
    texts = {column: cells[column] for column in ("y_value_20", "y_value_50", "y_value_80")}
    if all(text.strip().lower() == "nan" for text in texts.values()):
        return None
    times = []
    for column, text in texts.items():
        latency = _parse_latency(text)
        if latency is None:
            refused.append(
                RefusedRow(
                    place.where(column), show(text), "a finite number of ms, from half a ns up"
                )
            )
        else:
            times.append(latency)
    if len(times) < len(texts):
        return None
    p20, median, p80 = times
    if not p20.published_ms <= median.published_ms <= p80.published_ms:
        refused.append(
            RefusedRow(
                place.where("y_value_50"),
                show(texts["y_value_50"]),
                f"from {texts['y_value_20']} to {texts['y_value_80']}, the percentiles around it",
            )
        )
    return p20, median, p80


def _parse_latency(text: str) -> Latency | None:
    # float() alone would take "1_0", " 5 " and "infinity" too.
    if not _NUMBER.fullmatch(text):
        return None
    try:
        nanoseconds = milliseconds_to_ns(text)
    except UnitError:
        return None
    if nanoseconds <= 0:
        return None
    return Latency(float(text), Nanoseconds(nanoseconds))
