"""The blocks of one page: finds its lines, furniture, tables, figures and fields, and puts them into reading order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from quire.core.encoding import decode_page
from quire.core.guarded_parts import Notes
from quire.core.pagetext import PageText
from quire.core.table_areas import TableOptions
from quire.core.types import (
    Block,
    BlockKind,
    Box,
    Characters,
    LeftOut,
    PageInfo,
    PageResult,
    PageStatus,
)
from quire.pages.geometry.extents import Boxed, has_middle, shared_width
from quire.pages.layout.account import Account, characters_in
from quire.pages.layout.beside import SideText, find_beside
from quire.pages.layout.blocks import BlockMaker, FilledField, PlacedTable, confidence_of
from quire.pages.layout.boxes import FieldGroup, boxed_fields
from quire.pages.layout.bullets import with_bullets
from quire.pages.layout.column_blocks import make_column
from quire.pages.layout.dense import dense_order
from quire.pages.layout.fields import FieldPair, find_fields
from quire.pages.layout.figures import Figure, drawn_figures, find_figures, find_shapes
from quire.pages.layout.formulas.clusters import FormulaCluster, cluster_formulas
from quire.pages.layout.formulas.formula_runs import FormulaRuns
from quire.pages.layout.formulas.seen import seen_formulas
from quire.pages.layout.formulas.zones import FormulaZone, find_zones, join_rows
from quire.pages.layout.frame import Ways, upright
from quire.pages.layout.furniture import find_furniture, is_stamp
from quire.pages.layout.kinds import body_setting
from quire.pages.layout.labels import is_field_table, is_form
from quire.pages.layout.leftwards import in_reading_order, mirrored, with_whole_words
from quire.pages.layout.line_repair import mended
from quire.pages.layout.lines import Line, find_lines, is_right_to_left
from quire.pages.layout.listings import is_typescript
from quire.pages.layout.order import Column, as_written, reading_order
from quire.pages.layout.paragraphs import Paragraph
from quire.pages.layout.patterns import is_page_number, is_rubber_stamp
from quire.pages.layout.quality import Quality, judge
from quire.pages.layout.tables import FoundTable, find_rules, find_tables
from quire.pages.layout.tables.scanned import gutter_through, is_drawing, is_no_table
from quire.pages.layout.tables.strokes import Rules
from quire.pages.layout.tables.table_values import runs_in
from quire.pages.layout.tags import Tags

LEAST_STEADY, MOST_STEADY = 0.75, 1.4  # of the body's size: how much the size of OCR text varies
FORM_FIELDS = 3  # labels with values: a page of short lines with fewer is hardly a form
MARGIN = 0.15  # of the page's height: where artifacts of a tagged file are headers and footers


def page_blocks(text: PageText, quality: Quality | None = None, tables: TableOptions | None = None) -> PageResult:
    """The blocks of a page in reading order, with its ledger entry.

    `quality` is the verdict on its text; `tables` is how the tables of this page are found.
    """
    if text.ready:
        return decode_page(text.ready.encode("utf-8", "replace"), lambda _: text)
    quality = quality or judge(text)
    shown = text if quality.status == "usable" else _fields_alone(text)
    options, notes = tables or TableOptions(), Notes(text.notes)
    made = notes.enriched("layout", lambda: _laid_out(shown, options, notes), None)
    if made is None or (any(notes) and made[1].unaccounted):  # the text of a page is worth more than its structure
        made = _line_by_line(shown, notes)
    blocks, characters = made
    status: PageStatus = "ok" if blocks else "empty"
    info = PageInfo(
        text.number,
        text.width,
        text.height,
        text.rotation,
        status,
        None,
        characters,
        options.describe() or None,
        confidence_of(text, range(len(text.texts))),
    )
    reasons = [characters.describe()] if characters.is_incomplete else []
    if info.doubt:
        reasons.append(info.doubt)
    reasons += notes
    if quality.status != "usable" and quality.reason != "blank":
        status, reasons = "skipped", [f"needs-recognition: {quality.reason}"]
    return PageResult(replace(info, status=status, reason="; ".join(reasons) or None), tuple(blocks))


def _laid_out(shown: PageText, options: TableOptions, notes: Notes) -> tuple[list[Block], Characters]:
    page, ways = upright(shown)
    page = with_whole_words(page)
    account = Account(page)
    return _Page(shown, page, ways, account, options, notes).blocks(), account.total()


def _line_by_line(page: PageText, notes: Notes) -> tuple[list[Block], Characters]:
    """Each line as a paragraph, in the order of the file."""
    account = Account(page)
    maker = BlockMaker(page, page, None, account, Tags(replace(page, tags=())), None, notes)
    for line in find_lines(page, account):
        maker.line(line)
    for field in _fields(page):
        maker.field(field)
    return maker.made, account.total()


def _fields_alone(text: PageText) -> PageText:
    """The result of a page where only the values of its form fields are usable."""
    nothing: tuple[()] = ()
    runs = replace(text, texts=nothing, boxes=nothing, baselines=nothing, sizes=nothing, colors=nothing, fonts=nothing)
    unusable = characters_in("".join(text.texts))
    left_out: dict[LeftOut, int] = {**text.left_out, "unusable": unusable} if unusable else {**text.left_out}
    runs = replace(runs, angles=nothing, mcids=nothing, flags=nothing, links=nothing, tags=nothing, left_out=left_out)
    return replace(runs, rulings=nothing, rects=nothing, rect_colors=nothing, images=nothing, drawings=nothing)


class _Page:
    """A page in progress: finds what is on it, and has its blocks made in order."""

    def __init__(
        self,
        source: PageText,
        page: PageText,
        ways: Ways | None,
        account: Account,
        options: TableOptions,
        notes: Notes,
    ) -> None:
        self.source, self.page, self.ways, self.account, self.options = source, page, ways, account, options
        self.enriched = notes.enriched
        self.tags = self.enriched("tags", lambda: Tags(page), Tags(replace(page, tags=())))
        self.reader = self.enriched("formulas", lambda: _formula_runs(page), None)
        self.maker = BlockMaker(source, page, ways, account, self.tags, self.reader, notes)
        self.meshes: list[Box] = []
        """Of drawings on a scan, which looked like tables."""

    def blocks(self) -> list[Block]:
        page = self.page
        lines = find_lines(page, self.account)
        in_reading_order(page, lines)
        if self.tags:
            self.enriched("tags", lambda: self.tags.mark(lines), None)
        upright_lines = [line for line in lines if not line.angle]
        upright_lines = self.enriched("separated columns", lambda: mended(page, upright_lines), upright_lines)
        lines = [*upright_lines, *(line for line in lines if line.angle)]
        by_hand: list[FoundTable] = []
        by_hand, lines = self.enriched("tables", lambda: self._given_tables(lines), (by_hand, lines))
        seen: list[FormulaZone] = []
        if self.source.formulas:
            formulas = self.source.formulas
            seen, lines = self.enriched(
                "formulas", lambda: seen_formulas(page, lines, formulas, self.ways), (seen, lines)
            )
        upright_lines = [line for line in lines if not line.angle]
        self.maker.typed = is_typescript(upright_lines)
        if self.maker.typed:
            for line in upright_lines:
                line.mono = False
        setting = body_setting(page, upright_lines)
        if 2 * page.invisible > page.chars or page.engine:
            first = page.recognised if page.engine else 0
            _steady([line for line in upright_lines if line.runs[0] >= first], setting.size)
        furniture: dict[int, BlockKind] = {}
        furniture = self.enriched(
            "headers and footers", lambda: self._find_furniture(upright_lines, setting.size), furniture
        )
        body = [line for line in lines if id(line) not in furniture]
        figures: list[Figure] = []
        figures, body = self.enriched("figures", lambda: self._find_figures(body, setting.size), (figures, body))
        backwards = _right_to_left(page)
        tables, forms, beside, body = self._find_tables(body, backwards=backwards)
        tables += by_hand
        if self.meshes:
            drawings: list[Figure] = []
            drawings = self.enriched("figures", lambda: drawn_figures(page, body, self.meshes), drawings)
            body = _without_labels(body, drawings)
            figures = [*(one for one in figures if not _is_in(one, drawings)), *drawings]
        if tables:
            figures = [figure for figure in figures if not _in_table(figure, tables)]
        stamps: list[Line] = []
        if _all_recognised(page):
            body, stamps = self.enriched("stamps", lambda: _without_stamps(body), (body, stamps))
        turned = [line for line in body if line.angle]
        body = [line for line in body if not line.angle]
        body = self.enriched("list markers", lambda: with_bullets(page, body), body)
        form = self.enriched("fields", lambda: is_form(upright_lines), False)
        pairs: list[FieldPair] = []
        inside: list[FieldPair] = []
        if not backwards:
            pairs, body = self.enriched("fields", lambda: find_fields(page, body, form=form), (pairs, body))
            inside = self.enriched(
                "fields", lambda: [pair for text in beside for pair in text.with_fields(page, form=form)], inside
            )
        others = [line for text in beside for line in text.lines]
        for line in [*body, *others]:
            line.mono = line.mono and not self.maker.typed
        if (tables or figures or pairs) and body:
            texts = body_setting(page, [*body, *others, *(line for pair in pairs for line in pair.lines)])
            setting = setting if form and texts.size < setting.size else texts  # not the small print of a form
        fields = [*pairs, *inside, *(pair for group in forms for pair in group.pairs)]
        if form and len(fields) >= FORM_FIELDS:
            labels = Counter((pair.label[0].font, pair.label[0].size) for pair in fields)
            setting = replace(setting, form=True, label=labels.most_common(1)[0][0])
        self.maker.bold = setting.bold
        edge = [line for line in upright_lines if id(line) in furniture]
        self._furniture([line for line in edge if line.top < page.height / 2], furniture)
        for line in turned:
            kind: BlockKind = "header" if is_stamp(line, page.width) else "paragraph"
            self.maker.text(kind, [line], Paragraph([line], Column([line])))
        zones: list[FormulaZone] = []
        if self.reader:
            reader = self.reader
            zones, body = self.enriched(
                "formulas", lambda: find_zones(page, join_rows(reader, body), reader), (zones, body)
            )
        single: list[FormulaCluster | Line] = [*body]
        things: list[Boxed] = [
            *self.enriched("formulas", lambda: cluster_formulas(body), single),
            *zones,
            *seen,
            *pairs,
            *forms,
            *beside,
            *map(PlacedTable, tables),
            *figures,
            *_fields(page),
        ]
        if len(self.maker.alternatives) != len(figures):  # which text belongs to which figure is unknown
            self.maker.alternatives = []
        columns = self.enriched("reading order", lambda: self._in_order(things, backwards=backwards), None)
        if columns is None:
            columns = [Column(things)]
        notes = [note for column in columns for note in make_column(self.maker, column, setting)]
        for note in notes:  # behind the text, which goes on in the next column
            self.maker.text("footnote", note.lines, note)
        for line in stamps:
            self.maker.text("paragraph", [line], Paragraph([line], Column([line])))
        self._furniture([line for line in edge if line.top >= page.height / 2], furniture)
        return self.maker.made

    def _in_order(self, things: list[Boxed], *, backwards: bool) -> Sequence[Column]:
        page, sequence = self.page, _sequence(things, self.tags, self.page)
        dense = (
            dense_order(things, page.rulings, ordered=page.ordered, right_to_left=backwards)
            if _all_recognised(page)
            else []
        )
        if dense:
            return dense
        if _all_recognised(page) and not page.ordered:  # its order adds nothing to the positions
            return reading_order(things, {}, right_to_left=backwards)
        columns = reading_order(things, sequence, right_to_left=backwards)
        return as_written(columns, sequence, right_to_left=backwards, trusted=page.ordered)

    def _find_furniture(self, lines: Sequence[Line], body_size: float) -> dict[int, BlockKind]:
        page = self.page
        found = find_furniture(lines, body_size, (page.width, page.height), page.rulings)
        return _artifacts(self.tags, lines, page.height) | found if self.tags else found

    def _find_figures(self, lines: list[Line], body_size: float) -> tuple[list[Figure], list[Line]]:
        """The figures, and the lines that are not their labels."""
        figures = find_figures(self.page, lines, body_size)
        self.maker.alternatives = self.tags.alternatives() if self.tags else []
        if len(self.maker.alternatives) > len(figures):
            figures += find_shapes(self.page, lines)
        return figures, _without_labels(lines, figures)

    def _find_tables(
        self, lines: list[Line], *, backwards: bool
    ) -> tuple[list[FoundTable], list[FieldGroup], list[SideText], list[Line]]:
        """The tables, those tagged in the file first, the fields in boxes, texts side by side, and the other lines."""
        mode = self.options.mode
        tables: list[FoundTable] = []
        fields: list[FieldGroup] = []
        beside: list[SideText] = []
        if self.tags and mode == "auto":
            upright_lines = [line for line in lines if not line.angle]
            tables = self.enriched("tags", lambda: self.tags.tables(upright_lines), tables)
        lines = _without(self.page, lines, tables) if tables else lines
        rules = self.enriched("ruled lines", lambda: find_rules(self.page), None)
        if rules is None:
            return tables, fields, beside, lines
        fields, lines = self.enriched("fields", lambda: boxed_fields(self.page, lines, rules), (fields, lines))
        if not backwards and not self.page.ordered:
            beside, lines = self.enriched(
                "texts side by side", lambda: find_beside(self.page, lines, rules), (beside, lines)
            )
        more: list[FoundTable] = []
        more = self.enriched("tables", lambda: self._untagged_tables(lines, rules), more)
        return tables + more, fields, beside, _without(self.page, lines, more) if more else lines

    def _untagged_tables(self, lines: list[Line], rules: Rules) -> list[FoundTable]:
        mode = self.options.mode
        more = find_tables(self.page, lines, rules, mode)
        if mode == "auto":
            more = [table for table in more if not self._is_field_table(table)]
        if more and (_all_recognised(self.page) or 2 * self.page.invisible > self.page.chars):
            self.meshes = [table.box for table in more if is_drawing(table)]
            more = [table for table in more if not is_drawing(table)]
        if more and _all_recognised(self.page):
            more = [part for table in more for part in self._apart(table, lines, rules)]
            more = [table for table in more if not is_no_table(self.page, table)]
        return [mirrored(self.page, table) for table in more]

    def _apart(self, table: FoundTable, lines: list[Line], rules: Rules) -> list[FoundTable]:
        """A table on a scan, or those of a sidebar and of the text beside it."""
        middle = gutter_through(self.page, table, lines)
        if middle is None:
            return [table]
        inside = [line for line in lines if table.box.top <= (line.top + line.bottom) / 2 <= table.box.bottom]
        sides = [line for line in inside if line.right < middle], [line for line in inside if line.left > middle]
        return [part for side in sides for part in find_tables(self.page, side, rules, self.options.mode)]

    def _given_tables(self, lines: list[Line]) -> tuple[list[FoundTable], list[Line]]:
        """The tables whose areas are given by hand, and the lines without their text."""
        if not self.options.areas:
            return [], lines
        from quire.pages.layout.tables.by_hand import tables_by_hand  # lazy: few pages have areas

        size = self.source.width, self.source.height
        tables = tables_by_hand(self.page, lines, self.options.areas, size, self.ways.there if self.ways else None)
        return tables, _without(self.page, lines, tables)

    def _is_field_table(self, table: FoundTable) -> bool:
        rows = [[""] * table.columns for _ in range(table.rows)]
        for cell in table.cells:
            rows[cell.row][cell.column] = " ".join([self.page.texts[run] for run in cell.runs])
        return is_field_table(rows)

    def _furniture(self, lines: list[Line], kinds: dict[int, BlockKind]) -> None:
        for line in sorted(lines, key=lambda line: (round(line.baseline), line.left)):
            self.maker.text(kinds[id(line)], [line], Paragraph([line], Column([line])))


def _formula_runs(page: PageText) -> FormulaRuns | None:
    """The runs of a page's formulas; None if it has none."""
    reader = FormulaRuns(page)
    return reader if not _all_recognised(page) and reader.has_formulas() else None


