"""The blocks of one page: text quality, tables, figures and lines, reading order, and the kind of each block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from quire.encoding import decode_page
from quire.layout.account import Account, characters_in
from quire.layout.boxes import FieldGroup, boxed_fields
from quire.layout.bullets import with_bullets
from quire.layout.dense import dense_order
from quire.layout.fields import FieldPair, find_fields
from quire.layout.figures import Figure, figure_text, find_figures, find_shapes
from quire.layout.formulas.clusters import FormulaCluster, cluster_formulas
from quire.layout.formulas.inline import InlineFormula, inline_formulas
from quire.layout.formulas.words import FormulaRuns
from quire.layout.formulas.zones import FormulaZone, find_zones, join_rows, zone_latex
from quire.layout.frame import Ways, upright
from quire.layout.furniture import find_furniture, is_stamp
from quire.layout.kinds import TypeSetting, body_setting, kind_of
from quire.layout.labels import is_field_table, is_form
from quire.layout.leftwards import in_reading_order, mirrored, with_whole_words
from quire.layout.lines import Line, find_lines, is_right_to_left
from quire.layout.listings import has_sign_of_code, is_typescript
from quire.layout.mending import mended
from quire.layout.order import Column, as_written, reading_order
from quire.layout.paragraphs import Paragraph, paragraphs
from quire.layout.patterns import WEAK_BULLETS, is_known_heading, is_leader, is_page_number, is_rubber_stamp
from quire.layout.quality import Quality, judge
from quire.layout.run_in import without_title
from quire.layout.tables import FoundTable, find_rules, find_tables
from quire.layout.tables.scanned import gutter_through, is_no_table
from quire.layout.tables.strokes import Rules
from quire.layout.tags import Tags
from quire.layout.textual import PageVocabulary, Text, block_text, cell_text, code_text
from quire.layout.things import Thing
from quire.lazy_words import PageWords
from quire.pagetext import FieldInfo, PageText
from quire.table_areas import TableOptions
from quire.types import (
    NO_BOX,
    AnswerSource,
    BBox,
    Block,
    BlockKind,
    Cell,
    Field,
    LeftOut,
    PageInfo,
    PageResult,
    PageStatus,
    Style,
    Table,
)

LEAST_STEADY, MOST_STEADY = 0.75, 1.4  # of the body's size: how much the size of OCR text varies
_WITHOUT_FORMULAS: frozenset[BlockKind] = frozenset({"header", "footer", "page_number"})
FORM_FIELDS = 3  # labels with values: a page of short lines with fewer is hardly a form
MARGIN = 0.15  # of the page's height: where artifacts of a tagged file are headers and footers


class _Field:
    """A form field with a value, as a thing to be ordered."""

    __slots__ = ("bottom", "field", "left", "right", "top")

    def __init__(self, field: FieldInfo) -> None:
        self.left, self.top, self.right, self.bottom = field["box"]
        self.field = field


class _Grid:
    """A found table, as a thing to be ordered."""

    __slots__ = ("bottom", "left", "right", "table", "top")

    def __init__(self, table: FoundTable) -> None:
        self.left, self.top, self.right, self.bottom = table.box
        self.table = table


def page_blocks(text: PageText, quality: Quality | None = None, tables: TableOptions | None = None) -> PageResult:
    """The blocks of a page in reading order, with its ledger entry.

    `quality` is the verdict on its text; `tables` is how the tables of this page are found.
    """
    if text.ready:
        return decode_page(text.ready.encode("utf-8", "replace"), lambda _: text)
    quality = quality or judge(text)
    shown = text if quality.status == "usable" else _fields_alone(text)
    page, ways = upright(shown)
    page = with_whole_words(page)
    account = Account(page)
    asked = tables or TableOptions()
    blocks = tuple(_Page(shown, page, ways, account, asked).blocks())
    characters = account.total()
    status: PageStatus = "ok" if blocks else "empty"
    info = PageInfo(
        text.number,
        text.width,
        text.height,
        text.rotation,
        status,
        None,
        characters,
        asked.describe() or None,
        _confidence(text, range(len(text.texts))),
    )
    reasons = [characters.describe()] if characters.is_incomplete else []
    if info.doubt:
        reasons.append(info.doubt)
    if quality.status != "usable" and quality.reason != "blank":
        status, reasons = "skipped", [f"needs-recognition: {quality.reason}"]
    return PageResult(replace(info, status=status, reason="; ".join(reasons) or None), blocks)


def _fields_alone(text: PageText) -> PageText:
    """The result of a page where only the values of its form fields are usable."""
    nothing: tuple[()] = ()
    runs = replace(text, texts=nothing, boxes=nothing, baselines=nothing, sizes=nothing, colors=nothing, fonts=nothing)
    unusable = characters_in("".join(text.texts))
    left_out: dict[LeftOut, int] = {**text.left_out, "unusable": unusable} if unusable else {**text.left_out}
    runs = replace(runs, angles=nothing, mcids=nothing, flags=nothing, links=nothing, tags=nothing, left_out=left_out)
    return replace(runs, rulings=nothing, rects=nothing, rect_colors=nothing, images=nothing, drawings=nothing)


class _Page:
    """A page in progress: collects its blocks in order."""

    def __init__(
        self, source: PageText, page: PageText, ways: Ways | None, account: Account, asked: TableOptions
    ) -> None:
        self.source, self.page, self.ways, self.account, self.asked = source, page, ways, account, asked
        self.vocabulary = PageVocabulary(page)
        self.tags = Tags(page)
        self.alternatives: list[str] = []
        self.made: list[Block] = []
        self.notes: list[Paragraph] = []
        self.typed = False
        self.bold = False
        reader = FormulaRuns(page)
        self.reader = reader if not _all_recognised(page) and reader.has_formulas() else None

    def blocks(self) -> list[Block]:
        page = self.page
        lines = find_lines(page, self.account)
        in_reading_order(page, lines)
        if self.tags:
            self.tags.mark(lines)
        upright_lines = mended(page, [line for line in lines if not line.angle])
        given, lines = self._given_tables([*upright_lines, *(line for line in lines if line.angle)])
        upright_lines = [line for line in lines if not line.angle]
        self.typed = is_typescript(upright_lines)
        if self.typed:
            for line in upright_lines:
                line.mono = False
        setting = body_setting(page, upright_lines)
        if 2 * page.invisible > page.chars or page.engine:
            first = page.recognised if page.engine else 0
            _steady([line for line in upright_lines if line.runs[0] >= first], setting.size)
        furniture = find_furniture(upright_lines, setting.size, (page.width, page.height), page.rulings)
        if self.tags:
            furniture = _artifacts(self.tags, upright_lines, page.height) | furniture
        body = [line for line in lines if id(line) not in furniture]
        figures, body = self._find_figures(body, setting.size)
        tables, forms, body = self._find_tables(body)
        tables += given
        if tables:
            figures = [figure for figure in figures if not _in_table(figure, tables)]
        if _all_recognised(page):
            body, stamps = _without_stamps(body)
        else:
            stamps = []
        turned = [line for line in body if line.angle]
        backwards = _right_to_left(page)
        body = with_bullets(page, [line for line in body if not line.angle])
        form = is_form(upright_lines)
        pairs: list[FieldPair] = []
        if not backwards:
            pairs, body = find_fields(page, body, form=form)
        for line in body:
            line.mono = line.mono and not self.typed
        if (tables or figures or pairs) and body:
            texts = body_setting(page, [*body, *(line for pair in pairs for line in pair.lines)])
            setting = setting if form and texts.size < setting.size else texts  # not the small print of a form
        fields = [*pairs, *(pair for group in forms for pair in group.pairs)]
        if form and len(fields) >= FORM_FIELDS:
            labels = Counter((pair.label[0].font, pair.label[0].size) for pair in fields)
            setting = replace(setting, form=True, label=labels.most_common(1)[0][0])
        self.bold = setting.bold
        edge = [line for line in upright_lines if id(line) in furniture]
        self._furniture([line for line in edge if line.top < page.height / 2], furniture)
        for line in turned:
            kind: BlockKind = "header" if is_stamp(line, page.width) else "paragraph"
            self._text(kind, [line], Paragraph([line], Column([line])))
        zones: list[FormulaZone] = []
        if self.reader:
            zones, body = find_zones(page, join_rows(self.reader, body), self.reader)
        things: list[Thing] = [
            *cluster_formulas(body),
            *zones,
            *pairs,
            *forms,
            *map(_Grid, tables),
            *figures,
            *_fields(page),
        ]
        sequence = _sequence(things, self.tags, page)
        if len(self.alternatives) != len(figures):  # which text belongs to which figure is unknown
            self.alternatives = []
        dense = (
            dense_order(things, page.rulings, ordered=page.ordered, right_to_left=backwards)
            if _all_recognised(page)
            else []
        )
        if dense:
            columns = dense
        elif _all_recognised(page) and not page.ordered:  # its order adds nothing to the positions
            columns = reading_order(things, {}, right_to_left=backwards)
        else:
            columns = reading_order(things, sequence, right_to_left=backwards)
            columns = as_written(columns, sequence, right_to_left=backwards, trusted=page.ordered)
        for column in columns:
            self._column(column, setting)
        for note in self.notes:  # behind the text, which goes on in the next column
            self._text("footnote", note.lines, note)
        for line in stamps:
            self._text("paragraph", [line], Paragraph([line], Column([line])))
        self._furniture([line for line in edge if line.top >= page.height / 2], furniture)
        return self.made

    def _find_figures(self, lines: list[Line], body_size: float) -> tuple[list[Figure], list[Line]]:
        """The figures, and the lines that are not their labels."""
        figures = find_figures(self.page, lines, body_size)
        self.alternatives = self.tags.alternatives() if self.tags else []
        if len(self.alternatives) > len(figures):
            figures += find_shapes(self.page, lines)
        labels = {id(line) for figure in figures for line in figure.lines}
        return figures, [line for line in lines if id(line) not in labels]

    def _find_tables(self, lines: list[Line]) -> tuple[list[FoundTable], list[FieldGroup], list[Line]]:
        """The tables, those tagged in the file first, the fields in boxes, and the lines without their text."""
        mode = self.asked.mode
        tagged = self.tags and mode == "auto"
        tables = self.tags.tables([line for line in lines if not line.angle]) if tagged else []
        lines = _without(self.page, lines, tables) if tables else lines
        rules = find_rules(self.page)
        fields, lines = boxed_fields(self.page, lines, rules)
        more = find_tables(self.page, lines, rules, mode)
        if mode == "auto":
            more = [table for table in more if not self._is_field_table(table)]
        if more and _all_recognised(self.page):
            more = [part for table in more for part in self._apart(table, lines, rules)]
            more = [table for table in more if not is_no_table(self.page, table)]
        more = [mirrored(self.page, table) for table in more]
        return tables + more, fields, _without(self.page, lines, more) if more else lines

    def _apart(self, table: FoundTable, lines: list[Line], rules: Rules) -> list[FoundTable]:
        """A table on a scan, or those of a sidebar and of the text beside it."""
        middle = gutter_through(self.page, table, lines)
        if middle is None:
            return [table]
        inside = [line for line in lines if table.box.top <= (line.top + line.bottom) / 2 <= table.box.bottom]
        sides = [line for line in inside if line.right < middle], [line for line in inside if line.left > middle]
        return [part for side in sides for part in find_tables(self.page, side, rules, self.asked.mode)]

    def _given_tables(self, lines: list[Line]) -> tuple[list[FoundTable], list[Line]]:
        """The tables whose areas are given by hand, and the lines without their text."""
        if not self.asked.areas:
            return [], lines
        from quire.layout.tables.by_hand import tables_by_hand  # lazy: few pages have areas

        size = self.source.width, self.source.height
        tables = tables_by_hand(self.page, lines, self.asked.areas, size, self.ways.there if self.ways else None)
        return tables, _without(self.page, lines, tables)

    def _is_field_table(self, table: FoundTable) -> bool:
        rows = [[""] * table.columns for _ in range(table.rows)]
        for cell in table.cells:
            rows[cell.row][cell.column] = " ".join([self.page.texts[run] for run in cell.runs])
        return is_field_table(rows)

    def _furniture(self, lines: list[Line], kinds: dict[int, BlockKind]) -> None:
        for line in sorted(lines, key=lambda line: (round(line.baseline), line.left)):
            self._text(kinds[id(line)], [line], Paragraph([line], Column([line])))

    def _column(self, column: Column, setting: TypeSetting) -> None:
        pending: list[Line] = []
        zones: dict[int, list[FormulaZone]] = {}  # by the number of lines before them
        parts: list[Paragraph | Thing] = []
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
                tagged = self.tags.kind(part.lines) if self.tags else None
                kind, level = tagged or (
                    kind_of(
                        self.page,
                        part,
                        setting,
                        last_of_column=number >= notes,
                        alone=_alone(before, part),
                        below=after if isinstance(after, Paragraph) else None,
                    ),
                    None,
                )
                if kind == "paragraph" and number >= notes and _goes_on(note, part):
                    kind = "footnote"
                if kind in ("paragraph", "footnote") and isinstance(before, Figure) and _below(before, part, setting):
                    kind = "caption"
                note = part if kind == "footnote" else None
                if note:
                    self.notes.append(note)
                    continue
                cut = without_title(self.page, part, setting) if kind == "paragraph" and _alone(before, part) else None
                if cut:
                    self._text("heading", cut[0], part.of(cut[0]))
                    self._text("paragraph", cut[1], part.of(cut[1]))
                else:
                    self._text(kind, part.lines, part, level=level)
            elif isinstance(part, FormulaZone):
                self._formula(part)
            elif isinstance(part, _Grid):
                self._table(part.table)
            elif isinstance(part, Figure):
                self._figure(part)
            elif isinstance(part, FieldPair | FieldGroup):
                for pair in part.pairs if isinstance(part, FieldGroup) else [part]:
                    self._pair(pair)
            elif isinstance(part, _Field):
                self._field(part)

    def _text(self, kind: BlockKind, lines: Sequence[Line], paragraph: Paragraph, *, level: int | None = None) -> None:
        if kind == "code":
            content = Text(code_text(lines), ())
        else:
            mono = all(line.mono for line in lines)
            code = not self.typed and (not mono or any(has_sign_of_code(line.text) for line in lines))
            formulas: Sequence[InlineFormula] = ()
            if self.reader and kind not in _WITHOUT_FORMULAS:
                formulas = inline_formulas(self.reader, lines)
            content = block_text(
                self.page,
                lines,
                self.vocabulary,
                keep_hyphens=kind == "formula",
                code=code,
                bold=not self.bold,
                formulas=formulas,
            )
        runs = [run for line in lines for run in line.runs]
        self.account.place(runs, content.text)
        if not content.text.strip():
            return
        first = lines[0]
        width = paragraph.column_right - paragraph.column_left
        middle = (paragraph.column_left + paragraph.column_right) / 2
        style = Style(
            size=round(max(line.size for line in lines), 2),
            bold=all(line.bold for line in lines),
            italic=all(line.italic for line in lines),
            font=self.page.font_table[first.font].name,
            caps=kind == "heading" and content.text.isupper(),
            turned=bool(first.angle),
            artifact=self.tags.is_artifact(first),
            centered=abs((first.left + first.right) / 2 - middle) < 3 and first.width < 0.9 * width,
        )
        self._add(
            kind,
            paragraph.box,
            content,
            runs,
            marker=paragraph.marker if kind == "list_item" else "",
            level=level,
            style=style,
        )

    def _formula(self, zone: FormulaZone) -> None:
        assert self.reader is not None
        lines = [*zone.lines, zone.number] if zone.number else zone.lines
        runs = [run for line in zone.lines for run in line.runs]
        formula = InlineFormula(runs, 0, zone_latex(self.reader, zone))
        content = block_text(self.page, lines, self.vocabulary, keep_hyphens=True, code=False, formulas=[formula])
        runs = [run for line in lines for run in line.runs]
        self.account.place(runs, content.text)
        first = zone.lines[0]
        style = Style(size=round(max(line.size for line in lines), 2), font=self.page.font_table[first.font].name)
        self._add("formula", (zone.left, zone.top, zone.right, zone.bottom), content, runs, style=style)

    def _table(self, found: FoundTable) -> None:
        cells = []
        texts = self.page.texts
        for cell in found.cells:
            leaders = [run for run in cell.runs if is_leader(texts[run])]
            shown = [run for run in cell.runs if run not in leaders] if leaders else cell.runs
            text = cell_text(self.page, shown, self.vocabulary)
            if leaders:
                self.account.leave_out(leaders, "leader")
            if shown:
                self.account.place(shown, text)
            cells.append(
                Cell(
                    row=cell.row,
                    column=cell.column,
                    text=text,
                    page=self.page.number,
                    bbox=self._bbox(cell.box),
                    row_span=cell.row_span,
                    column_span=cell.column_span,
                    header=cell.header,
                    confidence=_confidence(self.source, cell.runs),
                    source=_source(self.source, cell.runs),
                )
            )
        table = Table(found.rows, found.columns, tuple(sorted(cells, key=lambda c: (c.row, c.column))))
        runs = [run for cell in found.cells for run in cell.runs]
        self._add("table", found.box, Text(table.text, ()), runs, inner=table)

    def _figure(self, figure: Figure) -> None:
        box = (figure.left, figure.top, figure.right, figure.bottom)
        alternative = self.alternatives.pop(0) if self.alternatives else ""
        words = figure_text(figure.lines)
        runs = [run for line in figure.lines for run in line.runs]
        self.account.place(runs, words)
        self._add("figure", box, Text("\n".join(filter(None, (alternative, words))), ()), runs)

    def _field(self, thing: _Field) -> None:
        field = thing.field
        text = f"{field['name']}: {field['value']}" if field["name"] else field["value"]
        box = (thing.left, thing.top, thing.right, thing.bottom)
        named = Field(field["name"], field["value"], value_bbox=self._bbox(box))
        self._add("field", box, Text(text, ()), [], inner=named)

    def _pair(self, pair: FieldPair) -> None:
        """The text is that of the page; weight and slope say what is the label, which the field says itself."""
        label = block_text(self.page, pair.label, self.vocabulary).text
        content = block_text(self.page, pair.value, self.vocabulary) if pair.value else Text("", ())
        before = f"{label}{chr(10) if pair.is_stacked else ' '}" if content.text else label
        plain = (replace(span, bold=False, italic=False) for span in content.spans)
        spans = tuple(
            replace(span, start=span.start + len(before), end=span.end + len(before))
            for span in plain
            if span.link or span.code or span.superscript or span.subscript
        )
        text = before + content.text
        runs = [run for line in pair.lines for run in line.runs]
        self.account.place(runs, text)
        boxes = [self._bbox(_around(lines)) if lines else NO_BOX for lines in (pair.label, pair.value)]
        field = Field(label.rstrip(" :"), content.text, *boxes)
        self._add("field", (pair.left, pair.top, pair.right, pair.bottom), Text(text, spans), runs, inner=field)

    def _add(
        self,
        kind: BlockKind,
        box: tuple[float, float, float, float],
        content: Text,
        runs: list[int],
        *,
        marker: str = "",
        level: int | None = None,
        style: Style | None = None,
        inner: Table | Field | None = None,
    ) -> None:
        source = self.source
        self.made.append(
            Block(
                id=f"p{source.number}-b{len(self.made) + 1}",
                page=source.number,
                kind=kind,
                text=content.text,
                bbox=self._bbox(box),
                level=level,
                marker=marker,
                confidence=_confidence(source, runs),
                engine=source.engine if source.engine and runs and runs[0] >= source.recognised else "native",
                words=PageWords(lambda: source, _ranges(runs), page=source.number),
                spans=content.spans,
                table=inner if isinstance(inner, Table) else None,
                field=inner if isinstance(inner, Field) else None,
                style=style,
                source=_source(source, runs),
            )
        )

    def _bbox(self, box: tuple[float, float, float, float]) -> BBox:
        turned = self.ways.back(*box) if self.ways else box
        return BBox.of_points(turned, (self.source.width, self.source.height))


def _paragraphs_and_formulas(
    column: Column, lines: Sequence[Line], zones: Mapping[int, Sequence[FormulaZone]]
) -> list[Paragraph | Thing]:
    """The paragraphs of the lines, and the formulas between them, which stand after so many lines."""
    parts: list[Paragraph | Thing] = []
    done = 0
    for paragraph in paragraphs(column, lines, [place for place in zones if 0 < place < len(lines)]):
        parts += [*zones.get(done, ()), paragraph]
        done += len(paragraph.lines)
    return [*parts, *zones.get(done, ())]


def _steady(lines: list[Line], size: float) -> None:
    """Sizes of OCR text vary from line to line: those near the body's are snapped to it."""
    for line in lines:
        if LEAST_STEADY * size < line.size < MOST_STEADY * size:
            line.size = size


