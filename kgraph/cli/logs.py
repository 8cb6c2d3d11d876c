"""How `kgraph serve` writes its log: text for people, or one JSON object a line for machines."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime

import orjson

# What every record has; all else was given by who wrote it.
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


class JsonFormatter(logging.Formatter):
    """Records as JSON: time, level, logger, message, the request's id, and what else was given."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        request_id = _find_request_id()
        if request_id is not None:
            line["request_id"] = request_id
        line |= {name: value for name, value in vars(record).items() if name not in _OWN}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


def start_logging(level: str, form: str) -> None:
    """Write the log of this process to the error output from now on.

    Args:
        form: `text` or `json`.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter()
        if form == "json"
        else logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    logging.basicConfig(handlers=[handler], level=level.upper())


def _find_request_id() -> str | None:
    # Only where a server runs is there a request; nothing else loads it.
    observe = sys.modules.get("kgraph.web.observe")
    if observe is None:
        return None
    exchange = observe.current_exchange.get()
    return None if exchange is None else str(exchange.request_id)
