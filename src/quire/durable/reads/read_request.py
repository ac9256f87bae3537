"""The request of a durable read, as a value that can be serialised: no secrets, no open files."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import cast

from quire.core.context import Json
from quire.core.document import Document
from quire.core.engine import Engine
from quire.core.errors import ConfigurationError
from quire.core.keys import ArtifactKey, Digest, artifact_key, digest_of
from quire.core.media_types import by_name
from quire.core.page_ranges import check_pages
from quire.core.table_areas import TableArea, TableOptions, TablesMode, areas_beside
from quire.pages.recognize.engine_registry import make
from quire.pages.recognize.options import Effort, OcrMode, RecognizeOptions
from quire.reading.messages import ReadArgument, SourceJson
from quire.reading.recognizer import DEFAULT_ENGINES, DEFAULT_FORMULAS
from quire.system.stage_versions import stage_version

PAGE_STAGES = ("native-text", "bundle", "picture", "recognised-text", "structured-blocks", "page-blocks")
"""The stages between the file and the blocks of a page."""
READ_STAGES = (*PAGE_STAGES, "document")


@dataclass(frozen=True, slots=True)
class SourceRef:
    """A document by its id, and its path. `stored`: the store has its bytes, for machines without that path."""

    id: str
    name: str
    path: str
    stored: bool = False
    areas: tuple[TableArea, ...] = ()
    """Areas of tables given by hand for this file."""

    @classmethod
    def from_json(cls, value: SourceJson) -> SourceRef:
        areas = tuple(map(TableArea.of_json, value.get("areas", ())))
        return cls(value["id"], value["name"], value["path"], value.get("stored", False), areas)

    @classmethod
    def of(cls, path: str | Path) -> SourceRef:
        """Hashes the file, and reads the areas beside it."""
        document = Document(path)
        return cls(document.id, document.name, str(Path(path).absolute()), areas=areas_beside(path))

    def to_json(self) -> SourceJson:
        source: SourceJson = {"id": self.id, "name": self.name, "path": self.path, "stored": self.stored}
        return {**source, "areas": [area.to_json() for area in self.areas]} if self.areas else source


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One document and how to read it. `retries` is how often a failed page is retried."""

    source: SourceRef
    pages: str | None = None
    ocr: OcrMode = "auto"
    effort: Effort = "balanced"
    engines: tuple[str, ...] = ()
    lang: tuple[str, ...] = ()
    figures: bool = False
    redactions: bool = False
    tables: TablesMode = "auto"
    areas: tuple[TableArea, ...] = ()
    hints: tuple[str, ...] = ()
    retries: int = field(default=0, compare=False)
    retry_backoff_s: float = field(default=1.0, compare=False)
    scope: str = ""
    """The part of the store that the document is in: that of a tenant."""
    deadline: float = field(default=0.0, compare=False)
    """The time of the wall clock after which no further page is begun; 0 for none."""
    max_pages: int = field(default=0, compare=False)
    """A document with more pages is refused; 0 for no limit."""

    def __post_init__(self) -> None:
        check_pages(self.pages)
        self.options()  # raises for invalid options

    @classmethod
    def from_json(cls, value: ReadArgument) -> ReadRequest:
        options = {name: one for name, one in value.items() if name != "source"}
        return cls.with_options(SourceRef.from_json(value["source"]), options)

    @classmethod
    def with_options(cls, source: SourceRef, options: Mapping[str, Json]) -> ReadRequest:
        """A request with the options of the component `read`, which are JSON."""
        lists = {name: tuple(options[name]) for name in ("engines", "lang", "hints") if name in options}
        areas = tuple(map(TableArea.of_json, options.get("areas", ())))
        return cls(source, **{**options, **lists, "areas": areas})

    def to_json(self) -> ReadArgument:
        areas = [area.to_json() for area in self.areas]
        return cast("ReadArgument", {**asdict(self), "source": self.source.to_json(), "areas": areas})

    def options(self, *, workers: int | None = None) -> RecognizeOptions:
        from quire.pages.recognize.languages import resolve

        return RecognizeOptions(
            self.ocr,
            self.effort,
            self.engines,
            tuple(resolve(language).code for language in self.lang),
            figures=self.figures,
            redactions=self.redactions,
            workers=workers,
            hints=self.hints,
            tables=self._table_options,
        )

    @property
    def _table_options(self) -> TableOptions:
        return TableOptions(self.tables, (*self.areas, *self.source.areas))

    def key(self) -> str:
        """The idempotency key of the read: document, pages, settings, areas, and the versions of the code."""
        named = [self.source.name] if by_name(self.source.name) else []  # the name decides how it is converted
        areas = [area.to_json() for area in self._table_options.areas]
        by_hand = [areas] if areas else []
        return digest_of(
            [self.source.id, self.pages or "", self.settings(), stage_version("document"), *named, *by_hand]
        )

    def settings(self) -> Digest:
        """The digest of what decides how pages are read, but for areas: settings, versions of stages and engine."""
        own = (self.ocr, self.effort, self.engines, self.lang, self.figures, self.redactions, self.tables, self.hints)
        return _settings(*own, self.scope, tuple(map(stage_version, PAGE_STAGES)))

    def engine_parts(self) -> dict[str, str]:
        """The versions of the engines that `settings` covers, by name, so that a change can be explained."""
        engines = _engines(self)
        return {
            **{f"engine {name}": version for name, version, _ in engines},
            **{f"settings of the engine {name}": profile for name, _, profile in engines},
        }

    def page_key(self, page: int, reader: str) -> ArtifactKey:
        """The key of the record of a page, which exists once the page is read."""
        by_hand = self._table_options.key(page)
        return artifact_key("page", "1", (self.source.id, str(page), reader, *by_hand), self.settings())


@lru_cache(maxsize=64)  # called for every page of every document
def _settings(  # noqa: PLR0913 - one argument per setting, so that they are hashed
    ocr: OcrMode,
    effort: Effort,
    engines: tuple[str, ...],
    lang: tuple[str, ...],
    figures: bool,
    redactions: bool,
    tables: TablesMode,
    hints: tuple[str, ...],
    scope: str,
    versions: tuple[Digest, ...],
) -> Digest:
    own = (ocr, effort, engines, lang, figures, redactions, tables, (), hints)
    request = ReadRequest(SourceRef("", "", ""), None, *own, scope=scope)
    kept: dict[str, Json] = {**request.to_json()}
    kept |= {"retries": 0, "retry_backoff_s": 0.0}
    del kept["deadline"], kept["max_pages"], kept["areas"]
    if not request.scope:
        del kept["scope"]  # so that the keys are those from before there were scopes
    return digest_of([kept, versions, _engines(request)])


def _engines(request: ReadRequest) -> list[tuple[str, str, str]]:
    """The requested engines. Without any, the first that is available stands for all: a page that a fallback engine
    read is as good. The one for formulas counts where it is available."""
    if request.engines:
        return [_identity(name, request.effort, request.lang) for name in request.engines]
    found: list[tuple[str, str, str]] = []
    for names in (DEFAULT_ENGINES, (DEFAULT_FORMULAS,)):
        for name in names:
            with suppress(ConfigurationError):  # it was not requested, and most documents need no engine
                found.append(_identity(name, request.effort, request.lang))
                break
    return found


@cache
def _identity(name: str, effort: Effort, languages: tuple[str, ...]) -> tuple[str, str, str]:
    engine: Engine = make(name, effort=effort, languages=languages)
    return name, engine.version, engine.profile.digest()
