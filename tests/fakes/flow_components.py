"""Components of flows that count their calls, fail when told to, and give all that a component may give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from threading import Event, Lock

import quire
from quire.core.errors import EngineError, InputError

CALLS: Counter[str] = Counter()
FAILING: dict[str, list[Exception]] = {}
"""Errors that the next calls raise, by the name of the component and, after a slash, the page."""

_lock = Lock()


def reset() -> None:
    CALLS.clear()
    FAILING.clear()
    HELD.clear()
    ENTERED.clear()


def _called(name: str) -> None:
    with _lock:
        CALLS[name] += 1
        waiting = FAILING.get(name)
        error = waiting.pop(0) if waiting else None
    if error is not None:
        raise error


def busy(times: int) -> list[Exception]:
    """Errors that pass."""
    return [EngineError("model", "is busy") for _ in range(times)]


def refusing(times: int = 100) -> list[Exception]:
    """Errors that stay."""
    return [InputError("cannot be described") for _ in range(times)]


@quire.component(unit="page", version="1", outputs={"title": str, "number": int})
def caption(page: quire.PageResult, *, words: int = 2) -> dict[str, object]:
    _called("caption")
    _called(f"caption/{page.number}")
    return {"title": " ".join(page.text.split()[:words]), "number": page.number}


@quire.component(unit="page", version="1")
def louder(caption: dict[str, str], suffix: str = "!") -> str:
    _called("louder")
    return caption["title"].upper() + suffix


@quire.component(unit="region", version="1")
def length(block: quire.Block) -> int:
    _called("length")
    return len(block.text)


@quire.component(unit="region", version="1")
def doubled(length: int) -> int:
    _called("doubled")
    return 2 * length


@quire.component(version="1", outputs={"titles": list, "pages": int})
def contents(document: quire.DocumentResult, captions: Sequence[object] = ()) -> dict[str, object]:
    _called("contents")
    return {"pages": len(document.pages), "titles": list(captions)}


@quire.component(version="1")
def echo(value: object = None, *, tag: str = "") -> object:
    _called(f"echo{tag}")
    return value


@quire.component(version="1")
def metadata(document: quire.Document) -> dict[str, object]:
    _called("metadata")
    return {"name": document.name, "pages": document.page_count}


@quire.component(version="1")
def raw(value: str) -> bytes:
    _called("raw")
    return value.encode()


@quire.component(version="1")
def size(data: bytes) -> int:
    _called("size")
    return len(data)


@quire.component(version="1")
def chart(value: str) -> dict[str, bytes]:
    _called("chart")
    return {".svg": b"<svg/>", "data.txt": value.encode()}


@quire.component(version="1")
async def later(value: int) -> int:
    _called("later")
    return value + 1


@quire.component(version="1")
def unsayable(value: object) -> object:
    return {1, 2}


HELD = Event()
"""Set while held components may go on."""
ENTERED = Event()
"""Set once a held component was called."""


@quire.component(version="1")
def held(value: object) -> object:
    _called("held")
    ENTERED.set()
    assert HELD.wait(60)
    return value
