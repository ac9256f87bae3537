"""Small changes of a page that change nothing about what it says: its blocks must stay the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from random import Random

from quire.core.fonts import Font, family
from quire.core.pagetext import LINE, PageText
from quire.core.types import Block

STEP = 20.0  # points: how far a page is moved
SCALE = 0.8
WIDER = 8.0  # points
SEED = 22  # of the order in which blocks are shuffled
TYPEFACES = ("Palatino", "Optima", "Univers", "Frutiger", "Minion", "Garamond")

Perturbation = Callable[[PageText, Sequence[Block]], PageText | None]
"""The changed page; None where the change cannot be made."""


def moved_up(text: PageText, blocks: Sequence[Block]) -> PageText | None:
    return _mapped(text, y=lambda y: y - STEP) if _top(text) > STEP else None


def moved_down(text: PageText, blocks: Sequence[Block]) -> PageText | None:
    return _mapped(text, y=lambda y: y + STEP) if _bottom(text) < text.height - STEP else None


def scaled(text: PageText, blocks: Sequence[Block]) -> PageText | None:
    """The page with everything on it at another size."""
    smaller = _mapped(text, x=lambda x: SCALE * x, y=lambda y: SCALE * y)
    thin = [edge * SCALE if at % 5 == 4 else edge for at, edge in enumerate(smaller.rulings)]
    sizes = [SCALE * size for size in text.sizes]
    return replace(smaller, width=SCALE * text.width, height=SCALE * text.height, sizes=sizes, rulings=thin)


def widened_gap(text: PageText, blocks: Sequence[Block]) -> PageText | None:
    """More space between two paragraphs, as near to the middle of the page as such a gap is."""
    paragraphs = [block.bbox for block in blocks if block.kind == "paragraph"]
    gaps = []
    for upper in paragraphs:
        lower = min((box for box in paragraphs if box.top >= upper.bottom), key=lambda box: box.top, default=None)
        if lower is not None:
            gaps.append(text.height * (upper.bottom + lower.top) / 2)
    boxes = [place.bbox for block in blocks for place in block.places]
    filled = [*_heights(text), *((text.height * box.top, text.height * box.bottom) for box in boxes)]
    open_gaps = [gap for gap in gaps if not any(top < gap < bottom for top, bottom in filled)]
    if not open_gaps:
        return None
    gap = min(open_gaps, key=lambda y: abs(y - text.height / 2))
    return replace(_mapped(text, y=lambda y: y + WIDER if y > gap else y), height=text.height + WIDER)


def without_number(text: PageText, blocks: Sequence[Block]) -> PageText | None:
    """The page without the runs of its page number."""
    numbers = [block for block in blocks if block.kind == "page_number"]
    kept = [run for run in range(len(text.texts)) if not any(_is_inside(text, run, block) for block in numbers)]
    if len(kept) == len(text.texts):
        return None
    gone = set(range(len(text.texts))) - set(kept)
    return replace(_with_runs(text, kept), chars=text.chars - sum(len(text.texts[run]) for run in gone))


def blocks_shuffled(text: PageText, blocks: Sequence[Block]) -> PageText | None:
    """The page whose file writes its blocks in an order that no reader follows."""
    groups = _lines_by_block(text, blocks)
    Random(SEED).shuffle(groups)
    return _rewritten(text, groups)


def last_block_first(text: PageText, blocks: Sequence[Block]) -> PageText | None:
    """The page whose file begins with its end, as programs do that draw the footer before the text."""
    groups = _lines_by_block(text, blocks)
    return _rewritten(text, [*groups[-1:], *groups[:-1]])


def written_across(text: PageText, blocks: Sequence[Block]) -> PageText | None:
    """The page whose file writes the lines of its columns in turn, from the top to the bottom."""

    def place(line: list[int]) -> tuple[int, float]:
        return round(text.baselines[line[0]]), text.boxes[4 * line[0]]

    return _rewritten(text, [sorted(_lines(text), key=place)])


def in_other_fonts(text: PageText, blocks: Sequence[Block]) -> PageText | None:
    """Other typefaces in the same styles and widths; those of code and of formulas stay."""
    families = list(dict.fromkeys(family(font.name) for font in text.font_table))
    return replace(text, font_table=[_other(font, families) for font in text.font_table])


PERTURBATIONS: dict[str, Perturbation] = {
    "moved up": moved_up,
    "moved down": moved_down,
    "scaled": scaled,
    "gap widened": widened_gap,
    "without its number": without_number,
    "in other fonts": in_other_fonts,
    "blocks shuffled": blocks_shuffled,
    "last block first": last_block_first,
    "written across": written_across,
}


def _other(font: Font, families: Sequence[str]) -> Font:
    bold, italic, mono, math = font.look
    if mono or math:
        return font
    style = f"{'Bold' if bold else ''}{'Italic' if italic else ''}" or "Regular"
    return font._replace(name=f"{TYPEFACES[families.index(family(font.name)) % len(TYPEFACES)]}-{style}")


def _rewritten(text: PageText, groups: Sequence[Sequence[list[int]]]) -> PageText | None:
    """The page with its lines in another order; None where that is the order of the file."""
    runs = [run for lines in groups for line in lines for run in line]
    return _with_runs(text, runs) if runs != list(range(len(text.texts))) else None


def _lines(text: PageText) -> list[list[int]]:
    """The runs of each line of the file."""
    starts = [run for run, flag in enumerate(text.flags) if flag & LINE]
    return [list(range(a, b)) for a, b in pairwise([0, *starts, len(text.texts)]) if a < b]


def _lines_by_block(text: PageText, blocks: Sequence[Block]) -> list[list[list[int]]]:
    """The lines of each block, in the order of the file; those in no block are a group of their own."""
    groups: dict[int | None, list[list[int]]] = {}
    for line in _lines(text):
        home = next((number for number, block in enumerate(blocks) if _is_inside(text, line[0], block)), None)
        groups.setdefault(home, []).append(line)
    return list(groups.values())


def _is_inside(text: PageText, run: int, block: Block) -> bool:
    left, top, right, bottom = text.box(run)
    x, y = (left + right) / 2 / text.width, (top + bottom) / 2 / text.height
    boxes = [place.bbox for place in block.places]
    return any(box.left <= x <= box.right and box.top <= y <= box.bottom for box in boxes)


def _with_runs(text: PageText, runs: Sequence[int]) -> PageText:
    """The page with these runs alone, in this order."""
    return replace(
        text,
        texts=[text.texts[run] for run in runs],
        boxes=list(chain.from_iterable(text.boxes[4 * run : 4 * run + 4] for run in runs)),
        baselines=[text.baselines[run] for run in runs],
        sizes=[text.sizes[run] for run in runs],
        colors=[text.colors[run] for run in runs],
        fonts=[text.fonts[run] for run in runs],
        angles=[text.angles[run] for run in runs],
        mcids=[text.mcids[run] for run in runs],
        flags=[text.flags[run] for run in runs],
    )


def _mapped(
    text: PageText, x: Callable[[float], float] = lambda x: x, y: Callable[[float], float] = lambda y: y
) -> PageText:
    """The page with each coordinate put elsewhere. Its text is upright."""

    def places(values: Sequence[float], each: int = 4) -> list[float]:
        ways = (x, y, x, y, lambda thickness: thickness)
        return [ways[at % each](value) for at, value in enumerate(values)]

    return replace(
        text,
        boxes=places(text.boxes),
        baselines=[y(value) for value in text.baselines],
        rulings=places(text.rulings, 5),
        rects=places(text.rects),
        images=places(text.images),
        drawings=places(text.drawings),
        links=[{**link, "box": places(link["box"])} for link in text.links],
        fields=[{**field, "box": places(field["box"])} for field in text.fields],
    )


def _heights(text: PageText) -> list[tuple[float, float]]:
    """Top and bottom of everything on the page."""
    boxes = chain(
        *(
            zip(values[1::4], values[3::4], strict=True)
            for values in (text.boxes, text.rects, text.images, text.drawings)
        ),
        zip(text.rulings[1::5], text.rulings[3::5], strict=True),
    )
    return [(min(pair), max(pair)) for pair in boxes]


def _top(text: PageText) -> float:
    return min((top for top, _ in _heights(text)), default=0.0)


def _bottom(text: PageText) -> float:
    return max((bottom for _, bottom in _heights(text)), default=text.height)
