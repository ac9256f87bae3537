"""The job of a worker for a page that needs OCR: render it, prepare the picture, and ask an engine.

Runs in a worker process: the document is parsed here and nowhere else. The parent decides whether and when the engine
is asked, and saves its answer before it is interpreted (`quire.asking`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quire.core.engine import Engine, Question, answer_key
from quire.core.errors import ConfigurationError, EngineError
from quire.core.guarded_parts import Notes
from quire.core.keys import ArtifactKey
from quire.core.opened import Opened, WorkerWork
from quire.core.picture import Picture
from quire.core.types import BBox, Box, Region
from quire.pages.prepare.prepared import PrepareProfile
from quire.pages.recognize.routing import is_dense_table
from quire.pages.recognize.seen import Rule, Seen, Stroke
from quire.system.awaited import settled

if TYPE_CHECKING:
    from quire.pages.recognize.similar import SimilarAnswers

EDGE = 0.008  # of the width or height: ruled lines nearer to the edge of a page are the edge of the sheet
PAGE_PIXELS = 600  # a smaller picture is a crop of a page, whose ruled lines may reach the edge


@dataclass(frozen=True, slots=True)
class LookRequest:
    """A page to analyse. Without an engine the picture itself is returned, for engines that run elsewhere.

    `turn` is the orientation in which to read the page (degrees clockwise), None for the one that it seems to have.
    With `regions`, the engine is asked about these instead of the whole picture.
    """

    source: Opened
    page: int
    prepare: PrepareProfile
    keep: tuple[BBox, ...] = ()
    engine: Engine | None = None
    languages: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    similar: Path | None = None
    turn: int | None = None
    regions: tuple[Region, ...] = ()


def question_of(
    seen: Seen, *, languages: tuple[str, ...] = (), hints: tuple[str, ...] = (), regions: tuple[Region, ...] = ()
) -> Question:
    """The question about a prepared picture, or regions of it: the stricter one when it is mostly a dense table."""
    if regions:
        return Question(seen.prepared.size, seen.prepared.dpi, regions=regions)
    return Question(seen.prepared.size, seen.prepared.dpi, languages, (), is_dense_table(seen), hints)


def look(arguments: LookRequest, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """Analyse a page; header `seen`, and `found` when the answer exists already, or `similar` with its key.

    With an engine, its answer has been saved under its key; without one, the data are the pixels of the picture.
    """
    picture, seen, took = _seen(arguments, work)
    header: dict[str, object] = {"seen": seen.to_bytes().decode(), "found": False, "rendered": took}
    if seen.prepared.blank:
        return header, b""
    engine = arguments.engine
    if engine is None:
        return header | {"mode": picture.mode}, picture.pixels
    question = question_of(seen, languages=arguments.languages, hints=arguments.hints, regions=arguments.regions)
    key = answer_key(engine, seen.prepared.digest, question)
    if _is_known(key, work):
        return header | {"found": True}, b""
    alike = _similar(arguments, work)
    earlier = alike.find(engine, picture, question) if alike else None
    if earlier is not None and work.request("find", {"key": earlier.key})[0].get("found"):
        return header | {"similar": earlier.key, "similarity": earlier.similarity}, b""
    _ask_and_save(engine, picture, question, key, work)
    if alike:
        alike.add(engine, picture, question)
    return header, b""


@dataclass(frozen=True, slots=True)
class AskAbout:
    """A picture sent by the parent, and the question about it."""

    engine: Engine
    picture: Picture
    question: Question


def ask_about(arguments: AskAbout, work: WorkerWork) -> bytes:
    """Ask an engine about a picture, unless the parent has the answer. The parent saves it; nothing is returned."""
    engine, picture, question = arguments.engine, arguments.picture, arguments.question
    key = answer_key(engine, picture.digest, question)
    if not _is_known(key, work):
        _ask_and_save(engine, picture, question, key, work)
    return b""


def _is_known(key: ArtifactKey, work: WorkerWork) -> bool:
    """Whether the answer exists. Otherwise this job holds the claim to ask."""
    return bool(work.request("claim", {"key": key})[0].get("found"))


def _ask_and_save(engine: Engine, picture: Picture, question: Question, key: ArtifactKey, work: WorkerWork) -> None:
    kept = work.kept(f"{engine.name} {engine.version} {engine.profile.digest()}", lambda: engine)
    work.request("place", {})
    answer = ask(kept, picture, question, lambda text: work.emit("partial", {"partial_text": text}))
    work.request("save", {"key": key}, answer)


def _similar(arguments: LookRequest, work: WorkerWork) -> SimilarAnswers | None:
    path = arguments.similar
    if path is None or arguments.regions:
        return None
    from quire.pages.recognize.similar import SimilarAnswers

    return work.kept(f"similar {path}", lambda: SimilarAnswers(path))


def ask(engine: Engine, picture: Picture, question: Question, partial: Callable[[str], None]) -> bytes:
    """The engine's answer. Its exceptions become an EngineError, except ConfigurationError and MemoryError.

    Runs in a worker process, or in a thread of the parent.
    """
    try:
        answer = settled(engine.ask(picture, question, partial if "streaming" in engine.capabilities else None))
    except (EngineError, ConfigurationError, MemoryError):
        raise
    except Exception as error:
        raise EngineError(engine.name, f"{type(error).__name__}: {error}") from error
    if not isinstance(answer, bytes):
        raise EngineError(engine.name, f"the answer is {type(answer).__name__} instead of bytes")
    return answer


def _seen(arguments: LookRequest, work: WorkerWork) -> tuple[Picture, Seen, dict[str, float]]:
    from quire.pages.detect.strokes import find_strokes
    from quire.pages.prepare import page_picture, prepare
    from quire.pages.prepare.pixels import pixels_of

    document = arguments.source.document(work)
    began = time.perf_counter()
    drawn_page = page_picture(document.reader, arguments.page, arguments.prepare)
    drawn = time.perf_counter()
    picture, prepared = prepare(drawn_page, arguments.prepare, keep=arguments.keep, turn=arguments.turn)
    took = {
        "ms": round((drawn - began) * 1000, 3),
        "prepare_ms": round((time.perf_counter() - drawn) * 1000, 3),
        "bytes": len(drawn_page.pixels),
        "width": drawn_page.width,
        "height": drawn_page.height,
    }
    if prepared.blank:
        return picture, Seen(prepared), took
    notes, letter = Notes(prepared.notes), prepared.measures.text_height
    rules, shown = rules_and_pictures(picture, letter, notes)
    nothing: tuple[float, list[Stroke]] = (0.0, [])
    stroke, heavy = notes.enriched("bold type", lambda: find_strokes(pixels_of(picture), letter), nothing)
    return picture, Seen(prepared, rules, shown, stroke, tuple(heavy), tuple(notes)), took


def rules_and_pictures(
    picture: Picture, letter_height: float, notes: Notes
) -> tuple[tuple[Rule, ...], tuple[Box, ...]]:
    """The ruled lines of a page, without the edges of the sheet, and its photographs and drawings, in pixels."""
    from quire.pages.detect.pictures import find_pictures
    from quire.pages.detect.rulings import Ruling, find_rulings
    from quire.pages.prepare.pixels import pixels_of

    width, height = picture.size
    nothing: list[Ruling] = []
    rules = [
        (x0, y0, x1, y1, thickness)
        for x0, y0, x1, y1, thickness in notes.enriched(
            "ruled lines", lambda: find_rulings(pixels_of(picture), picture.dpi), nothing
        )
        if min(width, height) < PAGE_PIXELS
        or (EDGE < y0 / height < 1 - EDGE if y0 == y1 else EDGE < x0 / width < 1 - EDGE)
    ]
    none: list[Box] = []
    shown = notes.enriched("pictures", lambda: find_pictures(pixels_of(picture), picture.dpi, letter_height), none)
    return tuple(rules), tuple(shown)
