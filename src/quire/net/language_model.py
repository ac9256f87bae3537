"""The language model of `quire ask` and of `quire extract`: requests to an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from quire.core.engine import Policy
from quire.core.errors import ConfigurationError
from quire.net.model_server import PASSING, ModelServer
from quire.net.transport import Deadline

URL, MODEL, KEY = "QUIRE_LLM_URL", "QUIRE_LLM_MODEL", "QUIRE_LLM_KEY"
"""The environment variables."""
TIMEOUT_S = 120.0


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

    def post(self, request: bytes, *, key: str = "") -> bytes:
        """The answer of the server to the JSON of a chat completion. `key` is an idempotency key: a request that is
        sent again, because a process was killed, has the same. Raises EngineError."""
        server = self.server.with_header("Idempotency-Key", key) if key else self.server
        url = server.endpoint("chat/completions", base="/v1")
        deadline = Deadline.after(self.timeout_s)
        return server.post(self.name, url, request, deadline, retried=PASSING, mended=True)
