"""Titles and the levels of headings, from the outline, the numbering and the type over the whole document."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from quire.core.median import median
from quire.core.types import FURNITURE, Block, OutlineEntry
from quire.lexicon.dates import is_date
from quire.pages.assemble.signatures import without_signatures
from quire.pages.layout.patterns import section_depth

MAX_LEVEL = 6
CENTRED = 0.015  # of the page's width: how far the middle of a centred line may be from that of the title
COVER_SIZE = 1.3  # of the size of the text: that of a title alone on a cover, at least
COVER_BLOCK = 200  # characters: a longer block is on no cover
OPENING = 8  # blocks of the first page among which the title is searched
UPPER = 0.4  # of the page: a title begins there, or with little text before it, or on a cover
BEFORE = 150  # characters: with more text before it a line is inside the page
COVER = 700  # characters: a page with more is no cover
BEFORE = 150  # characters: with more text before it a line is inside the page
Look = tuple[float, bool, bool, bool]
"""Size, bold, capitals and upright: the larger ones are higher."""
_PUNCTUATION = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SEVERAL = re.compile(r"\w\.? \w+(?:,|,? (?:and|und|et|y|&)) \w+\.? \w")
_ABSTRACT = re.compile(r"abstract|summary|zusammenfassung|résumé|resumen", re.IGNORECASE)
_COUNTED = re.compile(r"(?:([IVX]+)|([A-Z])|\d{1,2})[.)]\s+\S")
_BETWEEN_NAMES = frozenset(
    ["and", "und", "et", "y", "e", "de", "da", "di", "del", "der", "den", "la", "le", "van", "von"]
)


def level_headings(blocks: Sequence[Block], outline: Sequence[OutlineEntry]) -> list[Block]:
    """Set the levels of headings and the title of the document; false headings become paragraphs."""
    body = _body_size(blocks)
    checked = without_signatures([_checked(block, body) for block in blocks])
    title = _title(checked, body)
    checked = _without_byline(checked, title)
    headings = [block for block in checked if block.kind == "heading" and block.id not in title]
    marks = _outline_levels(outline) or _counted_levels(headings)
    by_look = _levels_by_look(headings, marks)
    done: list[Block] = []
    for block in checked:
        if block.id in title:
            done.append(replace(block, kind="title", level=None))
        elif block.kind == "heading":
            done.append(replace(block, level=_level(block, marks, by_look)))
        else:
            done.append(block)
    return done


def _body_size(blocks: Sequence[Block]) -> float:
    letters: Counter[float] = Counter()
    for block in blocks:
        if block.style and block.kind in ("paragraph", "list_item"):
            letters[round(block.style.size * 2) / 2] += len(block.text)
    return max(letters, key=lambda size: letters[size]) if letters else 10.0


def _checked(block: Block, body: float) -> Block:
    """A heading on a page of small type only looks like one beside the document's own type."""
    style = block.style
    if block.kind != "heading" or style is None:
        return block
    least = 0.85 if style.italic and section_depth(block.text) else 0.9
    if style.size < least * body and not style.bold and not style.caps:
        return replace(block, kind="paragraph")
    return block


def _title(blocks: Sequence[Block], body: float) -> set[str]:
    """The largest heading at the beginning of the first page, when it is clearly larger."""
    if not blocks:
        return set()
    first = blocks[0].page
    opening = [b for b in blocks if b.page == first and b.kind not in FURNITURE][:OPENING]
    candidates = [b for b in opening if b.kind == "heading" and b.style]
    if not candidates:
        return _title_of_cover(opening, blocks, body)
    largest = max(b.style.size for b in candidates if b.style)
    best = next(b for b in candidates if b.style and b.style.size == largest)
    others = [b.style.size for b in blocks if b.kind == "heading" and b.style and b.id != best.id and b.page != first]
    same_page = [b for b in candidates if b.style and b.style.size > 0.97 * largest]
    if largest < 1.15 * body or section_depth(best.text) or len(same_page) > 2:
        return set()
    if others and largest < max(others) * 1.02 and not _is_cover(blocks, best):
        return set()
    before = sum(len(b.text) for b in opening[: opening.index(best)])
    if best.bbox.top > UPPER and before > BEFORE and sum(len(b.text) for b in blocks if b.page == first) > COVER:
        return set()
    return {best.id}


def _title_of_cover(opening: Sequence[Block], blocks: Sequence[Block], body: float) -> set[str]:
    """The first line of a cover, in its middle and large beside the type of the pages behind it."""
    first = opening[0] if opening else None
    if first is None or first.style is None or first.style.size < COVER_SIZE * body or first.kind != "paragraph":
        return set()
    alone = len(first.text) < COVER_BLOCK / 2 and first.style.size > max(
        (b.style.size for b in opening[1:] if b.style), default=0.0
    )
    few = all(len(b.text) < COVER_BLOCK and b.kind == "paragraph" for b in opening) and len(opening) < OPENING
    behind = any(b.page != first.page for b in blocks)
    return {first.id} if alone and few and behind and abs(_middle(first) - 0.5) < 4 * CENTRED else set()


