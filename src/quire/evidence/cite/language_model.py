"""The language model of `quire ask` and of `quire extract`: requests to an OpenAI-compatible server."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from quire.core import prompts
from quire.core.engine import Policy
from quire.core.errors import ConfigurationError, EngineError
from quire.evidence.cite.citation_checks import CitedSentence
from quire.net.model_server import PASSING, ModelServer
from quire.pages.recognize.vision.reply import FENCED, written

URL, MODEL, KEY = "QUIRE_LLM_URL", "QUIRE_LLM_MODEL", "QUIRE_LLM_KEY"
"""The environment variables."""
TIMEOUT_S = 120.0
MOST_SENTENCES = 50
LONGEST_PASSAGE = 4000
"""Characters of a passage that the model sees."""


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A model on a server."""

    server: ModelServer
    model: str
    policy: Policy = "io"
    max_concurrency: int = 4

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> LanguageModel | None:
        """The model that the environment names; None without one. Raises ConfigurationError for half of one."""
        url, model = environment.get(URL), environment.get(MODEL)
        if not url and not model:
            return None
        if not url or not model:
            raise ConfigurationError(
                f"{MODEL if url else URL} is missing: {URL} is an OpenAI-compatible server such as "
                f"http://127.0.0.1:8000/v1, {MODEL} the name of a model there (with {KEY} if it needs a key)"
            )
        return cls(ModelServer(url, environment.get(KEY) or None, model="the language model"), model)

    @property
    def name(self) -> str:
        return f"language model {self.model}"

    @property
    def timeout_s(self) -> float:
        return TIMEOUT_S

    @property
    def limit_name(self) -> str:
        return f"language model@{self.server.address}"

    @property
    def named(self) -> LanguageModel:
        """The model by its name alone, for a process that must have neither its address nor its key."""
        return replace(self, server=ModelServer("http://localhost", model=self.server.model))

    def post(self, request: bytes) -> bytes:
        """The answer of the server to the JSON of a chat completion. Raises EngineError."""
        url = self.server.endpoint("chat/completions", base="/v1")
        deadline = time.monotonic() + self.timeout_s
        return self.server.post(self.name, url, request, deadline, retried=PASSING, mended=True)

    def answer(self, question: str, passages: Sequence[str]) -> list[CitedSentence]:
        """What the model says, unchecked. Raises EngineError when it cannot be asked, or breaks the form."""
        request = {"model": self.model, "messages": _messages(question, passages), "temperature": 0, "stream": False}
        return self._sentences(written(self.post(json.dumps(request).encode()), engine=self.name))

    def _sentences(self, content: str) -> list[CitedSentence]:
        fenced = FENCED.search(content)
        text = fenced[1] if fenced else content
        try:
            listed = json.loads(text[text.index("{") : text.rindex("}") + 1])["sentences"]
            return [CitedSentence(str(one["text"]), _numbers(one.get("passages"))) for one in listed[:MOST_SENTENCES]]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise EngineError(self.name, "the answer is not the requested JSON") from error


def _messages(question: str, passages: Sequence[str]) -> list[dict[str, str]]:
    numbered = [f"[{number}] {passage[:LONGEST_PASSAGE]}" for number, passage in enumerate(passages, start=1)]
    asked = "\n\n".join(["Passages:", *numbered, f"Question: {question}"])
    return [{"role": "system", "content": prompts.load("cite").text}, {"role": "user", "content": asked}]


def _numbers(given: object) -> tuple[int, ...]:
    """Anything but a list of whole numbers cites nothing."""
    listed = given if isinstance(given, list) else []
    return tuple(one for one in listed if isinstance(one, int) and not isinstance(one, bool))
