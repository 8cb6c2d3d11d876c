"""Whether a device as a person types it means the device of an environment.

A person types a product (`NVIDIA H100`, `H100`), a product with all or part of its form factor
(`H100 PCIe`, `A100 80GB`), a device string that the hardware table lists, or an architecture
(`sm_90`). The environment must state what is typed: text that says more than it does is no match.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from kgraph.policy.hardware import choose_hardware, fold_device, hardware_rows

if TYPE_CHECKING:
    from kgraph.facts import HardwareFact

# Words before a product's own name that a person leaves out.
_BRANDS = frozenset({"nvidia", "amd", "instinct", "geforce", "tesla", "quadro"})

# Shortest part of a form factor that says anything: `80GB`, `PCIe`, `SXM`, `NVL`.
_SHORTEST_PART = 3


def matches_device(text: str, hardware: HardwareFact) -> bool:
    """Whether everything that `text` says of a device is true of this one."""
    wanted = _words(text)
    if not wanted:
        return False
    if fold_architecture(text) == fold_architecture(hardware.architecture):
        return True
    row, is_default = choose_hardware(hardware)
    # A row that only stands for its product says nothing of the form factor, so its aliases do not.
    if row is not None and not is_default:
        names = {fold_device(name) for name in (*row.aliases, row.name)}
        if fold_device(text) in names:
            return True
    product = _words(hardware.product)
    if wanted[: len(product)] != product:
        return False
    form_factor = _words(hardware.form_factor or "")
    return all(
        len(part) >= _SHORTEST_PART and any(word.startswith(part) for word in form_factor)
        for part in wanted[len(product) :]
    )


def find_architecture(text: str) -> str | None:
    """The architecture that device text means in the hardware table; None where unknown."""
    wanted, folded = _words(text), fold_device(text)
    for row in hardware_rows():
        if fold_architecture(text) == fold_architecture(row.architecture):
            return row.architecture
        if folded in {fold_device(alias) for alias in row.aliases}:
            return row.architecture
        product = _words(row.product)
        parts = wanted[len(product) :]
        form_factor = _words(row.form_factor or "")
        if wanted[: len(product)] == product and all(
            any(word.startswith(part) for word in form_factor) for part in parts
        ):
            return row.architecture
    return None


def suggest_devices(text: str) -> tuple[str, ...]:
    """Up to three products of the hardware table whose names are nearest to the text."""
    names = {" ".join(_words(row.product)): row.product for row in hardware_rows()}
    near = difflib.get_close_matches(" ".join(_words(text)), names, n=3, cutoff=0.5)
    return tuple(names[name] for name in near)


def fold_architecture(text: str) -> str:
    """An architecture without separators and feature suffix: `sm_90a` and `SM90` are one."""
    return re.sub(r"^(sm\d+)[af]$", r"\1", re.sub(r"[\s\-_]+", "", text).casefold())


def _words(text: str) -> list[str]:
    """The words of device text, brands before the product's own name left out."""
    words = fold_device(text).split()
    while words and words[0] in _BRANDS:
        words.pop(0)
    return words