def _all_recognised(page: PageText) -> bool:
    return bool(page.engine) and page.recognised == 0


def _source(page: PageText, runs: Sequence[int]) -> AnswerSource | None:
    """The engine's answer that any of the runs came from."""
    if page.source is None or not runs or max(runs) < page.recognised:
        return None
    return page.source


def _confidence(page: PageText, runs: Sequence[int]) -> float | None:
    """Mean confidence of the OCR characters among the runs."""
    if not page.engine:
        return None
    known = [(page.confidence(run), len(page.texts[run])) for run in runs]
    parts = [(value, length) for value, length in known if value is not None]
    total = sum(length for _, length in parts)
    return round(sum(value * length for value, length in parts) / total, 3) if total else None


def _ranges(runs: Iterable[int]) -> list[tuple[int, int]]:
    """Runs, in order, as ranges of consecutive ones."""
    ranges: list[tuple[int, int]] = []
    start = end = -1
    for run in runs:
        if run != end:
            if end >= 0:
                ranges.append((start, end))
            start = run
        end = run + 1
    if end >= 0:
        ranges.append((start, end))
    return ranges


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
    taken = {run for table in tables for cell in table.cells for run in cell.runs}
    kept: list[Line] = []
    for line in lines:
        if taken.isdisjoint(line.runs):
            kept.append(line)
        elif rest := [run for run in line.runs if run not in taken]:
            piece = Line(page, rest)
            piece.tag = line.tag
            kept.append(piece)
    return kept


