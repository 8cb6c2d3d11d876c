"""Datasheet figures of devices, and which row a device string means.

Source: `data/hardware.json`, one row per product and form factor. Rows say which figures are
confirmed; the others rest on quotations of the cited sheet, and what is computed from them says so.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgraph.facts import HardwareFact

MEMORY_BANDWIDTH = "memoryBandwidthBytesPerSecond"
"""Name of the bandwidth figure in a row's lists of confirmed and quoted figures."""

DATASHEET_ALLOWANCE = 0.02
"""Share by which a part may beat its rounded datasheet bandwidth: H100 PCIe and MI300X print less
than they reach, so a ratio this far below 1 says nothing."""

# A leaderboard's fleet label, which its runs carry in place of a form factor.
_FLEET_LABEL = "runner:"


@dataclass(frozen=True, slots=True)
class HardwareRow:
    """Datasheet figures of one product in one form factor."""

    vendor: str
    product: str
    form_factor: str | None
    """None where the product is sold in one only."""
    aliases: tuple[str, ...]
    """Device strings that mean exactly this row."""
    architecture: str
    memory_bytes: int
    memory_bandwidth_bytes_per_second: int
    peak_flops: tuple[tuple[str, int], ...]
    """Dense operations per second by dtype; a dtype without a published peak is absent."""
    l2_cache_bytes: int | None
    last_level_cache_bytes: int | None
    """Given where a cache beyond L2 also serves memory reads."""
    power_watts: int | None
    is_flagship: bool
    is_default: bool
    """Whether it stands for the product where the form factor is not known: the fastest one."""
    source_title: str
    source_url: str
    confirmed: tuple[str, ...]
    """Figures found in text by the vendor or its engineers."""
    quoted_alike: tuple[str, ...]
    """Further figures that two independent publications quote alike from the vendor."""
    notes: str

    @property
    def name(self) -> str:
        """Product and form factor, as a person says it."""
        return self.product if self.form_factor is None else f"{self.product} {self.form_factor}"

    @property
    def cache_bytes(self) -> int | None:
        """The largest cache in front of memory; None where none is known."""
        return self.last_level_cache_bytes or self.l2_cache_bytes

    def find_peak(self, dtype: str) -> int | None:
        """Published dense peak for exactly this dtype, in operations per second."""
        return dict(self.peak_flops).get(dtype)

    def is_confirmed(self, figure: str) -> bool:
        """Whether the figure was found in the vendor's own text; a dtype names its peak."""
        return figure in self.confirmed


def hardware_rows() -> tuple[HardwareRow, ...]:
    """Every row of the hardware table, in its order."""
    return _load_rows()


def find_hardware(fact: HardwareFact) -> HardwareRow | None:
    """The row that an environment's device means.

    Device strings are matched against aliases first, then product with form factor. Where only the
    product is known, its default row is taken: the fastest form factor, because a floor must stay a
    lower bound. A fleet label (`runner:…`) is no form factor. A stated form factor that no row has
    is unknown hardware, as is a product that no row has.

    Returns:
        None for unknown hardware.
    """
    return choose_hardware(fact)[0]


@lru_cache(maxsize=1024)
def choose_hardware(fact: HardwareFact) -> tuple[HardwareRow | None, bool]:
    """As `find_hardware`, with whether the row only stands for its product as the default."""
    rows = _load_rows()
    form_factor = fact.form_factor
    if form_factor is not None and form_factor.startswith(_FLEET_LABEL):
        form_factor = None
    product = fold_device(fact.product)
    if form_factor is not None:
        device = f"{product} {fold_device(form_factor)}"
        for row in rows:
            if device in {fold_device(alias) for alias in row.aliases} or device == fold_device(
                row.name
            ):
                return row, False
        return None, False

    named = [row for row in rows if product == fold_device(row.product)]
    if named:
        # A product string is also an alias of one of its rows at times; the default rule decides.
        return next((row for row in named if row.is_default), None), len(named) > 1
    for row in rows:
        if product in {fold_device(alias) for alias in row.aliases}:
            return row, False
    return None, False


def rows_of_product(row: HardwareRow) -> tuple[HardwareRow, ...]:
    """Every row of the product that `row` is one of."""
    return tuple(other for other in _load_rows() if other.product == row.product)


def fold_device(text: str) -> str:
    """Device text without letter case and separators, which carry no meaning."""
    return re.sub(r"[\s\-_]+", " ", text).strip().casefold()


@cache
def _load_rows() -> tuple[HardwareRow, ...]:
    text = resources.files("kgraph.policy").joinpath("data/hardware.json").read_text("utf-8")
    return tuple(_read_row(row) for row in json.loads(text)["hardware"])


def _read_row(row: Mapping[str, Any]) -> HardwareRow:
    return HardwareRow(
        vendor=row["vendor"],
        product=row["product"],
        form_factor=row["formFactor"],
        aliases=tuple(row["aliases"]),
        architecture=row["architecture"],
        memory_bytes=row["memoryBytes"],
        memory_bandwidth_bytes_per_second=row[MEMORY_BANDWIDTH],
        peak_flops=tuple(row["peakFlops"].items()),
        l2_cache_bytes=row["l2CacheBytes"],
        last_level_cache_bytes=row.get("lastLevelCacheBytes"),
        power_watts=row["powerWatts"],
        is_flagship=row["flagship"],
        is_default=row["default"],
        source_title=row["source"]["title"],
        source_url=row["source"]["url"],
        confirmed=tuple(row["confirmed"]),
        quoted_alike=tuple(row["quotedAlike"]),
        notes=row["notes"],
    )
