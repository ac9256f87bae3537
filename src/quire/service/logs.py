"""The log of the server: one line per record, as text or as JSON, with the fields that requests send for it."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from quire.service.settings import ServiceSettings

FIELDS = "quire_fields"
"""The attribute of a record with its fields."""
MOST_FIELDS = 20
LONGEST_VALUE = 200
log = logging.getLogger("quire.service")


def configure_logs(settings: ServiceSettings) -> None:
    """Send what is logged to standard error. uvicorn and Quire log through the same handler."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if settings.log_format == "json" else TextLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers[:], logger.propagate = [], True
        logger.setLevel(logging.NOTSET)


def log_request(method: str, path: str, status: int, ms: float, fields: Mapping[str, str]) -> None:
    """Log an answered request. The query is left out: a WebSocket has its key there."""
    if log.isEnabledFor(logging.INFO):
        given = {"method": method, "path": path, "status": status, "ms": round(ms, 1), **fields}
        log.info("%s %s %s", method, _printable(path), status, extra={FIELDS: given})


def fields_of(headers: list[tuple[bytes, bytes]], prefix: bytes) -> dict[str, str]:
    """The headers that are copied into the log, by their name after the prefix. `prefix` is lower case."""
    found = [(name[len(prefix) :], value) for name, value in headers if prefix and name.startswith(prefix)]
    return {
        name.decode("latin-1").replace("-", "_"): _printable(value.decode("latin-1")[:LONGEST_VALUE])
        for name, value in found[:MOST_FIELDS]
        if name
    }


class TextLines(logging.Formatter):
    """`2026-03-01T12:00:00.000Z INFO quire.service: GET /health 200 ms=0.4`."""

    def format(self, record: logging.LogRecord) -> str:
        fields = getattr(record, FIELDS, {})
        shown = "".join(
            f" {name}={value}" for name, value in fields.items() if name not in ("method", "path", "status")
        )
        text = f"{_time(record)} {record.levelname} {record.name}: {record.getMessage()}{shown}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


class JsonLines(logging.Formatter):
    """One JSON object per record."""

    def format(self, record: logging.LogRecord) -> str:
        given = {
            **getattr(record, FIELDS, {}),
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            given["exception"] = self.formatException(record.exc_info)
        return json.dumps(given, ensure_ascii=False, default=str)


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _printable(text: str) -> str:
    """On one line, without control characters."""
    return "".join(c if c.isprintable() else "?" for c in text)
