"""The blocks of one column: paragraphs with the kind of each, and what stands between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

from quire.pages.geometry.extents import Boxed
from quire.pages.layout.beside import SideText
from quire.pages.layout.blocks import BlockMaker, FilledField, PlacedTable
from quire.pages.layout.boxes import FieldGroup
from quire.pages.layout.fields import FieldPair
from quire.pages.layout.figures import Figure
from quire.pages.layout.formulas.clusters import FormulaCluster
from quire.pages.layout.formulas.zones import FormulaZone
from quire.pages.layout.kinds import TypeSetting, kind_of
from quire.pages.layout.lines import Line
from quire.pages.layout.order import Column
from quire.pages.layout.paragraphs import Paragraph, paragraphs
from quire.pages.layout.patterns import WEAK_BULLETS, is_known_heading
from quire.pages.layout.run_in import without_title


def make_column(maker: BlockMaker, column: Column, setting: TypeSetting) -> list[Paragraph]:
    """Make the blocks of a column in its order; returns its footnotes, which come later."""
    page, tags = maker.page, maker.tags
    found_notes: list[Paragraph] = []
    pending: list[Line] = []
    zones: dict[int, list[FormulaZone]] = {}  # by the number of lines before them
    parts: list[Paragraph | Boxed] = []
    for thing in column.things:
        if isinstance(thing, Line):
            pending.append(thing)
            continue
        if isinstance(thing, FormulaCluster):
            pending += thing.lines
            continue
        if isinstance(thing, FormulaZone):
            zones.setdefault(len(pending), []).append(thing)
            continue
        parts += _paragraphs_and_formulas(column, pending, zones)
        pending, zones = [], {}
        parts.append(thing)
    parts += _paragraphs_and_formulas(column, pending, zones)
    notes = _notes(parts, setting)
    note: Paragraph | None = None
    _unmark_single(parts)
    for number, part in enumerate(parts):
        if isinstance(part, Paragraph):
            before = parts[number - 1] if number else None
            after = parts[number + 1] if number + 1 < len(parts) else None
            tagged = maker.enriched("tags", partial(tags.kind, part.lines), None) if tags else None
            find_kind = partial(
                kind_of,
                page,
                part,
                setting,
                last_of_column=number >= notes,
                alone=_alone(before, part),
                below=after if isinstance(after, Paragraph) else None,
            )
            kind, level = tagged or (maker.enriched("kinds of blocks", find_kind, "paragraph"), None)
            if kind == "paragraph" and number >= notes and _goes_on(note, part):
                kind = "footnote"
            if kind in ("paragraph", "footnote") and isinstance(before, Figure) and _below(before, part, setting):
                kind = "caption"
            note = part if kind == "footnote" else None
            if note:
                found_notes.append(note)
                continue
            cut = None
            if kind == "paragraph" and _alone(before, part):
                cut = maker.enriched("kinds of blocks", partial(without_title, page, part, setting), None)
            if cut:
                maker.text("heading", cut[0], part.of(cut[0]))
                maker.text("paragraph", cut[1], part.of(cut[1]))
            else:
                maker.text(kind, part.lines, part, level=level)
        elif isinstance(part, FormulaZone):
            maker.formula(part)
        elif isinstance(part, PlacedTable):
            maker.table(part.table)
        elif isinstance(part, Figure):
            maker.figure(part)
        elif isinstance(part, FieldPair | FieldGroup):
            for pair in part.pairs if isinstance(part, FieldGroup) else [part]:
                maker.pair(pair)
        elif isinstance(part, FilledField):
            maker.field(part)
        elif isinstance(part, SideText):
            found_notes += make_column(maker, Column(part.things), setting)
    return found_notes


def _paragraphs_and_formulas(
    column: Column, lines: Sequence[Line], zones: Mapping[int, Sequence[FormulaZone]]
) -> list[Paragraph | Boxed]:
    """The paragraphs of the lines, and the formulas between them, which stand after so many lines."""
    parts: list[Paragraph | Boxed] = []
    done = 0
    for paragraph in paragraphs(column, lines, [place for place in zones if 0 < place < len(lines)]):
        parts += [*zones.get(done, ()), paragraph]
        done += len(paragraph.lines)
    return [*parts, *zones.get(done, ())]


def _unmark_single(parts: Sequence[Paragraph | Boxed]) -> None:
    """An asterisk or a dash that begins no other paragraph of its column is the mark of a note, or punctuation."""
    marked = [part for part in parts if isinstance(part, Paragraph) and part.marker in WEAK_BULLETS and part.marker]
    inside = {id(part) for before, part in pairwise(parts) if _inside_item(before, part)}
    for part in marked:
        if sum(other.marker == part.marker for other in marked) == 1 and id(part) not in inside:
            part.marker = ""


def _inside_item(before: Paragraph | Boxed, part: Paragraph | Boxed) -> bool:
    """Whether a paragraph stands directly below an item, and further right."""
    if not isinstance(before, Paragraph) or not isinstance(part, Paragraph) or not before.marker:
        return False
    return part.lines[0].left > before.lines[0].left + 0.5 * part.lines[0].size


def _notes(parts: Sequence[Paragraph | Boxed], setting: TypeSetting) -> int:
    """The number of the part with which the notes of a column begin: small type at its end, not below References."""
    number = len(parts)
    while number > 0:
        part = parts[number - 1]
        if not isinstance(part, Paragraph) or part.lines[0].size > 0.93 * setting.size:
            break
        number -= 1
    above = parts[number - 1] if number else None
    if isinstance(above, Paragraph) and is_known_heading(above.lines[-1].text.lstrip("0123456789. ")):
        return len(parts)  # references in small type
    return number


def _below(figure: Figure, part: Paragraph, setting: TypeSetting) -> bool:
    """Whether a few lines of small or italic type directly under a figure are its caption."""
    left, top, right, _ = part.box
    first = part.lines[0]
    small = all(line.size < 0.96 * setting.size or line.italic for line in part.lines)
    near = -0.5 * first.size < top - figure.bottom < 1.5 * first.size
    inside = left > figure.left - 2 * first.size and right < figure.right + 2 * first.size
    return small and near and inside and len(part.lines) <= 4 and not part.marker


def _goes_on(note: Paragraph | None, part: Paragraph) -> bool:
    """Whether a paragraph below a footnote is more of it: set in the same size."""
    size = part.lines[0].size
    return note is not None and abs(note.lines[0].size - size) < 0.05 * size


def _alone(before: Paragraph | Boxed | None, part: Paragraph) -> bool:
    """Whether a paragraph has white space above it, or is the first of its column."""
    line = part.lines[0]
    if before is None:
        return True
    bottom = before.box[3] if isinstance(before, Paragraph) else before.bottom
    return line.top - bottom > 0.35 * line.size
