"""Keys stay out of the log: uvicorn writes the URLs of WebSockets into it, and these carry the key."""

from __future__ import annotations

import logging
import re
from urllib.parse import quote, quote_plus

HIDDEN = "***"
LOGGERS = ("uvicorn.error", "uvicorn.access", "quire")
_KEYS = re.compile(r"((?:api_key=|x-api-key['\"]?[:,]\s*b?['\"]?|authorization['\"]?[:,]\s*b?['\"]?))[^&\s'\"]+", re.I)


class RedactingFilter(logging.Filter):
    """Replaces the key in every record, and whatever is sent as one."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self._forms = sorted({form for form in (key, quote(key, safe=""), quote_plus(key)) if form}, key=len)[::-1]

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        shown = self.redacted(message)
        if shown != message:
            record.msg, record.args = shown, ()
        return True

    def redacted(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        return _KEYS.sub(rf"\g<1>{HIDDEN}", text)


def redact_logs(key: str) -> None:
    """Hide the key in the logs of this process."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        for one in [one for one in logger.filters if isinstance(one, RedactingFilter)]:
            logger.removeFilter(one)
        logger.addFilter(RedactingFilter(key))
