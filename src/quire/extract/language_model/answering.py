"""How the requests to a language model are answered: by its server, or from what was recorded of it.

The extractor does not know which. Those who have a store set it for a while with `answered_by`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from quire.cite.model import LanguageModel
from quire.errors import EngineError
from quire.keys import ArtifactKey, Profile, artifact_key, digest_bytes
from quire.recognize.vision.reply import json_in, written

STAGE, VERSION = "extract/model", "1"


class Answers(Protocol):
    """Answers requests about a document, in their order: the body of the response, or why there is none."""

    def __call__(
        self, model: LanguageModel, document: str, requests: Sequence[bytes]
    ) -> Sequence[bytes | EngineError]: ...


def answer_key(request: bytes) -> ArtifactKey:
    """The key of the answer: the request has the model, the prompt, what is asked for and the text."""
    return artifact_key(STAGE, VERSION, (digest_bytes(request),), Profile().digest())


def asked(model: LanguageModel, request: bytes) -> bytes:
    """The answer of the server. Raises EngineError, also for an answer in another form: it is not worth keeping."""
    answer = model.post(request)
    tree_in(model, answer)
    return answer


def tree_in(model: LanguageModel, answer: bytes) -> Any:
    """The JSON that the model wrote. Raises EngineError."""
    found = json_in(written(answer, engine=model.name))
    if not isinstance(found, dict) or not isinstance(found.get("values", found), (dict, list)):
        raise EngineError(model.name, "the answer is not the requested JSON, or incomplete")
    return found.get("values", found)


def each_answered(
    ask: Callable[[bytes], bytes], requests: Sequence[bytes], at_once: int
) -> Sequence[bytes | EngineError]:
    """Several requests side by side; one that fails does not end the others."""

    def one(request: bytes) -> bytes | EngineError:
        try:
            return ask(request)
        except EngineError as error:
            return error

    if len(requests) == 1:
        return [one(requests[0])]
    with ThreadPoolExecutor(at_once, thread_name_prefix="quire-model") as threads:
        return list(threads.map(one, requests))


def _by_the_server(model: LanguageModel, document: str, requests: Sequence[bytes]) -> Sequence[bytes | EngineError]:
    return each_answered(lambda request: asked(model, request), requests, model.max_concurrency)


_answers: ContextVar[Answers] = ContextVar("quire_model_answers", default=_by_the_server)


_model: ContextVar[LanguageModel | None] = ContextVar("quire_model", default=None)


def current_answers() -> Answers:
    return _answers.get()


def current_model() -> LanguageModel | None:
    """The model that is set, else the one that the environment names."""
    return _model.get() or LanguageModel.of(os.environ)


@contextmanager
def answered_by(answers: Answers, model: LanguageModel | None = None) -> Iterator[None]:
    """Within the context, requests of extractors to language models are answered in another way, also where the
    environment names no model."""
    tokens = _answers.set(answers), _model.set(model)
    try:
        yield
    finally:
        _answers.reset(tokens[0])
        _model.reset(tokens[1])