def _in_table(figure: Figure, tables: list[FoundTable]) -> bool:
    """Whether a picture without labels is inside a table."""
    x, y = (figure.left + figure.right) / 2, (figure.top + figure.bottom) / 2
    return not figure.lines and any(t.box.left <= x <= t.box.right and t.box.top <= y <= t.box.bottom for t in tables)


def _artifacts(tags: Tags, lines: Sequence[Line], height: float) -> dict[int, BlockKind]:
    """Lines in the margins that the file itself marks as artifacts, not part of its text."""
    found: dict[int, BlockKind] = {}
    for line in lines:
        if (line.bottom < MARGIN * height or line.top > (1 - MARGIN) * height) and tags.is_artifact(line):
            edge: BlockKind = "header" if line.bottom < MARGIN * height else "footer"
            found[id(line)] = "page_number" if is_page_number(line.text) else edge
    return found


def _sequence(things: list[Thing], tags: Tags, page: PageText) -> dict[int, int]:
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
        if isinstance(thing, _Field):
            labels = [t for t in written if t.right <= thing.left + 2 and t.top < thing.bottom and t.bottom > thing.top]
            if labels:
                places[id(thing)] = places[id(max(labels, key=lambda t: t.right))] + 1
        if id(thing) not in places:
            below = [places[id(t)] for t in written if t.top >= thing.bottom - 2 and _over(t, thing)]
            above = [places[id(t)] for t in written if t.bottom <= thing.top + 2 and _over(t, thing)]
            places[id(thing)] = min(below) - 1 if below else max(above, default=-1) + 1
    return places


