"""Fixtures: documents with a task, the values that are expected of it and, where known, their places."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.hashing import hash_file
from quire.core.keys import Digest, digest_of
from quire.core.types import BBox
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.value_paths import field_of, with_value
from quire.evidence.learn.samples import Sample
from quire.solving.joined_catalog import short_names
from quire.system.atomic_files import output_stem

SCHEMA = "quire-fixture/1"


@dataclass(frozen=True, slots=True)
class ExpectedPlace:
    """Where a value stands: its page and, where known, its box in fractions of the page.

    `document` is the short name of its document where a fixture has several; "" is right in any of them.
    """

    page: int
    bbox: BBox | None = None
    document: str = ""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a value may be from the expected one and still be right.

    Numbers may differ by `absolute`, or by `relative` of the expected one; texts may have a `similarity` below 1;
    `accept` are other values that are right too.
    """

    absolute: float = 0.0
    relative: float = 0.0
    similarity: float = 1.0
    accept: tuple[Json, ...] = ()


EXACT = Tolerance()


@dataclass(frozen=True)
class Fixture:
    """One case of an evaluation. Its paths are those of an extraction: `total`, `items[3].price`."""

    name: str
    family: str
    documents: tuple[Path, ...]
    schema: Mapping[str, Json] | Sequence[str]
    """A JSON Schema, or the names of fields."""
    expected: Json
    task: str = ""
    """What is to be solved; without one the values are extracted."""
    places: Mapping[str, tuple[ExpectedPlace, ...]] = field(default_factory=dict)
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    """By path, with `[]` for every item of a list: `items[].price`."""
    template: Path | None = None
    """A workbook to fill."""
    runners: tuple[str, ...] = ()
    """The runners that solve it, in order; those of the evaluation if none are named."""
    content: Mapping[str, Json] = field(default_factory=dict)
    """The JSON of the fixture, with the text of its task and the digest of its template: all but its documents."""
    digests: tuple[str, ...] | None = None
    """Those of the documents where they are not at hand, as in a replay."""

    @cached_property
    def version(self) -> Digest:
        """The digest of the fixture and of its documents: another expected value is another version."""
        digests = self.digests if self.digests is not None else [hash_file(path).digest for path in self.documents]
        return digest_of([SCHEMA, digest_of(self.content), list(digests)])

    @property
    def document(self) -> Path:
        """The one document. Raises UsageError for a fixture with several."""
        if len(self.documents) != 1:
            raise UsageError(f"{self.name} has {len(self.documents)} documents, and values are extracted of one")
        return self.documents[0]

    def tolerance(self, path: str) -> Tolerance:
        return self.tolerances.get(field_of(path), EXACT)


def load_fixtures(places: Sequence[Path]) -> list[Fixture]:
    """The fixtures of files, and of all `*.fixture.json` below folders, by name.

    Raises UsageError for a file that is not a fixture, naming the place in it, and for two of one name.
    """
    found: dict[str, Fixture] = {}
    for file in _files(places):
        fixture = load_fixture(file)
        if fixture.name in found:
            raise UsageError(f"{file}: a fixture of the name {fixture.name!r} was loaded before")
        found[fixture.name] = fixture
    if not found:
        raise UsageError(f"no fixture in {', '.join(map(str, places))}: a fixture is a file NAME.fixture.json")
    return [found[name] for name in sorted(found)]


def load_fixture(file: Path) -> Fixture:
    """One fixture. Documents are named relative to its file."""
    try:
        given = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"the fixture {file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"the fixture {file} is no JSON: {error}") from error
    try:
        return _with_files(given, file)
    except (OSError, TypeError, LookupError, ValueError, AttributeError) as error:
        raise UsageError(f"{file} is not a fixture: {type(error).__name__}: {error}") from error