def _is_cover(blocks: Sequence[Block], best: Block) -> bool:
    """Whether the first page is a cover, and a line in its middle is above all others: chapters may be larger."""
    page = [b for b in blocks if b.page == best.page and b.kind not in FURNITURE]
    few = len(page) <= OPENING and all(len(b.text) < COVER_BLOCK and b.kind in ("heading", "paragraph") for b in page)
    return few and page[0].id == best.id and best.style is not None and best.style.centered


def _without_byline(blocks: Sequence[Block], title: set[str]) -> list[Block]:
    """The names of authors below the title, and a date, are text, also where they are set like a heading."""
    done = list(blocks)
    for at, block in enumerate(blocks):
        if block.id in title:
            following = at + 1
            ahead = any(_ABSTRACT.match(b.text) for b in blocks[at + 1 : at + OPENING])
            while (
                following < len(blocks)
                and blocks[following].kind == "heading"
                and (
                    _is_byline(blocks[following], before_abstract=ahead) or _is_imprint(blocks[following:], title=block)
                )
            ):
                done[following] = replace(blocks[following], kind="paragraph", level=None)
                following += 1
    return done


def _is_byline(block: Block, *, before_abstract: bool) -> bool:
    """Names, each word with a capital: with the raised marks of their addresses, or several before an abstract."""
    several = before_abstract and bool(_SEVERAL.search(block.text))
    return _named(block.text) and (several or any(span.superscript for span in block.spans))


def _named(text: str) -> bool:
    words = [word for word in _WORD.findall(text) if word.lower() not in _BETWEEN_NAMES]
    return len(words) >= 2 and all(word[0].isupper() for word in words)


def _is_imprint(blocks: Sequence[Block], title: Block) -> bool:
    """Whether a date, or a name above one, is centred below the middle of the title in plain type."""
    block, style = blocks[0], blocks[0].style
    if style is None or style.bold or abs(_middle(block) - _middle(title)) > CENTRED:
        return False
    if is_date(block.text):
        return True
    return _named(block.text) and any(is_date(b.text) for b in blocks[1:4])


def _counted_levels(headings: Sequence[Block]) -> dict[str, int]:
    """The levels of headings counted in several ways, as in `I.`, `A.`, `1.`: each inside the one that goes on."""
    kinds = [(block, _counting(block.text)) for block in headings]
    order = list(dict.fromkeys(kind for _, kind in kinds if kind))
    if len(order) < 2 or any(section_depth(block.text) not in (None, 1) for block in headings):
        return {}
    places = {kind: [at for at, (_, other) in enumerate(kinds) if other == kind] for kind in order}
    levels: dict[str, int] = {}
    for kind in order:
        first = places[kind][0]
        around = [k for k in order if places[k][0] < first and (k == "roman" or places[k][-1] > first)]
        levels[kind] = 1 + max((levels[k] for k in around), default=0)
    if max(levels.values()) == 1:
        return {}
    return {_name(block.text): levels[kind] for block, kind in kinds if kind}


def _counting(text: str) -> str:
    """The way a heading is counted: in Roman numbers, letters or digits; nothing when it is not."""
    match = _COUNTED.match(text)
    if not match:
        return ""
    return "roman" if match[1] else "letters" if match[2] else "digits"


def _middle(block: Block) -> float:
    return (block.bbox.left + block.bbox.right) / 2


def _outline_levels(outline: Sequence[OutlineEntry]) -> dict[str, int]:
    found: dict[str, int] = {}
    for entry in outline:
        name = _name(entry.title)
        if name and name not in found:
            found[name] = min(entry.level, MAX_LEVEL)
    return found


def _name(text: str) -> str:
    return _PUNCTUATION.sub("", text).lower()


def _look(block: Block) -> Look:
    style = block.style
    return (round(style.size * 2) / 2, style.bold, style.caps, not style.italic) if style else (0.0, False, False, True)


def _levels_by_look(headings: Sequence[Block], marks: dict[str, int]) -> dict[Look, int]:
    """A level for each style: the median of the outline's and numbers' levels, otherwise the rank of the style."""
    stated: dict[Look, list[int]] = defaultdict(list)
    looks = Counter(map(_look, headings))
    for block in headings:
        look = _look(block)
        level = _stated_level(block, marks)
        if level:
            stated[look].append(level)
    levels: dict[Look, int] = {}
    rank = 0
    alike = {look: _in_small_letters(look) for look, count in looks.items() if look[2] and count == 1}
    chance = {look: other for look, other in alike.items() if other in looks}
    for look in sorted(looks.keys() - chance.keys(), reverse=True):
        if look in stated:
            level = round(median(stated[look]))
            rank = max(rank, level)
        else:
            level = min(rank + 1, MAX_LEVEL)
            rank = level
        levels[look] = min(max(level, 1), MAX_LEVEL)
    return levels | {look: levels[other] for look, other in chance.items()}


def _in_small_letters(look: Look) -> Look:
    """The look without the capitals: one heading alone may be written in them by chance, like an abbreviation."""
    size, bold, _, upright = look
    return size, bold, False, upright


def _stated_level(block: Block, marks: dict[str, int]) -> int | None:
    """The level that the outline, the tags or the number of a heading imply."""
    return marks.get(_name(block.text)) or block.level or section_depth(block.text)


def _level(block: Block, marks: dict[str, int], by_look: dict[Look, int]) -> int:
    return min(_stated_level(block, marks) or by_look.get(_look(block), 1), MAX_LEVEL)