def _steady(lines: list[Line], size: float) -> None:
    """Sizes of OCR text vary from line to line: those near the body's are snapped to it."""
    for line in lines:
        if LEAST_STEADY * size < line.size < MOST_STEADY * size:
            line.size = size


def _is_in(figure: Figure, drawings: Sequence[Figure]) -> bool:
    """Whether a figure is part of a drawing, which then has its labels."""
    for drawing in drawings:
        across = drawing.left - 2 <= figure.left and figure.right <= drawing.right + 2
        if across and drawing.top - 2 <= figure.top and figure.bottom <= drawing.bottom + 2:
            drawing.lines += figure.lines
            return True
    return False


def _without_labels(lines: list[Line], figures: Sequence[Figure]) -> list[Line]:
    labels = {id(line) for figure in figures for line in figure.lines}
    return [line for line in lines if id(line) not in labels]


def _all_recognised(page: PageText) -> bool:
    return bool(page.engine) and page.recognised == 0


def _without_stamps(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """The lines of a scan, and those of rubber stamps, which lie anywhere over the text; the same word beside a number
    is a label."""
    stamps = [
        line
        for line in lines
        if is_rubber_stamp(line.text)
        and not any(
            other is not line and abs(other.baseline - line.baseline) < 0.4 * line.size and other.text[-1:].isdigit()
            for other in lines
        )
    ]
    taken = {id(line) for line in stamps}
    return ([line for line in lines if id(line) not in taken], stamps) if stamps else (lines, [])


def _without(page: PageText, lines: list[Line], tables: list[FoundTable]) -> list[Line]:
    """The lines without the runs that are in tables."""
    taken = runs_in(tables)
    kept: list[Line] = []
    for line in lines:
        if taken.isdisjoint(line.runs):
            kept.append(line)
        elif rest := [run for run in line.runs if run not in taken]:
            kept.append(Line(page, rest, line.tag))
    return kept


def _in_table(figure: Figure, tables: list[FoundTable]) -> bool:
    """Whether a picture without labels is inside a table."""
    return not figure.lines and any(has_middle(table.box, figure) for table in tables)


def _artifacts(tags: Tags, lines: Sequence[Line], height: float) -> dict[int, BlockKind]:
    """Lines in the margins that the file itself marks as artifacts, not part of its text."""
    found: dict[int, BlockKind] = {}
    for line in lines:
        if (line.bottom < MARGIN * height or line.top > (1 - MARGIN) * height) and tags.is_artifact(line):
            edge: BlockKind = "header" if line.bottom < MARGIN * height else "footer"
            found[id(line)] = "page_number" if is_page_number(line.text) else edge
    return found


def _sequence(things: list[Boxed], tags: Tags, page: PageText) -> dict[int, int]:
    """The position of each thing in the structure of the file, or in the file itself.

    A picture, and OCR text from one, comes before the first line below it.
    """
    mixed = bool(page.engine) and page.recognised > 0
    places: dict[int, int] = {}
    for thing in things:
        runs = _runs_of(thing)
        if runs and (not mixed or min(runs) < page.recognised):
            place = tags.place(runs) if tags else None
            places[id(thing)] = 2 * (min(runs) if place is None else place) + 1
    written = [thing for thing in things if id(thing) in places]
    for thing in things:
        if isinstance(thing, FilledField):
            labels = [t for t in written if t.right <= thing.left + 2 and t.top < thing.bottom and t.bottom > thing.top]
            if labels:
                places[id(thing)] = places[id(max(labels, key=lambda t: t.right))] + 1
        if id(thing) not in places:
            below = [places[id(t)] for t in written if t.top >= thing.bottom - 2 and shared_width(t, thing) > 0]
            above = [places[id(t)] for t in written if t.bottom <= thing.top + 2 and shared_width(t, thing) > 0]
            places[id(thing)] = min(below) - 1 if below else max(above, default=-1) + 1
    return places


def _runs_of(thing: Boxed) -> list[int]:
    if isinstance(thing, Line):
        return thing.runs
    if isinstance(thing, FormulaCluster | FormulaZone | FieldPair | SideText):
        return thing.lines[0].runs
    if isinstance(thing, FieldGroup):
        return thing.pairs[0].lines[0].runs
    return [run for cell in thing.table.cells for run in cell.runs] if isinstance(thing, PlacedTable) else []


def _fields(page: PageText) -> list[FilledField]:
    return [FilledField(field) for field in page.fields if field["value"] and field["kind"] != "button"]


def _right_to_left(page: PageText) -> bool:
    """Whether most letters of a page are written from right to left."""
    text = "".join(page.texts)
    if text.isascii():
        return False
    return is_right_to_left(text) and 2 * sum(map(is_right_to_left, text)) > len(text)