def fixture_json(sample: Sample, document: str, family: str = "") -> dict[str, Json]:
    """The fixture of a sample: what people confirmed about a document is what is expected of it."""
    places = {
        path: [{"page": place.page, "box": [box.left, box.top, box.width, box.height]} for box in place.bboxes]
        for path, place in sample.places.items()
        if sample.values.get(path) is not None
    }
    expected: Json = {}
    for path, value in sample.values.items():
        expected = with_value(expected, path, value)
    return {
        "schema_version": SCHEMA,
        "family": family,
        "documents": [document],
        "schema": sample.schema,
        "expected": expected,
        "places": places,
    }


def fixture_files(sample: Sample, name: str, data: bytes) -> dict[str, bytes]:
    """The files of a fixture: the document, and the fixture beside it, both named after the document and the sample."""
    stem = f"{output_stem(name)}-{sample.id[:8]}"
    document = f"{stem}{Path(name).suffix}"
    content = json.dumps(fixture_json(sample, document), indent=1, ensure_ascii=False)
    return {document: data, f"{stem}.fixture.json": f"{content}\n".encode()}


def recorded_fixture(name: str, content: Mapping[str, Any], digests: Sequence[str]) -> Fixture:
    """The fixture that a trace carries, without its files. Raises UsageError for something else."""
    try:
        return replace(_fixture(name, content), digests=tuple(digests))
    except (TypeError, LookupError, ValueError, AttributeError) as error:
        raise UsageError(f"the fixture of the trace of {name} cannot be used: {error}") from error


def _with_files(given: Mapping[str, Any], file: Path) -> Fixture:
    """The fixture of a file, with the files that it names."""
    documents = tuple(file.parent / name for name in given["documents"])
    template = None if given.get("template") is None else file.parent / given["template"]
    if missing := next((path for path in (*documents, *filter(None, [template])) if not path.is_file()), None):
        raise ValueError(f"there is no {'template' if missing == template else 'document'} {missing}")
    content, task = dict(given), given.get("task")
    if isinstance(task, dict):
        content["task"] = (file.parent / task["file"]).read_text("utf-8")
    if template is not None:
        content["template"] = {"name": given["template"], "digest": hash_file(template).digest}
    name = str(given.get("name", file.name.removesuffix(".json").removesuffix(".fixture")))
    return replace(_fixture(name, content), documents=documents, template=template)


def _fixture(name: str, given: Mapping[str, Any]) -> Fixture:
    if given["schema_version"] != SCHEMA:
        raise ValueError(f"its schema is {given['schema_version']!r}, not {SCHEMA}")
    schema = ExtractSchema.of(given["schema"])
    for path in (*given.get("places", {}), *given.get("tolerances", {})):
        if schema.leaf(path) is None:
            raise ValueError(f"the schema has no value {path!r}")
    shorts = short_names(len(given["documents"]))
    places = {path: tuple(_place(one, shorts) for one in listed) for path, listed in given.get("places", {}).items()}
    return Fixture(
        name=name,
        family=str(given.get("family", "")),
        documents=(),
        schema=given["schema"],
        expected=given["expected"],
        task=str(given.get("task", "")),
        places=places,
        tolerances={path: _tolerance(one) for path, one in given.get("tolerances", {}).items()},
        runners=tuple(map(str, given.get("runners", ()))),
        content=given,
    )


def _place(given: Mapping[str, Any], shorts: Sequence[str]) -> ExpectedPlace:
    box, document = given.get("box"), str(given.get("document", ""))
    if document and document not in shorts:
        raise ValueError(f"there is no {document!r} among the documents: they are {', '.join(shorts)}")
    return ExpectedPlace(int(given["page"]), None if box is None else BBox(*map(float, box)), document)


def _tolerance(given: Mapping[str, Any]) -> Tolerance:
    known = {name: float(given[name]) for name in ("absolute", "relative", "similarity") if name in given}
    if unknown := set(given) - {*known, "accept"}:
        raise ValueError(f"a tolerance has no {sorted(unknown)[0]!r}")
    return Tolerance(**known, accept=tuple(given.get("accept", ())))


def _files(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        if place.is_dir():
            yield from sorted(place.rglob("*.fixture.json"))
        else:
            yield place