def _around(lines: Sequence[Line]) -> tuple[float, float, float, float]:
    """The box of some lines."""
    return (
        min(line.left for line in lines),
        min(line.top for line in lines),
        max(line.right for line in lines),
        max(line.bottom for line in lines),
    )


def _runs_of(thing: Thing) -> list[int]:
    if isinstance(thing, Line):
        return thing.runs
    if isinstance(thing, FormulaCluster | FormulaZone | FieldPair):
        return thing.lines[0].runs
    if isinstance(thing, FieldGroup):
        return thing.pairs[0].lines[0].runs
    return [run for cell in thing.table.cells for run in cell.runs] if isinstance(thing, _Grid) else []


def _over(line: Thing, thing: Thing) -> bool:
    return line.left < thing.right and line.right > thing.left


def _fields(page: PageText) -> list[_Field]:
    return [_Field(field) for field in page.fields if field["value"] and field["kind"] != "button"]


def _unmark_single(parts: Sequence[Paragraph | Thing]) -> None:
    """An asterisk or a dash that begins no other paragraph of its column is the mark of a note, or punctuation."""
    marked = [part for part in parts if isinstance(part, Paragraph) and part.marker in WEAK_BULLETS and part.marker]
    for part in marked:
        if sum(other.marker == part.marker for other in marked) == 1:
            part.marker = ""


def _notes(parts: Sequence[Paragraph | Thing], setting: TypeSetting) -> int:
    """Where the small type at the end of a column begins: its notes, unless a heading such as References is above."""
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


def _alone(before: Paragraph | Thing | None, part: Paragraph) -> bool:
    """Whether a paragraph has white space above it, or is the first of its column."""
    line = part.lines[0]
    if before is None:
        return True
    bottom = before.box[3] if isinstance(before, Paragraph) else before.bottom
    return line.top - bottom > 0.35 * line.size


def _right_to_left(page: PageText) -> bool:
    """Whether most letters of a page are written from right to left."""
    text = "".join(page.texts)
    if text.isascii():
        return False
    return is_right_to_left(text) and 2 * sum(map(is_right_to_left, text)) > len(text)
