"""The model that was learnt from samples, as one JSON file, without their texts but for spellings of at least two."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.keys import Digest, digest_bytes
from quire.core.types import BBox
from quire.evidence.learn.layouts import KnownLayout, LayoutPlace
from quire.evidence.learn.spelling import KnownSpellings
from quire.evidence.learn.written_forms import check_way
from quire.system.atomic_files import write_files

FORMAT = "quire-learned/1"
VERSION = "2"
"""Of the code that learns: raised when the same samples give another model, or a model other values."""
LARGEST = 256 << 20
SUFFIX = ".model"


@dataclass(frozen=True, slots=True)
class LeafScore:
    """The score of a leaf: of `expected` values, `found` were given, of which `right` are right."""

    expected: int = 0
    found: int = 0
    right: int = 0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.expected + self.found) if self.expected + self.found else 1.0

    def __add__(self, other: LeafScore) -> LeafScore:
        return LeafScore(self.expected + other.expected, self.found + other.found, self.right + other.right)


@dataclass(frozen=True, slots=True)
class LearnedLeaf:
    """The part of a model about one leaf. `weights` is empty where the rules were as good in the cross-validation: then
    they decide. `kinds` are those of its values, `way` is how they are written, `spellings` correct what OCR misread.
    """

    path: str
    rules: LeafScore
    learned: LeafScore
    weights: Mapping[int, float] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()
    way: str = "value"
    spellings: KnownSpellings = field(default_factory=KnownSpellings)


@dataclass(frozen=True)
class LearnedModel:
    """A model that was learnt from samples: its leaves, and the layouts that it knows."""

    samples: tuple[Digest, ...]
    leaves: Mapping[str, LearnedLeaf]
    layouts: Sequence[KnownLayout] = field(repr=False)
    documents: tuple[str, ...] = ()
    """The ids of the documents of the samples; empty in models of earlier versions."""

    @cached_property
    def content(self) -> bytes:
        """The file. The same samples, in any order, give the same bytes."""
        tree = {
            "format": FORMAT,
            "version": VERSION,
            "samples": list(self.samples),
            "documents": list(self.documents),
            "leaves": {path: _leaf_json(one) for path, one in sorted(self.leaves.items())},
            "layouts": [_layout_json(one) for one in self.layouts],
        }
        return json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    @cached_property
    def digest(self) -> Digest:
        """The version of the model."""
        return digest_bytes(self.content)

    def save(self, path: Path | str) -> None:
        write_files({Path(path): self.content})

    @classmethod
    def load(cls, path: Path | str) -> LearnedModel:
        """Raises UsageError for a file that cannot be read, or is no model of this version."""
        try:
            with Path(path).open("rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise UsageError(f"the model {path} cannot be read: {error.strerror}") from error
        try:
            return cls.of(json.loads(data))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise UsageError(f"{path} is no model of `quire learn`: {error!r}"[:300]) from error

    @classmethod
    def of(cls, tree: Mapping[str, Any]) -> LearnedModel:
        if tree["format"] != FORMAT or tree["version"] != VERSION:
            raise UsageError(f"the model is of version {tree['version']}, and this is {VERSION}; learn again")
        return cls(
            tuple(tree["samples"]),
            {path: _leaf_of(path, one) for path, one in tree["leaves"].items()},
            [_layout_of(one) for one in tree["layouts"]],
            tuple(tree.get("documents", ())),
        )


def models_of(folder: Path | None, document: str) -> list[Path]:
    """The models below a folder that were learnt from a sample of a document, in order."""
    paths = sorted(folder.rglob(f"*{SUFFIX}")) if folder is not None else []
    return [path for path in paths if path.is_file() and _is_of(path, document)]


def _is_of(path: Path, document: str) -> bool:
    try:
        return document in LearnedModel.load(path).documents
    except UsageError:  # of another version, or damaged
        return False


def _leaf_json(one: LearnedLeaf) -> dict[str, Json]:
    return {
        "rules": [one.rules.expected, one.rules.found, one.rules.right],
        "learned": [one.learned.expected, one.learned.found, one.learned.right],
        "weights": {f"{name:08x}": weight for name, weight in sorted(one.weights.items())},
        "kinds": list(one.kinds),
        "way": one.way,
        "spellings": {
            "values": list(one.spellings.values),
            "words": dict(one.spellings.words),
            "usual": sorted(one.spellings.usual),
        },
    }


def _leaf_of(path: str, tree: Mapping[str, Any]) -> LearnedLeaf:
    return LearnedLeaf(
        path,
        LeafScore(*tree["rules"]),
        LeafScore(*tree["learned"]),
        {int(name, 16): float(weight) for name, weight in tree["weights"].items()},
        tuple(tree["kinds"]),
        check_way(tree["way"]),
        KnownSpellings(
            tuple(tree["spellings"]["values"]),
            tuple(tree["spellings"]["words"].items()),
            frozenset(tree["spellings"]["usual"]),
        ),
    )


def _layout_json(one: KnownLayout) -> dict[str, Json]:
    return {
        "marks": sorted(one.marks),
        "places": {
            path: [place.page, place.box.left, place.box.top, place.box.width, place.box.height, place.label]
            for path, place in sorted(one.places.items())
        },
    }


def _layout_of(tree: Mapping[str, Any]) -> KnownLayout:
    return KnownLayout(
        frozenset(tree["marks"]),
        {path: LayoutPlace(page, BBox(*box), label) for path, (page, *box, label) in tree["places"].items()},
    )
