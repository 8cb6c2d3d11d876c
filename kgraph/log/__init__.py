"""The chain of publications; its head is the snapshot."""

from kgraph.log.chain import Log, LogContentionError
from kgraph.log.check import check_log
from kgraph.log.entry import (
    ChainBrokenError,
    Draft,
    LogEntry,
    Publication,
    PublicationTooLargeError,
)

__all__ = [
    "ChainBrokenError",
    "Draft",
    "Log",
    "LogContentionError",
    "LogEntry",
    "Publication",
    "PublicationTooLargeError",
    "check_log",
]
