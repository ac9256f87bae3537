"""Extracts: every extractor proposes, every proposal is checked, and what they say is put together in one tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from quire.core.context import Json
from quire.core.errors import EngineError, UsageError
from quire.core.page_ranges import selection
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.agreement import settled
from quire.evidence.extract.calibration import probability_of
from quire.evidence.extract.extractor import Extractor, heard
from quire.evidence.extract.naming.plurals import rows_asked
from quire.evidence.extract.schema import ExtractSchema, LeafSpec, ListSpec, SchemaNode
from quire.evidence.extract.value_paths import field_of
from quire.evidence.extract.values import (
    EvidenceConflict,
    Extraction,
    ExtractorFailure,
    LeafEvidence,
    Missing,
    Proposal,
)

_INDEX = re.compile(r"\[(\d+)\]")


def extract(
    catalog: SourceCatalog, schema: ExtractSchema, extractors: Sequence[Extractor], *, min_confidence: float = 0.0
) -> Extraction:
    """The values of a document by a schema, each with its evidence.

    A value with less than `min_confidence` counts as not found, and stays among the alternatives. An extractor that
    fails is named in `failures`, and the values of the others are kept; when all of them fail, the error of the first
    is raised.
    """
    if not extractors:
        raise UsageError("no extractor is named")
    if not 0 <= min_confidence <= 1:
        raise UsageError(f"the least confidence is {min_confidence}; choose from 0 to 1")
    said, failures = _proposed(catalog, schema, extractors)
    filling = _Filling(catalog, said, min_confidence)
    values = filling.filled(schema.root, "", "", said)
    return Extraction(
        document=catalog.document,
        name=catalog.name,
        schema=schema.digest,
        catalog=catalog.version,
        values=values,
        evidence=filling.evidence,
        conflicts=tuple(filling.conflicts),
        not_found=tuple(filling.not_found),
        extractors=tuple(f"{one.name} {one.version}" for one in extractors),
        failures=tuple(failures),
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """The proposals of one extractor by path, and the positions that its paths have below each list."""

    extractor: str
    proposals: Mapping[str, Proposal]
    indices: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, extractor: str, proposals: Iterable[Proposal]) -> _Said:
        by_path: dict[str, Proposal] = {}
        indices: dict[str, set[int]] = {}
        for one in proposals:
            by_path.setdefault(one.path, one)
            for found in _INDEX.finditer(one.path):
                indices.setdefault(one.path[: found.start()], set()).add(int(found[1]))
        return cls(extractor, by_path, {path: sorted(numbers) for path, numbers in indices.items()})


def _proposed(
    catalog: SourceCatalog, schema: ExtractSchema, extractors: Sequence[Extractor]
) -> tuple[list[_Said], list[ExtractorFailure]]:
    known = {leaf.path for leaf in schema.leaves}
    said: list[_Said] = []
    failures: list[ExtractorFailure] = []
    first: Exception | None = None
    for extractor in extractors:
        proposals, reason, error = heard(extractor, catalog, schema)
        if reason:
            failures.append(ExtractorFailure(extractor.name, reason))
        if error is not None:
            first = first or error
            continue
        strange = [one.path for one in proposals if not _is_known(one.path, known)]
        if strange:
            reason = f"proposed a value for {strange[0][:80]!r}, which the schema does not have"
            failures.append(ExtractorFailure(extractor.name, reason))
        said.append(_Said.of(extractor.name, (one for one in proposals if _is_known(one.path, known))))
    if first is not None and not said:
        raise first if isinstance(first, EngineError) else EngineError(failures[0].extractor, failures[0].reason)
    return said, failures


def _is_known(path: str, known: set[str]) -> bool:
    """Whether the schema has the path; a leaf that is no list may have several values."""
    plain = field_of(path)
    return plain in known or plain.removesuffix("[]") in known


class _Filling:
    """Fills the tree of the schema, and collects the evidence, the conflicts and what is missing on the way."""

    def __init__(self, catalog: SourceCatalog, said: Sequence[_Said], min_confidence: float) -> None:
        self._catalog, self._least = catalog, min_confidence
        self._searched = tuple(page.number for page in catalog.pages if page.status in ("ok", "empty"))
        unread = [page.number for page in catalog.pages if page.status not in ("ok", "empty")]
        self._unread = f"; page{'' if len(unread) == 1 else 's'} {selection(unread)} could not be read"
        self._unread = self._unread if unread else ""
        self._names = ", ".join(one.extractor for one in said)
        self.evidence: dict[str, LeafEvidence] = {}
        self.conflicts: list[EvidenceConflict] = []
        self.not_found: list[Missing] = []

    def filled(self, node: SchemaNode, given: str, path: str, said: Sequence[_Said]) -> Json:
        """The value of a node. `given` is its path in the proposals, `path` the one in the result, where the indices
        of a list have no gaps."""
        if isinstance(node, LeafSpec):
            return self._leaf(node, given, path, said)
        if isinstance(node, ListSpec):
            teller = _longest(given, said)
            if teller is None:
                self._missing(path, f"no row of the list was found ({self._names})")
                return []
            return [
                self.filled(node.items, f"{given}[{index}]", f"{path}[{at}]", [teller])
                for at, index in enumerate(teller.indices[given])
            ]
        return {
            name: self.filled(child, f"{given}.{name}" if given else name, f"{path}.{name}" if path else name, said)
            for name, child in node.properties.items()
        }

    def _leaf(self, leaf: LeafSpec, given: str, path: str, said: Sequence[_Said]) -> Json:
        teller = _longest(given, said)
        if leaf.several is False and teller is not None:
            return self._one(leaf, f"{given}[{teller.indices[given][0]}]", path, said)
        if teller is not None:
            listed = [
                self._one(leaf, f"{given}[{index}]", f"{path}[{at}]", [teller])
                for at, index in enumerate(teller.indices[given])
            ]
            return [one for one in listed if one is not None]
        if leaf.several and any(given in one.proposals for one in said):
            single = self._one(leaf, given, f"{path}[0]", said)
            return [] if single is None else [single]
        return self._one(leaf, given, path, said)

    def _one(self, leaf: LeafSpec, given: str, path: str, said: Sequence[_Said]) -> Json:
        proposed = [one.proposals[given] for one in said if given in one.proposals]
        outcome, unfit = settled(path, leaf, proposed, self._catalog)
        if outcome is None:
            self._missing(path, unfit[0] if unfit else f"{self._nothing(leaf)} ({self._names})")
            return None
        evidence = outcome.evidence
        confidence = evidence.confidence.get("total", 1.0)
        if confidence < self._least:
            reason = f"{_shown(outcome.value)} has a confidence of {confidence:.2f}, less than {self._least:g}"
            self._missing(path, reason, replace(evidence, status="not_found", reason=reason))
            return None
        if outcome.conflict is not None:
            self.conflicts.append(outcome.conflict)
        self.evidence[path] = replace(evidence, probability=probability_of(outcome.value, evidence))
        return outcome.value

    def _nothing(self, leaf: LeafSpec) -> str:
        if rows_asked(leaf):
            return "it asks for the rows of a table, and no table with such a column was found"
        return "no value was found"

    def _missing(self, path: str, reason: str, evidence: LeafEvidence | None = None) -> None:
        whole = reason + self._unread
        self.evidence[path] = evidence or LeafEvidence(path, "not_found", reason=whole)
        self.not_found.append(Missing(path, self._searched, whole))


def _longest(path: str, said: Sequence[_Said]) -> _Said | None:
    """The extractor that proposes the most items of a list, the first of those: two lists cannot be told apart row by
    row, so one extractor says all of it."""
    best = max(said, key=lambda one: len(one.indices.get(path, ())), default=None)
    return best if best is not None and path in best.indices else None


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
