"""Enrichments: what is found beside the text of a page, such as bold type, tables or figures.

None of them may cost a page its text: one that fails is left out, and its note is part of the page's `reason`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeVar

from quire.core.errors import ChangedError, ConfigurationError, StoreError, UsageError, log_traceback
from quire.core.events import reason_of

T = TypeVar("T")

Enrichment = Literal[
    "treatment of the picture",
    "orientation",
    "straightening",
    "redactions",
    "ruled lines",
    "pictures",
    "bold type",
    "formulas",
    "tags",
    "separated columns",
    "headers and footers",
    "figures",
    "tables",
    "fields",
    "texts side by side",
    "stamps",
    "list markers",
    "reading order",
    "kinds of blocks",
    "links and styles",
    "layout",
    "running headers",
    "heading levels",
    "list levels",
    "tables over pages",
    "paragraphs over pages",
]


class Notes:
    """The notes of one page, or document, in the order in which its enrichments failed."""

    def __init__(self, notes: Iterable[str] = ()) -> None:
        self._notes = dict.fromkeys(notes)

    def __iter__(self) -> Iterator[str]:
        return iter(self._notes)

    def enriched(self, name: Enrichment, make: Callable[[], T], otherwise: T) -> T:
        """The value that `make` returns; `otherwise`, and a note, when it raises.

        Errors that are not the fault of the page (no memory, cancellation, a usage error) are raised.
        """
        try:
            return make()
        except (MemoryError, UsageError, ConfigurationError, StoreError, ChangedError):
            raise
        except Exception as error:
            from concurrent.futures import CancelledError  # only when something goes wrong

            if isinstance(error, CancelledError):
                raise
            log_traceback(name, error)
            self._notes[f"without {name}: {reason_of(error)}"] = None
            return otherwise
