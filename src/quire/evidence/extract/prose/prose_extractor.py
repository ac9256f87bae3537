"""`ProseExtractor`: fields of agreements, from the sentences that state them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from quire.evidence.catalog.block_places import span_places
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.extractor import code_version
from quire.evidence.extract.prose.effective import effective_dates
from quire.evidence.extract.prose.found import FoundInProse
from quire.evidence.extract.prose.governing_law import governing_law
from quire.evidence.extract.prose.parties import parties
from quire.evidence.extract.prose.party_roles import ROLE, holders
from quire.evidence.extract.prose.running_text import RunningText
from quire.evidence.extract.prose.terms import terms_of
from quire.evidence.extract.schema import ExtractSchema, LeafSpec
from quire.evidence.extract.values import Proposal

LEAST_SURE = 0.45
_SEVERAL = 8
_ALTERNATIVES = 5
_STATED: tuple[tuple[re.Pattern[str], Callable[[RunningText], list[FoundInProse]], bool], ...] = (
    (re.compile(r"\b(?:counter)?part(?:y|ies)\b|\bvertragspartei|\bpartie[s]?\b"), parties, True),
    (re.compile(r"\bjurisdiction\b|\bgoverning law\b|\bapplicable law\b|\bgerichtsstand\b"), governing_law, False),
    (
        re.compile(
            r"\beffective date\b|\b(?:agreement|contract|commencement) date\b|"
            r"\bdate of (?:the )?(?:agreement|contract)\b"
        ),
        effective_dates,
        False,
    ),
    (
        re.compile(r"^(?:contract |agreement |the )?(?:term|duration)\b|\bterm of (?:the )?(?:agreement|contract)\b"),
        terms_of,
        False,
    ),
)


class ProseExtractor:
    """Reads the running text; it proposes nothing for a field that it has no sentences for."""

    name = "prose"

    @property
    def version(self) -> str:
        return code_version()

    def propose(self, catalog: SourceCatalog, schema: ExtractSchema) -> Sequence[Proposal]:
        running: RunningText | None = None
        proposed: list[Proposal] = []
        for leaf in schema.leaves:
            finder = _finder(leaf)
            if finder is None or leaf.path.count("[]") > leaf.path.endswith("[]"):
                continue
            running = running or RunningText(catalog.blocks)
            find, several = finder
            proposed += self._proposed(leaf, find(running), running, several=several)
        return proposed

    def _proposed(
        self, leaf: LeafSpec, found: list[FoundInProse], running: RunningText, *, several: bool
    ) -> Iterator[Proposal]:
        sure = [one for one in found if one.confidence >= LEAST_SURE]
        listed = leaf.path.endswith("[]")
        if listed or (several if leaf.several is None else leaf.several):
            path = leaf.path.removesuffix("[]")
            for number, one in enumerate(sure[:_SEVERAL]):
                yield self._proposal(f"{path}[{number}]", one, running)
        elif sure:
            others = [self._proposal(leaf.path, one, running) for one in found[1 : 1 + _ALTERNATIVES]]
            yield self._proposal(leaf.path, sure[0], running, tuple(others))

    def _proposal(
        self, path: str, found: FoundInProse, running: RunningText, alternatives: tuple[Proposal, ...] = ()
    ) -> Proposal:
        start = running.block_at(found.start)
        block = start.block
        span = found.start - start.at, min(found.end - start.at, len(block.text))
        return Proposal(
            path,
            found.value,
            (block.id,),
            block.text[slice(*span)],
            found.confidence,
            self.name,
            span_places(block, span),
            alternatives=alternatives,
        )


def is_stated(leaf: LeafSpec) -> bool:
    """Whether a leaf asks for something that sentences of agreements state."""
    return _finder(leaf) is not None


def _finder(leaf: LeafSpec) -> tuple[Callable[[RunningText], list[FoundInProse]], bool] | None:
    names = [re.sub(r"[\W_]+", " ", text).casefold().strip() for text in (leaf.name, leaf.title, *leaf.aliases)]
    for pattern, find, several in _STATED:
        if any(pattern.search(name) for name in names if name):
            return find, several
    if leaf.type == "string" and (role := next(filter(None, map(ROLE.search, names)), None)):
        return partial(holders, role=role["role"]), False
    return None
