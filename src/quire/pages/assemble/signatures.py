"""Names and companies in the signatures of a letter, a contract or a statement, which are set like headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.core.types import FURNITURE, Block

NEAR = 3  # blocks before and after a signature, with its date, its place and what the person is
SIGNS = 2  # of them show that somebody signs here
LONG = 100  # characters: a paragraph below makes a heading of a name
LONGEST = 60  # characters of names
_MARK = re.compile(r"/\s*s\s*/|by\s*:\s*/", re.IGNORECASE)
_ROLE = (
    r"(?:(?:vice|senior|chief|executive|non-?executive|financial|operating|managing|whole-?time|general|company|joint"
    r"|deputy|independent|lead|finance|and|&|,)\s*)*"
    r"(?:directors?|chair(?:man|woman|person)?|president|officer|secretary|treasurer|partner|auditors?|trustee|manager"
    r"|(?:chartered )?accountants?|witness|registrant|geschäftsführer(?:in)?|vorstand|prokurist|gérant|président)"
)
_SIGN = re.compile(
    r"(?:by|name|title|date|dated|place|signed|signature|its|print name|authori[sz]ed signat\w+)\b.{0,60}\Z"
    rf"|\(?{_ROLE}\)?(?:\W.{{0,40}})?\Z|for (?:and on behalf of\b|(?-i:[A-Z])).{{0,80}}"
    r"|(?:yours |very )?(?:sincerely|truly|faithfully|kind regards|best regards|mit freundlichen grüßen)\b.{0,20}\Z"
    r"|in witness whereof|/\s*s\s*/",
    re.IGNORECASE,
)
_NAMES = re.compile(r"(?:(?:[A-ZÀ-Þ][\w'’.-]*|and|&|de|of|van|von|der|la)[,.]?\s+)*[A-ZÀ-Þ][\w'’.-]*[,.]?\Z")
_NO_NAME = re.compile(
    r"signatures?|certificat\w+|exhibits?|contents|notes?|annex\w*|appendix|schedule\b", re.IGNORECASE
)


def without_signatures(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, where headings that are part of a signature are paragraphs."""
    return [
        replace(block, kind="paragraph", level=None) if block.kind == "heading" and _is_signature(blocks, at) else block
        for at, block in enumerate(blocks)
    ]


def _is_signature(blocks: Sequence[Block], at: int) -> bool:
    block = blocks[at]
    text = " ".join(block.text.split())
    if _MARK.match(text):
        return True
    if len(text) > LONGEST or any(map(str.isdigit, text)) or _NO_NAME.match(text) or not _NAMES.match(text):
        return False
    before = [other for other in blocks[max(0, at - NEAR) : at] if _beside(block, other)]
    after = [other for other in blocks[at + 1 : at + 1 + NEAR] if _beside(block, other)]
    if not after or (len(after[0].text) > LONG and not _shows(after[0])):
        return False
    return sum(map(_shows, before + after)) >= SIGNS and any(map(_shows, after))


def _beside(block: Block, other: Block) -> bool:
    return other.page == block.page and other.kind not in FURNITURE


def _shows(block: Block) -> bool:
    """Whether a block is a part of a signature: the mark of a hand, a date, a place, a role or a closing."""
    return bool(_SIGN.match(block.text))
