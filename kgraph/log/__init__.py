"""The chain of publications; its head is the snapshot."""

from kgraph.log.chain import Log, LogContentionError
from kgraph.log.check import check_log
from kgraph.log.entry import (
    MAX_LISTED_IDS,
    ChainBrokenError,
    Draft,
    LogEntry,
    Publication,
    PublicationTooLargeError,
    entry_sequence,
)

__all__ = [
    "MAX_LISTED_IDS",
    "ChainBrokenError",
    "Draft",
    "Log",
    "LogContentionError",
    "LogEntry",
    "Publication",
    "PublicationTooLargeError",
    "check_log",
    "entry_sequence",
]
