"""A vision language model as an OCR engine, behind any OpenAI-compatible URL: vLLM, Ollama, a hosted one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from quire.core import prompts
from quire.core.affine import Affine
from quire.core.engine import Capability, Partial, Policy, Question, Recognition
from quire.core.errors import ConfigurationError, EngineError
from quire.core.picture import Picture
from quire.core.types import BBox
from quire.net.model_server import ModelServer, Refused
from quire.net.transport import Deadline
from quire.pages.recognize.frames import placed
from quire.pages.recognize.normalize import normalize
from quire.pages.recognize.options import Effort
from quire.pages.recognize.vision import reply
from quire.pages.recognize.vision.request import Learned, VisionProfile, body

__all__ = ["VisionEngine", "VisionProfile", "engine"]

CALLED = "the vision model"
MAX_SIDE: Mapping[Effort, int] = {"fast": 1280, "balanced": 2048, "accurate": 3072}
SIMPLER = (400, 415, 422, 501)
"""HTTP status codes that may mean that an option is not supported."""


@dataclass(frozen=True)
class VisionEngine:
    """Sends one request for the page, or one for each region. Answers are the raw bodies of the responses.

    `ask` is thread-safe. What it learns about the server is kept in the object. The default name is `vision:<model>`;
    `max_concurrency` limits the requests to its server.
    """

    server: ModelServer
    profile: VisionProfile
    timeout_s: float = 120.0
    max_concurrency: int = 4
    name: str = ""
    version: str = "1"
    policy: Policy = "io"
    languages: frozenset[str] | None = None
    capabilities: frozenset[Capability] = frozenset(
        (
            "text",
            "table_structure",
            "table_boxes",
            "handwriting",
            "formulas",
            "language_detection",
            "streaming",
            "json_output",
            "hints",
            "regions",
        )
    )
    _learned: list[Learned] = field(default_factory=lambda: [Learned()], compare=False, repr=False)

    identity: ClassVar[str] = "vision"
    """For keys: the model is part of the profile, and the address of its server changes no answer."""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", f"vision:{self.profile.model}")

    @property
    def limit_name(self) -> str:
        return f"vision@{self.server.address}"

    @property
    def endpoint(self) -> str:
        """The URL of chat completions, from the URL of the server, its `/v1`, or the complete one."""
        return self.server.endpoint("chat/completions", base="/v1")

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        """Raises EngineError when there is no complete answer within `timeout_s`."""
        deadline = Deadline.after(self.timeout_s)
        if not question.regions:
            return self._post(picture, question, deadline, partial)
        regions = [region for region in question.regions if region.role != "blank"]
        bodies = {
            region.id: self._post(picture.crop(region.bbox), question, deadline, partial).decode("utf-8", "replace")
            for region in regions
        }
        return json.dumps({"regions": bodies}).encode()

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        if not question.regions:
            return normalize([self._recognition(answer)], question)
        try:
            bodies = {str(name): str(text).encode() for name, text in json.loads(answer)["regions"].items()}
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise EngineError(self.name, "the answer is not one about regions") from error
        places = {region.id: region.bbox for region in question.regions}
        read = [self._in_region(name, bodies[name], place) for name, place in places.items() if name in bodies]
        return normalize(read, question, engine=self.name)

    def _post(self, picture: Picture, question: Question, deadline: Deadline, partial: Partial | None) -> bytes:
        """The body of the response; falls back to a simpler request where the server refuses the full one."""
        learned, first = self._learned[0], None
        while True:
            request = body(self.profile, picture, question, learned, stream=partial is not None)
            try:
                answer = self.server.post(self.name, self.endpoint, request, deadline, _streamed(partial))
            except Refused as refused:
                first = first or refused
                simpler = learned.without(refused.message) if refused.status in SIMPLER else None
                if simpler is None:
                    raise first from None
                learned = simpler
            else:
                self._learned[0] = learned
                return answer

    def _recognition(self, answer: bytes) -> Recognition:
        language, blocks = reply.page(reply.written(answer, engine=self.name), engine=self.name)
        return Recognition(self.name, blocks=tuple(blocks), language=language)

    def _in_region(self, name: str, answer: bytes, place: BBox) -> Recognition:
        try:
            [whole] = normalize([self._recognition(answer)], Question((1, 1), 72.0))
        except EngineError as error:
            return Recognition(self.name, region=name, error=str(error).removeprefix(f"{self.name}: "))
        return replace(placed(whole, Affine.into(place)), region=name)


def engine(*, effort: Effort, languages: tuple[str, ...]) -> VisionEngine:
    """The entry point: the model and the server of the environment, the prompt in the language of the document."""
    url, model = os.environ.get("QUIRE_VISION_URL"), os.environ.get("QUIRE_VISION_MODEL")
    if not url or not model:
        missing = " and ".join(
            name for name, value in (("QUIRE_VISION_URL", url), ("QUIRE_VISION_MODEL", model)) if not value
        )
        raise ConfigurationError(
            f"the vision engine needs {missing}: the URL of an OpenAI-compatible server such as "
            "http://127.0.0.1:8000/v1, and the name of a model there (with QUIRE_VISION_KEY if it needs a key)"
        )
    plain = [language.split("-")[0] for language in languages]  # "de-fraktur" gets the German prompt
    supported = [language for language in plain if language in prompts.languages("page")]
    settings = VisionProfile.with_prompts(model, supported[0] if supported else "en", MAX_SIDE[effort])
    return VisionEngine(ModelServer(url, os.environ.get("QUIRE_VISION_KEY") or None, model=CALLED), settings)


def _streamed(partial: Partial | None) -> Callable[[bytes], None] | None:
    """Passes on the text in each chunk of a stream."""
    if partial is None:
        return None
    content, rest = "", b""

    def received(piece: bytes) -> None:
        nonlocal content, rest
        *lines, rest = (rest + piece).split(b"\n")
        added = "".join(text for text, _ in reply.deltas(b"\n".join(lines).decode("utf-8", "replace")))
        if added:
            content += added
            partial(reply.texts_so_far(content))

    return received
