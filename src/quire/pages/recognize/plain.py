"""An engine from a function that reads a picture."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from quire.core.affine import Affine
from quire.core.engine import Capability, Partial, Policy, Question, ReadBlock, ReadLine, Recognition
from quire.core.errors import EngineError
from quire.core.keys import Profile
from quire.core.picture import Picture
from quire.pages.recognize.codec import decode_recognitions, encode_recognitions
from quire.pages.recognize.frames import placed
from quire.pages.recognize.normalize import WHOLE_PAGE, normalize
from quire.system.awaited import settled

Reading = str | Sequence[ReadLine] | Sequence[Recognition]
Reader = Callable[[Picture, Question], Reading | Awaitable[Reading]]
"""Returns the plain text, the lines, or the recognitions of a picture. It may be `async`."""


@dataclass(frozen=True, slots=True)
class FunctionProfile(Profile):
    function: str


PART = Question((1, 1), 72.0)


@dataclass(frozen=True)
class FunctionEngine:
    """Calls the function with the whole picture, or with each cropped region unless it takes `regions` itself."""

    name: str
    function: Reader
    version: str = "1"
    capabilities: frozenset[Capability] = frozenset({"text"})
    policy: Policy = "cpu"
    timeout_s: float = 60.0
    max_concurrency: int = 1
    languages: frozenset[str] | None = None

    @property
    def profile(self) -> FunctionProfile:
        """Identifies the function: two engines of the same name share no answers."""
        function = self.function
        named = (
            f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__qualname__)}"
        )
        return FunctionProfile(named)

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        if not question.regions or "regions" in self.capabilities:
            return encode_recognitions(self._read(picture, question))
        read = []
        for region in question.regions:
            if region.role != "blank":
                cut = picture.crop(region.bbox)
                [whole] = normalize(self._read(cut, replace(question, size=cut.size, regions=())), PART)
                read.append(replace(placed(whole, Affine.into(region.bbox)), region=region.id))
        return encode_recognitions(read)

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        return normalize(decode_recognitions(answer, engine=self.name), question, engine=self.name)

    def _read(self, picture: Picture, question: Question) -> list[Recognition]:
        returned = settled(self.function(picture, question))
        if isinstance(returned, str):
            return [Recognition(self.name, blocks=(ReadBlock("paragraph", returned, WHOLE_PAGE),))]
        lines = tuple(part for part in returned if isinstance(part, ReadLine))
        recognitions = [part for part in returned if isinstance(part, Recognition)]
        if len(lines) + len(recognitions) != len(returned) or (lines and recognitions):
            raise EngineError(self.name, "the function returned neither text, lines nor recognitions")
        return recognitions or [Recognition(self.name, lines)]


def from_function(
    name: str,
    function: Reader,
    *,
    version: str = "1",
    capabilities: Iterable[Capability] = ("text",),
    policy: Policy = "cpu",
    timeout_s: float = 60.0,
    max_concurrency: int = 1,
    languages: Iterable[str] | None = None,
) -> FunctionEngine:
    """An engine that calls `function(picture, question)`.

    A `cpu` engine runs in a worker process: its function must be importable there, so no lambda. Change `version`
    whenever the function may return something else.
    """
    spoken = None if languages is None else frozenset(languages)
    return FunctionEngine(name, function, version, frozenset(capabilities), policy, timeout_s, max_concurrency, spoken)
