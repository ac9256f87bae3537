"""Asks an engine about a picture in memory, or about one that a worker has drawn: on top of the asker."""

from __future__ import annotations

from functools import partial as bound

from quire.asking import Answered, Ask, Asker, Crashed, TooSlow, runs_here
from quire.core.engine import Engine, Outcome, Partial, Question, answer_key
from quire.core.errors import EngineError
from quire.core.keys import ArtifactKey, Digest
from quire.core.picture import Picture
from quire.core.types import AnswerSource
from quire.pages.recognize import page_job as looking
from quire.pages.recognize.normalize import Garbage
from quire.pages.recognize.seen import Seen
from quire.system.workers import Job, WorkerCrashed, WorkerError, WorkerReply, WorkerTimeout, shared_pool
from quire.system.workers.frames import MAX_DATA

ROOM = 1 << 20
"""The size of a message to a worker besides the pixels."""


def ask_about(
    asker: Asker,
    engine: Engine,
    picture: Picture,
    question: Question,
    *,
    page: int,
    partial: Partial,
    mark: str = "",
    unlike: Digest | None = None,
) -> Answered:
    """The raw answer of an engine for a picture: a cache hit, or asked where the engine runs.

    Runs in the thread of the caller, and blocks.
    """
    key = answer_key(engine, picture.digest, question)
    if runs_here(engine):
        call = bound(looking.ask, engine, picture, question, partial)
        return asker.ask(Ask(key, engine, call, page, mark, unlike))
    if not can_be_sent(engine, picture):
        raise EngineError(
            engine.name,
            f"a picture of {picture.width} x {picture.height} pixels is too large for a worker process; "
            "use a lower `dpi`, or regions",
        )
    job = Job("quire.pages.recognize.page_job:ask_about", looking.AskAbout(engine, picture, question))
    return asker.ask(Ask(key, engine, job, page, mark, unlike, partial))


def can_be_sent(engine: Engine, picture: Picture) -> bool:
    """Whether a picture is small enough to be sent to the engine."""
    return len(picture.pixels) <= MAX_DATA - ROOM or runs_here(engine)


def questions_at_once(engine: Engine) -> int:
    """How many questions about a page are worth asking in parallel."""
    most = max(1, engine.max_concurrency)
    if engine.policy == "io":
        return most
    return 1 if runs_here(engine) else min(most, shared_pool().workers)


def seen_by(reply: WorkerReply) -> Seen:
    """The contents of a picture, as a worker saw them. Validates the message, because workers are not trusted."""
    try:
        return Seen.from_bytes(str(reply.header["seen"]).encode())
    except (KeyError, TypeError, ValueError) as error:
        raise WorkerCrashed(f"the worker sent no picture ({error})") from error


def picture_in(reply: WorkerReply, seen: Seen) -> Picture:
    """The prepared picture of a page that a worker sends when it asks no engine."""
    width, height = seen.prepared.size
    mode = "L" if reply.header.get("mode") == "L" else "RGB"
    if len(reply.data) != width * height * len(mode):
        raise WorkerCrashed("the worker sent a picture of the wrong size")
    return Picture(width, height, "L" if mode == "L" else "RGB", reply.data, seen.prepared.dpi)


def source_of(engine: Engine, key: ArtifactKey, similarity: float | None = None) -> AnswerSource:
    return AnswerSource(engine.name, engine.version, engine.profile.digest(), key, similarity)


def outcome_of(error: Exception) -> Outcome:
    """The outcome of an attempt that raised."""
    match error:
        case TooSlow() | WorkerTimeout():
            return "timeout"
        case Crashed() | WorkerError():
            return "crashed"
        case Garbage():
            return "garbage"
    return "failed"
