"""The interface of an OCR engine: it reads a picture of a page, or regions of it.

Reading has two steps. `ask` does the expensive work and returns the raw answer as bytes, which the caller saves before
it is interpreted; `interpret` turns an answer into a `Recognition` and is cheap. An engine knows nothing of stores,
retries or other engines.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, get_args

from quire.core.keys import ArtifactKey, Digest, Profile, artifact_key, digest_of
from quire.core.picture import Picture
from quire.core.types import AnswerSource, BBox, BlockKind, GridCell, Region, Table, Word, mean_confidence

Capability = Literal[
    "text",
    "line_boxes",
    "word_boxes",
    "table_structure",
    "table_boxes",
    "handwriting",
    "formulas",
    "orientation",  # reads rotated pages
    "language_detection",
    "streaming",
    "json_output",
    "hints",
    "regions",  # takes several regions of a page in one question
    "reading_order",  # its lines come in reading order
]
CAPABILITIES: tuple[Capability, ...] = get_args(Capability)

Policy = Literal["cpu", "io", "gpu"]
"""The place of an engine: `cpu` and `gpu` engines in worker processes, `io` engines in threads of the parent."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a picture. Boxes of regions are fractions of the picture; no regions: the whole picture.

    `strict` requests the stricter prompt, for pages that are mostly a dense table. `hints` are examples of earlier
    texts of such pages or regions; engines that cannot use them ignore them.
    """

    size: tuple[int, int]
    dpi: float
    languages: tuple[str, ...] = ()
    regions: tuple[Region, ...] = ()
    strict: bool = False
    hints: tuple[str, ...] = ()

    def digest(self) -> Digest:
        regions = [
            [r.id, r.bbox.left, r.bbox.top, r.bbox.width, r.bbox.height, r.role]
            + ([r.polygon, dict(r.attrs)] if r.polygon or r.attrs else [])
            for r in self.regions
        ]
        return digest_of([list(self.languages), regions, self.strict, list(self.hints)])


@dataclass(frozen=True, slots=True)
class ReadLine:
    """One line as an engine read it; boxes are fractions of the picture."""

    text: str
    bbox: BBox
    confidence: float | None = None
    words: tuple[Word, ...] = ()
    angle: int = 0  # direction of writing in the picture: 0, 90, 180 or 270 degrees, clockwise


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """One block from an engine that returns structure. Without a box its position on the page is unknown."""

    kind: BlockKind
    text: str
    bbox: BBox | None = None
    confidence: float | None = None
    level: int | None = None
    table: Table | None = None


Tier = Literal["asked", "exact", "semantic"]
"""The origin of an answer: just asked, found by its exact key, or taken from a similar picture."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of the answer of this read, with the answer; a blank region has none."""

    tier: Tier = "asked"
    source: AnswerSource | None = None

    @property
    def similarity(self) -> float | None:
        """The similarity of the other picture, if the answer was given for one."""
        return self.source.similarity if self.source is not None else None


@dataclass(frozen=True, slots=True)
class Recognition:
    """The reading of one page or region by one engine: lines with words, or blocks if the engine returns structure.

    `region` is the id of the region, None for the whole page. `error` says why nothing could be read here while
    the rest of the page could.
    """

    engine: str
    lines: tuple[ReadLine, ...] = ()
    blocks: tuple[ReadBlock, ...] = ()
    region: str | None = None
    language: str | None = None
    grid: GridCell | None = None
    error: str | None = None
    provenance: Provenance = field(default=Provenance(), compare=False)
    unread: tuple[BBox, ...] = ()
    """Lines that were seen, but of whose letters hardly any was read. `normalize` finds them."""

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.blocks or self.lines if part.text)

    @property
    def confidence(self) -> float | None:
        """Mean over the characters of the parts that have one."""
        return mean_confidence((part.confidence, len(part.text)) for part in self.blocks or self.lines)


Partial = Callable[[str], None]
"""Called with the text read so far, by engines that stream."""


class Costly(Protocol):
    """Something expensive to ask: an engine, an embedder, a language model.

    It may have a `limit_name`: those with the same one share their slots, as two models of one server do. The default
    is its name.
    """

    @property
    def name(self) -> str: ...

    @property
    def policy(self) -> Policy: ...

    @property
    def timeout_s(self) -> float: ...

    @property
    def max_concurrency(self) -> int: ...


class Engine(Costly, Protocol):
    """A light, picklable description of an engine; models are loaded by the first `ask` and kept.

    `ask` runs in a worker process (`cpu`, `gpu`) or in a thread of the parent (`io`), never two at a time on one
    object unless the engine is `io`. It raises EngineError with a reason; other exceptions count the same.
    `ask` and `interpret` may be `async`: each call then runs in a new event loop.

    An engine may also have an `identity`, its name in keys, if not `name`: a model gives the same answers on any
    server.
    """

    @property
    def version(self) -> str:
        """Changed whenever the answer to the same question may change: code, models, program."""
        ...

    @property
    def capabilities(self) -> frozenset[Capability]: ...

    @property
    def languages(self) -> frozenset[str] | None:
        """Codes as in `--lang`, or None for all languages."""
        ...

    @property
    def profile(self) -> Profile:
        """The settings that change the answer: model, prompt, thresholds."""
        ...

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes | Awaitable[bytes]:
        """The raw answer."""
        ...

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition] | Awaitable[Sequence[Recognition]]:
        """One recognition for the whole page, or one for each region, in order. Raises EngineError if invalid."""
        ...


def answer_key(engine: Engine, picture: Digest, question: Question) -> ArtifactKey:
    """The key of an engine's answer: the same question about the same pixels is never asked twice.

    Hints are part of it for engines that use them.
    """
    if question.hints and "hints" not in engine.capabilities:
        question = replace(question, hints=())
    inputs = (picture, identity_of(engine), question.digest())
    return artifact_key("answer", engine.version, inputs, engine.profile.digest())


def identity_of(engine: Engine) -> str:
    """The name of an engine in keys."""
    return str(getattr(engine, "identity", engine.name))


Outcome = Literal["ok", "hit", "failed", "timeout", "crashed", "garbage", "weak", "similar"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to read a page: the engine, the outcome, the reason, and how long it took."""

    engine: str
    outcome: Outcome
    reason: str = ""
    ms: float = 0.0
