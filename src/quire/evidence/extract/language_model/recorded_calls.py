"""Answers to the requests for a language model: from its server, or from recorded calls.

The extractor does not know which. Those who have a store set it for a while with `answered_by`.
"""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Thread
from typing import Any, Protocol

from quire.core.errors import EngineError
from quire.core.keys import ArtifactKey, Profile, artifact_key, digest_bytes
from quire.net.language_model import LanguageModel
from quire.net.model_server import Refused
from quire.pages.recognize.vision.reply import CutOff, json_in, written

STAGE, VERSION = "extract/model", "1"
_INVALID = (400, 422)
"""HTTP status codes of servers that do not know a parameter, such as `logprobs`."""
_FORM = re.compile(r"response_format|json_schema")


class Answers(Protocol):
    """Answers requests about a document, in their order: the body of the response, or why there is none."""

    def __call__(
        self, model: LanguageModel, document: str, requests: Sequence[bytes]
    ) -> Sequence[bytes | EngineError]: ...


def answer_key(request: bytes) -> ArtifactKey:
    """The key of the answer: the request has the model, the prompt, what is asked for and the text."""
    return artifact_key(STAGE, VERSION, (digest_bytes(request),), Profile().digest())


def asked(model: LanguageModel, request: bytes) -> bytes:
    """The answer of the server. Raises EngineError, also for an answer in another form: it is not worth keeping.

    One that was cut off is: the extractor asks for the halves of the part, and need not learn again that it has to.
    Without a constraint of the form it is not, so that a higher limit of the server helps.
    """
    answer = _posted(model, request)
    try:
        tree_in(model, answer)
    except CutOff:
        if "response_format" not in json.loads(request):
            raise
    return answer


def _posted(model: LanguageModel, request: bytes) -> bytes:
    """The answer with the probabilities of its tokens, where the server gives them. They are no part of the request
    that is recorded: an answer without them is as good."""
    try:
        return model.post(json.dumps({**json.loads(request), "logprobs": True, "top_logprobs": 1}).encode())
    except Refused as error:
        if error.status not in _INVALID or _FORM.search(error.message):
            raise
    return model.post(request)


def tree_in(model: LanguageModel, answer: bytes) -> Any:
    """The JSON that the model wrote. Raises EngineError."""
    found = json_in(written(answer, engine=model.name))
    if not isinstance(found, dict) or not isinstance(found.get("values", found), (dict, list)):
        raise EngineError(model.name, "the answer is not the requested JSON, or incomplete")
    return found.get("values", found)


def each_answered(
    ask: Callable[[bytes], bytes], requests: Sequence[bytes], at_once: int
) -> Sequence[bytes | EngineError]:
    """Several requests side by side; one that fails does not end the others.

    After an interrupt no more are made, and those under way are not waited for.
    """
    waiting = deque((request, Future[bytes | EngineError]()) for request in requests)
    answers = [answer for _, answer in waiting]

    def work() -> None:
        with suppress(IndexError):
            while True:
                request, answer = waiting.popleft()
                try:
                    answer.set_result(ask(request))
                except EngineError as error:
                    answer.set_result(error)
                except BaseException as error:
                    answer.set_exception(error)

    try:
        for _ in range(min(at_once, len(requests))):
            Thread(target=work, name="quire-model", daemon=True).start()
        wait(answers, return_when=FIRST_EXCEPTION)
    finally:
        with suppress(IndexError):
            while True:
                waiting.popleft()[1].cancel()
    wait(answers)  # those under way are recorded, also where another could not be
    return [answer.result() for answer in answers]


def _by_the_server(model: LanguageModel, document: str, requests: Sequence[bytes]) -> Sequence[bytes | EngineError]:
    return each_answered(lambda request: asked(model, request), requests, model.max_concurrency)


_answers: ContextVar[Answers] = ContextVar("quire_model_answers", default=_by_the_server)


_model: ContextVar[LanguageModel | None] = ContextVar("quire_model", default=None)


def current_answers() -> Answers:
    return _answers.get()


def current_language_model() -> LanguageModel | None:
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
