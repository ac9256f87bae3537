"""Who lives where: the names that stand above each address of the first page, and whether they are the recipient's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quire.core.types import BBox
from quire.evidence.extract.candidates.candidate import Candidate
from quire.lexicon.addresses import address_marks
from quire.lexicon.companies import has_legal_form, is_slogan
from quire.lexicon.labels import LabelMatcher
from quire.lexicon.phrases import solid
from quire.pages.geometry.extents import share_width

MOST_NAMES = 4  # lines above an address that say whose it is
GAP = 0.9  # of the height of a line: how far apart the lines of a block may be
OVERLAP = 0.3  # of the narrower one: how much the lines of a block share of their width
LABELLED = 0.9
"""The least with which a label says that a block is the recipient's."""
LOWEST = 0.55
"""Of the page: below it stand the addresses of the sender and of banks, and no recipient without a label."""
SHORTEST = 4  # characters of a name that is known again
_SALUTATION = re.compile(
    r"^\W*(?:attn|attention|t\.?\s?a\.?\s?v|z\.?\s?h(?:d|dn)?|à l'attention|a/?a|c\.?\s?a|spett\.?(?:le|\.mo)?|gentile|"
    r"herrn?|frau|firma|fa|mr|mrs|ms|mme|monsieur|madame|se[ñn]or(?:a|es)?|sr|sra|sig\.?(?:ra)?|dhr|mevr|mw|an|to|à|"
    r"de heer|exm[oa]s?)(?!\w)(?P<further>.*)",
    re.IGNORECASE,
)
"""The beginning of lines that address a person, or that stand above the name of the recipient."""

_WORDED = re.compile(r"[^\W\d_]{3}")
STREET = 1.6
"""The least `address_marks` of a line that is a street, and no name above an address."""


@dataclass(frozen=True)
class AddressBlock:
    """An address with the lines above it, the nearest first. `labelled` is how surely a label names its recipient."""

    address: Candidate
    names: tuple[Candidate, ...]
    labelled: float
    greets: bool
    """Whether a salutation begins one of the lines."""

    def is_of(self, name: Candidate) -> bool:
        """Whether one of the lines says a name, or the line of the address does before it."""
        name_text = solid(name.text)
        lines = [solid(one.text) for one in self.names]
        if self.address.before or self.address.origin == "line":  # Weber GmbH · Gartenweg 12 · 89073 Ulm
            lines.append(solid(f"{self.address.before} {self.address.text}"))
        return len(name_text) >= SHORTEST and any(
            name_text in line or (len(line) >= SHORTEST and line in name_text) for line in lines
        )

    def has(self, name: Candidate) -> bool:
        """Whether a name is in one of the lines."""
        return any(name.order == one.order for one in self.names)

    @property
    def is_recipients(self) -> bool:
        """Whether a label or a salutation says that the recipient lives there."""
        return self.labelled >= LABELLED or self.greets


class AddressBlocks:
    """The addresses of a page, each with whose it is."""

    def __init__(self, candidates: Sequence[Candidate], matcher: LabelMatcher, is_title: Callable[[str], bool]) -> None:
        self._matcher = matcher
        self._is_title = is_title
        lines = [one for one in candidates if one.kind in ("name", "text") and one.origin not in ("span", "block")]
        self._first = min((one.bbox.top for one in lines), default=0.0)
        whole: dict[int, Candidate] = {}
        for one in candidates:
            if one.kind == "address" and (one.order not in whole or len(one.text) > len(whole[one.order].text)):
                whole[one.order] = one
        self.all = [self._block(one, lines) for one in whole.values()]

    def of(self, address: Candidate) -> AddressBlock | None:
        """The block that an address is a part of."""
        return next((one for one in self.all if one.address.order == address.order), None)

    def recipient(self, name: Candidate, sender: Candidate | None) -> float:
        """From 0 to 1: how likely a name is the recipient's, who has an address but is not the sender."""
        best = 0.0
        for block in self.all:
            if name not in block.names or address_marks(block.address.text.replace("\n", " ")) < 1:
                continue
            if self._is_part(block) or (sender is not None and block.is_of(sender)):
                continue
            if name.bbox.top > LOWEST or is_slogan(name.text) or any(map(self._heads_bank, block.names)):
                continue
            if (greeting := _SALUTATION.match(name.text)) and (
                len(block.names) > 1 or not _WORDED.search(greeting["further"])
            ):
                continue
            if address_marks(name.text) >= STREET:
                continue
            score = 0.5 + 0.05 * has_legal_form(name.text) + 0.05 * block.greets - 0.1 * name.bbox.top
            best = max(best, score + 0.02 * (name is block.names[-1]))
        return best

    def _heads_bank(self, line: Candidate) -> bool:
        """Whether a line is the head of the details of a bank account."""
        named = self._matcher.names(line.text)
        return max(named.get("bank", 0.0), named.get("iban", 0.0)) >= LABELLED

    def _is_part(self, block: AddressBlock) -> bool:
        """Whether an address is the last lines of another."""
        return any(one.address.text.endswith(f"\n{block.address.text}") for one in self.all)

    def _block(self, address: Candidate, lines: Sequence[Candidate]) -> AddressBlock:
        names: list[Candidate] = []
        at = address.bbox
        height = at.height / (address.text.count("\n") + 1)
        labelled = self._labelled(address)
        while len(names) < MOST_NAMES:
            above = [one for one in lines if _is_above(one, address, at, height)]
            nearest = max(above, key=lambda one: one.bbox.bottom, default=None)
            if nearest is None or (names and address_marks(nearest.text) >= STREET):  # another address
                break
            labelled = max(labelled, self._named(nearest.text), self._labelled(nearest))
            if self._named(nearest.text) >= LABELLED or self._is_title(nearest.text):
                break
            names.append(nearest)
            at = nearest.bbox
        return AddressBlock(address, tuple(names), labelled, any(map(self._greets, names)))

    def _greets(self, name: Candidate) -> bool:
        """Whether a line addresses somebody. The first of a page, and a company, may begin so too: `Mr. Tools Ltd`."""
        is_sender = has_legal_form(name.text) or name.bbox.top <= self._first
        return not is_sender and _SALUTATION.match(name.text) is not None

    def _labelled(self, one: Candidate) -> float:
        return max(self._named(text) for text in (one.left if one.origin == "field" else "", one.above, one.before))

    def _named(self, text: str) -> float:
        named = self._matcher.names(text) if text else {}
        return max(named.get("buyer", 0.0), named.get("ship_to", 0.0))


def _is_above(line: Candidate, address: Candidate, at: BBox, height: float) -> bool:
    if line.page != address.page or line.bbox.top >= at.top:
        return False
    gap = at.top - line.bbox.bottom
    return -0.5 * height <= gap <= GAP * max(height, line.bbox.height) and share_width(line.bbox, at, OVERLAP)
