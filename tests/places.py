"""Where tests find files that several of them read."""

from __future__ import annotations

from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Public result files and acceptance cases, kept beside the repository where they are there."""

PUBLIC_EXPORT = SHARED / "data" / "kernelindex-export" / "catalog-2026-08-16.jsonl.zst"
"""The public catalogue as its own site exports it."""

LIGER_CSV = Path(__file__).parent / "importers" / "sources" / "liger" / "all_benchmark_data.csv"
"""A few dozen rows of the published file."""
