"""What is asked of a durable read, as a value that can be written down: nothing secret, nothing that is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path

from quire import assemble, layout
from quire.context import Json
from quire.document import Document
from quire.engine import Engine
from quire.keys import ArtifactKey, Digest, artifact_key, digest_of
from quire.recognize import looking, placing, structured
from quire.recognize.options import Effort, OcrMode, RecognizeOptions
from quire.recognize.registry import make
from quire.recognizing.recognizer import DEFAULT_ENGINES
from quire.selection import check_pages
from quire.stages import NativeText

VERSIONS = (NativeText.version, layout.VERSION, placing.VERSION, structured.VERSION, looking.VERSION)
"""Of everything between the file and the blocks of a page."""


@dataclass(frozen=True, slots=True)
class SourceRef:
    """A document by its id, and where it lies. `stored`: the store has its bytes, for machines without that path."""

    id: str
    name: str
    path: str
    stored: bool = False

    @classmethod
    def of(cls, path: str | Path) -> SourceRef:
        """Hashes the file."""
        document = Document(path)
        return cls(document.id, document.name, str(Path(path).absolute()))


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One document and how to read it. `retries` is how often a page that failed is tried again."""

    source: SourceRef
    pages: str | None = None
    ocr: OcrMode = "auto"
    profile: Effort = "balanced"
    engines: tuple[str, ...] = ()
    lang: tuple[str, ...] = ()
    figures: bool = False
    redactions: bool = False
    hints: tuple[str, ...] = ()
    retries: int = field(default=0, compare=False)
    retry_backoff_s: float = field(default=1.0, compare=False)

    def __post_init__(self) -> None:
        check_pages(self.pages)
        self.options()  # says what is wrong

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> ReadRequest:
        source = SourceRef(**value["source"])
        lists = {name: tuple(value[name]) for name in ("engines", "lang", "hints") if name in value}
        return cls(**{**value, **lists, "source": source})

    def to_json(self) -> dict[str, Json]:
        return asdict(self)

    def options(self, *, workers: int | None = None) -> RecognizeOptions:
        from quire.recognize.languages import resolve

        return RecognizeOptions(
            self.ocr,
            self.profile,
            self.engines,
            tuple(resolve(language).code for language in self.lang),
            figures=self.figures,
            redactions=self.redactions,
            workers=workers,
            hints=self.hints,
        )

    def key(self) -> str:
        """The identity of the whole: document, pages, settings, and the code that reads."""
        return digest_of([self.source.id, self.pages or "", self.settings(), assemble.VERSION])

    def settings(self) -> Digest:
        """Of everything that decides what is read on a page: settings, versions of the stages, the engine.

        Of the engines that are used when none is named only the first counts: a page that another one read because
        the first could not is as good.
        """
        kept = replace(self, source=SourceRef("", "", ""), pages=None, retries=0, retry_backoff_s=0.0).to_json()
        engines = [_identity(name, self.profile, self.lang) for name in self.engines or DEFAULT_ENGINES[:1]]
        return digest_of([kept, VERSIONS, engines])

    def page_key(self, page: int, reader: str) -> ArtifactKey:
        """The key of the record of a page: is it read?"""
        return artifact_key("page", "1", (self.source.id, str(page), reader), self.settings())


@cache
def _identity(name: str, profile: Effort, languages: tuple[str, ...]) -> tuple[str, str, str]:
    engine: Engine = make(name, profile=profile, languages=languages)
    return name, engine.version, engine.profile.digest()
