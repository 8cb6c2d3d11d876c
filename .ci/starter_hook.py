"""Puts the starter catalogue into a wheel, as `kgraph/starter`.

A hook and not a `force-include` table: that would copy the catalogue at each editable install too,
where `objects/` is read in place.
"""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StarterHook(BuildHookInterface):  # type: ignore[type-arg]  # its configuration is not used
    """Adds `objects/` to a standard wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the folder and where it goes; hatchling calls this before it builds."""
        if version == "standard":
            build_data["force_include"]["objects"] = "kgraph/starter"
