"""Answers of language models for extractors, recorded in a store: none is asked for twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from quire.asking import Ask
from quire.core.context import Store
from quire.core.errors import EngineError, UsageError
from quire.core.opened import WorkerWork
from quire.evidence.extract.language_model.recorded_calls import Answers, answer_key, asked, each_answered
from quire.net.language_model import LanguageModel
from quire.net.model_server import Refused
from quire.reading.call import StorePlace
from quire.retrieval.embed.families import quiet_asker
from quire.store.temporary import TemporaryStore

REQUEST = "model"
"""The request of a job: a worker has no key, no address and no store, so its parent asks."""


@dataclass(frozen=True, slots=True)
class RecordedAnswers:
    """Answers requests through the asker of a store, which is opened when the first one comes."""

    store: StorePlace
    facts: str | None = None

    def __call__(self, model: LanguageModel, document: str, requests: Sequence[bytes]) -> Sequence[bytes | EngineError]:
        with opened_store(self.store, self.facts) as store:
            asker = quiet_asker(store, document)

            def one(request: bytes) -> bytes:
                return asker.ask(Ask(answer_key(request), model, lambda: asked(model, request))).data

            return each_answered(one, requests, model.max_concurrency)


@contextmanager
def opened_store(place: StorePlace, facts: str | None = None) -> Iterator[Store]:
    """A store that answers are recorded in: opened if it is named, a temporary one if there is none."""
    if isinstance(place, (str, Path)):
        from quire.store.opening import open_store

        with open_store(place, facts) as store:
            yield store
    else:
        yield place or TemporaryStore()


def answers_of_parent(work: WorkerWork) -> Answers:
    """For a job in a worker: the parent answers."""

    def answers(model: LanguageModel, document: str, requests: Sequence[bytes]) -> Sequence[bytes | EngineError]:
        replies, data = work.request(REQUEST, {"sizes": [len(one) for one in requests]}, b"".join(requests))
        found = cast("list[tuple[int, str, int]]", replies["answers"])
        pieces = _pieces(data, [size for size, _, _ in found])
        return [
            _error(model, reason, status) if reason else piece
            for piece, (_, reason, status) in zip(pieces, found, strict=True)
        ]

    return answers


def answered_here(
    answers: Answers, model: LanguageModel | None, document: str, header: Mapping[str, object], data: bytes
) -> tuple[dict[str, object], bytes]:
    """The reply to such a request of a worker about a document."""
    if model is None:
        raise UsageError("a job asks a language model, and there is none")
    requests = _pieces(data, cast("list[int]", header["sizes"]))
    replies = answers(model, document, requests)
    found = [(0, _reason(one), _status(one)) if isinstance(one, EngineError) else (len(one), "", 0) for one in replies]
    return {"answers": found}, b"".join(one for one in replies if isinstance(one, bytes))


def _pieces(data: bytes, sizes: Sequence[int]) -> list[bytes]:
    found, begin = [], 0
    for size in sizes:
        found.append(data[begin : begin + size])
        begin += size
    return found


def _reason(error: EngineError) -> str:
    if isinstance(error, Refused):
        return error.message or "no reason is given"
    return str(error).removeprefix(f"{error.engine}: ")


def _status(error: EngineError) -> int:
    return error.status if isinstance(error, Refused) else 0


def _error(model: LanguageModel, reason: str, status: int) -> EngineError:
    return Refused(model.name, status, reason) if status else EngineError(model.name, reason)
