"""Extractors made of extractors: they implement the same protocol, so that they can be composed again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from quire.core.errors import ConfigurationError, EngineError
from quire.core.keys import digest_of
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.agreement import is_same, settled
from quire.evidence.extract.extractor import Extractor, PartlyFailed, heard
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.value_paths import field_of, part_of
from quire.evidence.extract.values import LeafEvidence, Proposal

BELOW = 0.6


def fallback(*extractors: Extractor) -> Extractor:
    """The first extractor, and the next one for leaves that it did not find, or that the document does not support."""
    return FallbackExtractor(extractors)


def consensus(*extractors: Extractor) -> Extractor:
    """All of the extractors: those that agree raise the confidence, those that differ are a conflict."""
    return ConsensusExtractor(extractors)


def uncertainty_first(cheap: Extractor, expensive: Extractor, *, below: float = BELOW) -> Extractor:
    """The cheap extractor, and the expensive one for leaves whose confidence is below a figure."""
    return UncertaintyFirstExtractor((cheap, expensive), below)


@dataclass(frozen=True)
class ComposedExtractor(ABC):
    """An extractor made of extractors. Those that fail are named, and what the others propose is kept."""

    verb: ClassVar[str]
    extractors: tuple[Extractor, ...]

    def __post_init__(self) -> None:
        if not self.extractors:
            raise ConfigurationError(f"{self.verb} needs at least one extractor")

    @property
    def settings(self) -> tuple[str, ...]:
        return ()

    @property
    def name(self) -> str:
        return f"{self.verb}({','.join(one.name for one in self.extractors)})"

    @property
    def version(self) -> str:
        return digest_of([self.verb, *self.settings, *([one.name, one.version] for one in self.extractors)])[:12]

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
        """Raises EngineError if none of them answers, and PartlyFailed if one of those that are asked does not."""
        asking = _Asking(catalog)
        found = self._proposed(asking, catalog, schema)
        if asking.failures:
            reason = "; ".join(asking.failures)
            raise PartlyFailed(self.name, reason, found) if asking.answered else EngineError(self.name, reason)
        return found

    @abstractmethod
    def _proposed(self, asking: _Asking, catalog: SourceCatalog, schema: ExtractSchema) -> list[Proposal]: ...


class _Asking:
    """Asks extractors about a document, and remembers which of them fail."""

    def __init__(self, catalog: SourceCatalog) -> None:
        self._catalog = catalog
        self.failures: list[str] = []
        self.answered = False

    def heard(self, extractor: Extractor, schema: ExtractSchema) -> list[Proposal]:
        proposals, reason, error = heard(extractor, self._catalog, schema)
        if reason:
            self.failures.append(f"{extractor.name}: {reason.removeprefix(f'{extractor.name}: ')}")
        self.answered = self.answered or error is None
        return list(proposals)


@dataclass(frozen=True)
class ConsensusExtractor(ComposedExtractor):
    """Asks all extractors. What each says of a path goes on beside what the first says, and is merged as the proposals
    of several extractors are. The rows of a list are those of the extractor that finds most of them."""

    verb = "consensus"

    def _proposed(self, asking: _Asking, catalog: SourceCatalog, schema: ExtractSchema) -> list[Proposal]:
        said = [asking.heard(one, schema) for one in self.extractors]
        longest: dict[str, list[Proposal]] = {}
        for proposals in said:
            for outer, rows in _lists(proposals).items():
                if _row_count(rows) > _row_count(longest.get(outer, ())):
                    longest[outer] = rows
        together: dict[str, Proposal] = {}
        for one in (one for proposals in said for one in proposals if part_of(one.path) not in longest):
            first = together.get(one.path)
            together[one.path] = one if first is None else _beside(first, one)
        return [*together.values(), *(row for rows in longest.values() for row in rows)]


@dataclass(frozen=True)
class FallbackExtractor(ComposedExtractor):
    """Asks one extractor after the other, each for what is still open."""

    verb = "fallback"

    def _proposed(self, asking: _Asking, catalog: SourceCatalog, schema: ExtractSchema) -> list[Proposal]:
        found: list[Proposal] = []
        for extractor in self.extractors:
            wanted = schema.only(self._open(found, catalog, schema))
            if wanted is None:
                break
            found = _better(found, asking.heard(extractor, wanted), catalog, schema)
        return found

    def _open(self, found: Sequence[Proposal], catalog: SourceCatalog, schema: ExtractSchema) -> set[str]:
        """The paths of the leaves that the next one is asked for; all of a list, whose rows cannot be joined."""
        standing: dict[str, list[bool]] = {}
        for one in found:
            plain = _plain(one.path, schema)
            evidence = _evidence(one, catalog, schema)
            standing.setdefault(plain, []).append(evidence is not None and self.is_enough(evidence))
        missing = {leaf.path for leaf in schema.leaves if not all(standing.get(leaf.path, [False]))}
        lists = {part_of(path) for path in missing if "[" in path}
        return missing | {leaf.path for leaf in schema.leaves if part_of(leaf.path) in lists}

    def is_enough(self, evidence: LeafEvidence) -> bool:
        return evidence.supported


@dataclass(frozen=True)
class UncertaintyFirstExtractor(FallbackExtractor):
    """Asks the second extractor for leaves whose confidence after the check is below a figure."""

    below: float = BELOW

    def __post_init__(self) -> None:
        if len(self.extractors) != 2:
            raise ConfigurationError("uncertainty_first needs a cheap extractor and an expensive one")
        if not 0 < self.below <= 1:
            raise ConfigurationError(f"below is {self.below}; choose a confidence above 0, up to 1")

    verb = "uncertainty_first"

    @property
    def settings(self) -> tuple[str, ...]:
        return (str(self.below),)

    def is_enough(self, evidence: LeafEvidence) -> bool:
        return evidence.confidence.get("total", 0.0) >= self.below


def _better(
    first: Sequence[Proposal], second: Sequence[Proposal], catalog: SourceCatalog, schema: ExtractSchema
) -> list[Proposal]:
    """The proposals of two extractors, of which the second was asked for what the first left open."""
    lists, rows = _lists(first), _lists(second)
    for outer, listed in rows.items():
        if outer not in lists or _support(listed, catalog, schema) > _support(lists[outer], catalog, schema):
            lists[outer] = listed
    single = {one.path: one for one in first if part_of(one.path) not in lists}
    for one in second:
        if part_of(one.path) not in lists:
            known = single.get(one.path)
            single[one.path] = one if known is None else _surer(known, one, catalog, schema)
    return [*single.values(), *(row for listed in lists.values() for row in listed)]


def _surer(first: Proposal, second: Proposal, catalog: SourceCatalog, schema: ExtractSchema) -> Proposal:
    """The second if the document supports it, else the first; the other is an alternative, or agrees."""
    leaf = schema.leaf(first.path)
    if is_same(first.value, second.value, leaf.kind if leaf else None):
        return _beside(first, second)
    evidence = _evidence(second, catalog, schema)
    winner, other = (second, first) if evidence is not None and evidence.supported else (first, second)
    beside = (replace(other, alternatives=(), others=()), *other.others, *other.alternatives)
    return replace(winner, alternatives=(*winner.alternatives, *beside))


def _beside(first: Proposal, second: Proposal) -> Proposal:
    return replace(first, others=(*first.others, replace(second, others=()), *second.others))


def _evidence(proposal: Proposal, catalog: SourceCatalog, schema: ExtractSchema) -> LeafEvidence | None:
    leaf = schema.leaf(proposal.path)
    outcome = None if leaf is None else settled(proposal.path, leaf, (proposal,), catalog)[0]
    return None if outcome is None else outcome.evidence


def _support(listed: Sequence[Proposal], catalog: SourceCatalog, schema: ExtractSchema) -> int:
    found = [_evidence(one, catalog, schema) for one in listed]
    return sum(evidence is not None and evidence.supported for evidence in found)


def _plain(path: str, schema: ExtractSchema) -> str:
    """The path in the schema; that of the leaf for one of several values."""
    leaf = schema.leaf(path)
    return field_of(path) if leaf is None else leaf.path


def _lists(proposals: Sequence[Proposal]) -> dict[str, list[Proposal]]:
    found: dict[str, list[Proposal]] = {}
    for one in proposals:
        if "[" in one.path:
            found.setdefault(part_of(one.path), []).append(one)
    return found


def _row_count(rows: Sequence[Proposal]) -> int:
    return len({one.path.partition("]")[0] for one in rows})
