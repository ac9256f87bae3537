"""Turns the OCR result into the text of the page: words placed on the displayed page, for the usual layout analysis.

Font sizes come from the heights of lines, ruled lines from the picture. On a page with native text the recognised runs
follow the native ones; words that overlap native text are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from quire.core.engine import ReadLine, Recognition
from quire.core.fonts import FORCE_BOLD, Font
from quire.core.guarded_parts import Notes
from quire.core.median import median
from quire.core.pagetext import LINE, SPACE, FormulaInfo, PageText
from quire.core.types import REDACTED, AnswerSource, BBox, Box, LeftOut, Word
from quire.pages.geometry.extents import area, has_middle, shared_area
from quire.pages.geometry.rows import grouped
from quire.pages.prepare.prepared import Redaction
from quire.pages.recognize.emphasis import bold_words
from quire.pages.recognize.latex import is_balanced
from quire.pages.recognize.routing import unread_letters
from quire.pages.recognize.seen import Seen
from quire.pages.recognize.specks import is_speck
from quire.pages.recognize.structured import lines_of

MARK_HEIGHT = 14.0  # points: a large black box is not large type
SIZE = 0.92  # of the height of a line's box
ASCENT = 0.8  # of the height: position of the baseline
WORD_HEIGHT = 0.8  # of the height of a level line: its words
SAME_ROW = 0.4  # of their height: how far apart the middles of lines in one row may be
ALIKE = 1.6  # heights of lines of one type differ by less
GAP, WIDE_GAP = 0.9, 2.2  # of the size: words further apart may belong, and do belong, to different lines
EVEN = 2.0  # times the usual gap of a line: a wider one separates, in a line of justified text all are wide
WALL = 8  # times the height of a line: a higher rule between two words separates them
FEW_GAPS = 3  # with fewer the usual gap is unknown
SENTENCE, PROSE_WORDS = 2.0, 8  # times as wide may be the gap after a full stop, in a line of that many words
ONE_SIZE = 0.12  # of the usual size: heights of scanned lines of one type differ by less
RIM, MARGIN_SHARE = 0.02, 0.2  # of the page: what touches its edge and lies beside lines is no picture
COVERED = 0.4  # share of a recognised word under native text
LINES, WORDS, WRITTEN = 3, 2.5, 0.15  # of scanned text: lines, words per line, share of the picture covered
LETTERED = 0.6  # of a picture covered by lines: it is large type
STRUCK = 0.2  # of the height of a line: a rule further up is part of its letters
MOSTLY = 0.75  # of a rule inside a line
HARDLY, SURE = 0.2, 0.8  # confidence of an engine for formulas: below the first there is none


@dataclass(slots=True)
class _Runs:
    """The arrays of a `PageText` under construction."""

    texts: list[str] = field(default_factory=list)
    boxes: list[float] = field(default_factory=list)
    baselines: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    angles: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    bold: list[bool] = field(default_factory=list)
    confidences: list[float | None] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    left_out: Counter[LeftOut] = field(default_factory=Counter)


def placed(
    native: PageText,
    seen: Seen,
    readings: Sequence[Recognition],
    *,
    engine: str,
    source: AnswerSource | None = None,
    whole: bool,
    ordered: bool = False,
    formulas: Sequence[Recognition] = (),
) -> PageText:
    """The text of a page from the OCR of its picture: instead of the native text, or in addition to it.

    In addition to native text, pictures full of lines are scanned text; other pictures stay, and the layout makes
    figures of them, with their words. Words that are already on the page are counted in `left_out`.
    """
    lines = [line for reading in readings for line in _lines_of(reading)]
    answers = list(dict.fromkeys(reading.provenance.source for reading in readings))
    others = [answer for answer in answers if answer is not None and answer != source]
    origin = {
        id(line): others.index(reading.provenance.source) + 1
        for reading in readings
        if reading.provenance.source in others
        for line in reading.lines
    }
    notes = Notes((*native.notes, *seen.notes))
    no_pictures: list[float] = []
    shown = notes.enriched("pictures", lambda: _pictures(seen, native, lines), no_pictures) if whole else no_pictures
    base = replace(_emptied(native), images=shown) if whole else native
    ordered = ordered and whole
    rows = [[line] for line in lines] if ordered else _rows(lines)
    feet = {id(line): foot for row in rows for line, foot in zip(row, _feet(row), strict=True)}
    lines = [line for row in rows for line in row]
    taken: dict[LeftOut, list[Box]] = {
        "duplicate": [base.box(run) for run in range(len(base.texts))],
        "redacted": [found.bbox.points((native.width, native.height)) for found in seen.prepared.redactions],
    }
    runs = _Runs()
    nothing: set[int] = set()
    bold = notes.enriched("bold type", lambda: bold_words(lines, seen), nothing)
    if not whole:
        kept, figures = _in_pictures(lines, seen, base)
        runs.left_out["unasked"] = sum(_characters(line.text) for line in lines) - sum(
            _characters(line.text) for line in kept
        )
        lines, base = kept, replace(base, images=figures)
    for line in lines:
        _place(line, feet[id(line)], seen, native, taken, bold, runs)
        runs.origins += [origin.get(id(line), 0)] * (len(runs.texts) - len(runs.origins))
    if whole:
        runs.left_out["unread"] += unread_letters(readings, seen.prepared.size)
    for found in seen.prepared.redactions:
        _mark(found, seen, native, runs)
    runs.origins += [0] * (len(runs.texts) - len(runs.origins))
    runs.sizes = _evened(runs)
    no_formulas: list[FormulaInfo] = []
    in_latex = notes.enriched(
        "formulas", lambda: [found for one in formulas for found in _formulas(one, seen, native)], no_formulas
    )
    count = len(base.texts)
    font = len(base.font_table)
    recognised = len(runs.texts)
    return replace(
        base,
        engine=engine,
        source=source,
        recognised=count,
        ordered=ordered,
        others=others,
        origins=runs.origins if others else (),
        confidences=runs.confidences,
        skew=round(-seen.prepared.skew, 3) if whole else 0.0,
        chars=base.chars + sum(map(len, runs.texts)),
        left_out=dict(Counter(base.left_out) + runs.left_out),
        font_table=[*base.font_table, Font("recognised"), Font("recognised", FORCE_BOLD)],
        texts=[*base.texts, *runs.texts],
        boxes=[*base.boxes, *runs.boxes],
        baselines=[*base.baselines, *runs.baselines],
        sizes=[*base.sizes, *runs.sizes],
        colors=[*base.colors, *[0] * recognised],
        fonts=[*base.fonts, *(font + heavy for heavy in runs.bold)],
        angles=[*base.angles, *runs.angles],
        mcids=[*base.mcids, *[-1] * recognised],
        flags=[*base.flags, *runs.flags],
        rulings=[
            *base.rulings,
            *notes.enriched("ruled lines", lambda: _rulings(seen, native, lines), no_pictures),
        ],
        formulas=in_latex,
        notes=tuple(notes),
    )


def _formulas(reading: Recognition, seen: Seen, page: PageText) -> Iterable[FormulaInfo]:
    """The formulas of a region on the displayed page; those that are hardly one are left out."""
    for block in reading.blocks:
        confidence = 1.0 if block.confidence is None else block.confidence
        if block.kind == "formula" and block.bbox is not None and confidence >= HARDLY and is_balanced(block.text):
            box = seen.prepared.to_page(block.bbox).points((page.width, page.height))
            yield {"box": list(box), "latex": block.text, "unsure": confidence < SURE}


def _lines_of(reading: Recognition) -> Iterable[ReadLine]:
    return reading.lines or (line for block in reading.blocks for line in lines_of(block))


def _rows(lines: Sequence[ReadLine]) -> list[list[ReadLine]]:
    """Lines from top to bottom, those in one row from left to right: each engine has its own order."""

    def joins(row: list[ReadLine], line: ReadLine) -> bool:
        return _middle(line) - _middle(row[0]) < SAME_ROW * min(row[0].bbox.height, line.bbox.height)

    rows = grouped(sorted(lines, key=_middle), joins)
    return [sorted(row, key=lambda line: line.bbox.left) for row in rows]


def _feet(row: Sequence[ReadLine]) -> list[float]:
    """The baseline of each line of a row, as a fraction of the picture: lines of one type in one row share it."""
    return [
        median(_middle(other) + (ASCENT - 0.5) * other.bbox.height for other in row if _alike(line, other))
        for line in row
    ]


def _alike(line: ReadLine, other: ReadLine) -> bool:
    return line.angle == other.angle and 1 / ALIKE < line.bbox.height / other.bbox.height < ALIKE


def _middle(line: ReadLine) -> float:
    return line.bbox.top + line.bbox.height / 2


def _emptied(native: PageText) -> PageText:
    """A page without its text: fields and links stay, its picture and its drawings are replaced by OCR."""
    nothing: tuple[()] = ()
    runs = replace(native, texts=nothing, boxes=nothing, baselines=nothing, sizes=nothing, colors=nothing)
    runs = replace(runs, fonts=nothing, angles=nothing, mcids=nothing, flags=nothing, tags=nothing, font_table=nothing)
    shapes = replace(runs, rulings=nothing, rects=nothing, rect_colors=nothing, images=nothing, drawings=nothing)
    return replace(shapes, chars=0, unmapped=0, invisible=0, lost=0, left_out=replaced(native))


def replaced(native: PageText) -> dict[LeftOut, int]:
    """The characters of the file, on a page that was read by an engine instead; those that it hides stay hidden."""
    drawn = sum(map(len, native.texts)) + sum(native.left_out.values())
    hidden = native.left_out.get("hidden", 0)
    counted: dict[LeftOut, int] = {"replaced": drawn - hidden, "hidden": hidden}
    return {reason: count for reason, count in counted.items() if count}


def _place(
    line: ReadLine,
    foot: float,
    seen: Seen,
    page: PageText,
    taken: Mapping[LeftOut, Sequence[Box]],
    bold: set[int],
    runs: _Runs,
) -> None:
    """Add the words of a line, as runs on the displayed page; those in boxes that are taken, and why, are left out.

    `foot` is the baseline of an upright line.
    """
    size = page.width, page.height
    angle = (line.angle - seen.prepared.turn) % 360
    scale = _scale(seen, page)
    height = _thickness(line, seen, scale)
    begin = True
    before: Word | None = None
    widest = _widest(line, seen, SIZE * height / scale)
    for word in line.words:
        box = seen.prepared.to_page(word.bbox).points(size)
        under = next((reason for reason, boxes in taken.items() if _share_under(box, boxes) > COVERED), None)
        if under is None and is_speck(word, line, seen):
            under = "speck"
        if under is not None:
            runs.left_out[under] += _characters(word.text)
            continue
        apart = before is not None and (
            _gap(before, word, line.angle, seen) > widest * (SENTENCE if _ends_sentence(before, word, line) else 1.0)
            or _is_walled(before, word, line, seen)
        )
        runs.texts.append(word.text.replace("\n", " "))
        runs.boxes += box
        if line.angle:
            runs.baselines.append(_baseline(box, angle, ASCENT * height, height))
        else:
            tall, deep = word.bbox.height, foot - word.bbox.top
            pixels = seen.prepared.size[1] * scale
            runs.baselines.append(_baseline(box, angle, deep * pixels, tall * pixels))
        runs.sizes.append(round(SIZE * height, 2))
        runs.angles.append(angle)
        runs.flags.append((LINE if begin or apart else 0) | SPACE)
        runs.bold.append(id(word) in bold)
        runs.confidences.append(None if word.confidence is None else round(word.confidence, 3))
        begin, before = False, word


def _evened(runs: _Runs) -> list[float]:
    """The sizes, those about the usual one made equal: the height of a line depends on its letters."""
    sizes = sorted(size for size, text in zip(runs.sizes, runs.texts, strict=True) for _ in text)
    if not sizes:
        return runs.sizes
    usual = sizes[len(sizes) // 2]
    return [usual if abs(size - usual) < ONE_SIZE * usual else size for size in runs.sizes]


def _mark(found: Redaction, seen: Seen, page: PageText, runs: _Runs) -> None:
    """A placeholder word for a redaction."""
    box = found.bbox.points((page.width, page.height))
    angle = -seen.prepared.turn % 360
    height = min(box[2] - box[0] if angle % 180 else box[3] - box[1], MARK_HEIGHT)
    runs.texts.append(REDACTED)
    runs.boxes += box
    runs.baselines.append(_baseline(box, angle, ASCENT * height, height))
    runs.sizes.append(round(SIZE * height, 2))
    runs.angles.append(angle)
    runs.flags.append(LINE | SPACE)
    runs.bold.append(False)
    runs.confidences.append(round(found.score, 3))


def _scale(seen: Seen, page: PageText) -> float:
    """Points of the page per pixel of its picture."""
    return page.width / seen.prepared.page[0]


def _thickness(line: ReadLine, seen: Seen, scale: float) -> float:
    """The height of a line across its direction of writing, in points: the box of a slanting line is higher."""
    width, height = seen.prepared.size
    if line.angle % 180:
        return max(1.0, line.bbox.width * width * scale)
    highest = max((word.bbox.height for word in line.words), default=1.0)
    return max(1.0, min(line.bbox.height, highest / WORD_HEIGHT) * height * scale)


def _widest(line: ReadLine, seen: Seen, size: float) -> float:
    """The widest space between words of one line, in pixels."""
    gaps = [_gap(before, word, line.angle, seen) for before, word in pairwise(line.words)]
    usual = median(gaps) if len(gaps) >= FEW_GAPS else 0.0
    return min(max(GAP * size, EVEN * usual), WIDE_GAP * size)


def _ends_sentence(before: Word, word: Word, line: ReadLine) -> bool:
    """Whether a sentence of prose ends between two words: old prints leave a wide space there."""
    ends = before.text.rstrip("\"'”“’»)").endswith((".", "!", "?"))
    return ends and len(line.words) >= PROSE_WORDS and word.text.lstrip("\"'„“‘«(")[:1].isupper()


def _is_walled(before: Word, word: Word, line: ReadLine, seen: Seen) -> bool:
    """Whether an upright rule, much higher than the line, stands between two words of a level line."""
    if line.angle:
        return False
    width, height = seen.prepared.size
    low, high = before.bbox.right - before.bbox.width / 4, word.bbox.left + word.bbox.width / 4
    middle = (line.bbox.top + line.bbox.height / 2) * height
    return any(
        low * width < x0 < high * width and y0 < middle < y1 and y1 - y0 > WALL * line.bbox.height * height
        for x0, y0, x1, y1, _ in seen.rulings
        if x0 == x1
    )


def _gap(before: Word, word: Word, angle: int, seen: Seen) -> float:
    """The space between two words of a line, in pixels."""
    width, height = seen.prepared.size
    if angle % 180:
        return max(word.bbox.top - before.bbox.bottom, before.bbox.top - word.bbox.bottom) * height
    return max(word.bbox.left - before.bbox.right, before.bbox.left - word.bbox.right) * width


def _baseline(box: Box, angle: int, deep: float, height: float) -> float:
    """The baseline of a word on the displayed page: `deep` below its top in the direction of writing."""
    below = deep if angle in (0, 270) else height - deep
    return (box[0] if angle % 180 else box[1]) + below


def _share_under(box: Box, taken: Iterable[Box]) -> float:
    """The share of a box that others cover."""
    return sum(shared_area(box, other) for other in taken) / (area(box) or 1.0)


def _pictures(seen: Seen, page: PageText, lines: Sequence[ReadLine]) -> list[float]:
    """The photographs and drawings of the picture, on the displayed page, without display type."""
    width, height = seen.prepared.size
    written = [line.bbox.points(seen.prepared.size) for line in lines]
    shown = [
        shape
        for shape in seen.pictures
        if _share_under(shape, written) < LETTERED and not _in_margin(shape, written, seen.prepared.size)
    ]
    boxes = [BBox(x0 / width, y0 / height, (x1 - x0) / width, (y1 - y0) / height) for x0, y0, x1, y1 in shown]
    return [value for box in boxes for value in seen.prepared.to_page(box).points((page.width, page.height))]


def _in_margin(
    shape: Box,
    written: Sequence[Box],
    size: tuple[int, int],
) -> bool:
    """Whether a shape at the left or right edge of a page is beside lines: a binding, a shadow, a thumb."""
    left, top, right, bottom = shape
    width = size[0]
    beside = [line for line in written if line[1] < bottom and line[3] > top]
    if not beside or right - left > MARGIN_SHARE * width:
        return False
    if left < RIM * width:
        return all(right <= line[0] for line in beside)
    return right > (1 - RIM) * width and all(left >= line[2] for line in beside)


def _rulings(seen: Seen, page: PageText, lines: Sequence[ReadLine]) -> list[float]:
    """The ruled lines of the picture on the displayed page, without strokes of letters."""
    width, height = seen.prepared.size
    if not lines:
        return []
    written = [line.bbox.points(seen.prepared.size) for line in lines]
    found: list[float] = []
    for x0, y0, x1, y1, thickness in seen.rulings:
        if any(strikes(x0, y0, x1, y1, line) for line in written):
            continue
        box = BBox(x0 / width, y0 / height, (x1 - x0) / width, (y1 - y0) / height)
        left, top, right, bottom = seen.prepared.to_page(box).points((page.width, page.height))
        found += [left, top, right, bottom, thickness * _scale(seen, page)]
    return found


def strikes(x0: float, y0: float, x1: float, y1: float, line: Box) -> bool:
    """Whether a ruled line runs through the letters of a line and hardly beyond it."""
    left, top, right, bottom = line
    if y0 == y1:  # below the letters it underlines them
        inside = top <= y0 < bottom - STRUCK * (bottom - top)
        return inside and min(x1, right) - max(x0, left) > MOSTLY * (x1 - x0)
    return left < x0 < right and min(y1, bottom) - max(y0, top) > MOSTLY * (y1 - y0)


def _characters(text: str) -> int:
    return sum(map(len, text.split()))


def _in_pictures(lines: Sequence[ReadLine], seen: Seen, page: PageText) -> tuple[list[ReadLine], list[float]]:
    """The lines inside the pictures of a page, and those of the pictures that are not scanned text."""
    size = page.width, page.height
    boxes = [seen.prepared.to_page(line.bbox).points(size) for line in lines]
    kept: set[int] = set()
    figures: list[float] = []
    for picture in page.pictures():
        inside = [n for n, box in enumerate(boxes) if has_middle(picture, box)]
        if not _is_text(picture, [lines[n] for n in inside], [boxes[n] for n in inside]):
            figures += picture
        kept.update(inside)
    return [line for n, line in enumerate(lines) if n in kept], figures


def _is_text(picture: Box, lines: Sequence[ReadLine], boxes: Sequence[Box]) -> bool:
    """Whether a picture is scanned text: lines of several words that fill it."""
    written = sum(map(area, boxes))
    words = sum(len(line.words) for line in lines)
    return len(lines) >= LINES and words >= WORDS * len(lines) and written > WRITTEN * area(picture)
