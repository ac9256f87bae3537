"""Makes the blocks of a page: text, formulas, tables, figures and fields, each with its box and its source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from quire.core.guarded_parts import Notes
from quire.core.lazy_words import PageWords
from quire.core.pagetext import FieldInfo, PageText
from quire.core.types import (
    NO_BOX,
    AnswerSource,
    BBox,
    Block,
    BlockKind,
    Cell,
    Field,
    Style,
    Table,
    mean_confidence,
)
from quire.pages.geometry.extents import box_of
from quire.pages.layout.account import Account
from quire.pages.layout.fields import FieldPair
from quire.pages.layout.figures import Figure, figure_text
from quire.pages.layout.formulas.formula_runs import FormulaRuns
from quire.pages.layout.formulas.inline import InlineFormula, inline_formulas
from quire.pages.layout.formulas.zones import FormulaZone, zone_latex
from quire.pages.layout.frame import Ways
from quire.pages.layout.lines import Line
from quire.pages.layout.listings import has_sign_of_code
from quire.pages.layout.order import Column
from quire.pages.layout.paragraphs import Paragraph
from quire.pages.layout.patterns import is_leader
from quire.pages.layout.tables import FoundTable
from quire.pages.layout.tags import Tags
from quire.pages.layout.textual import PageVocabulary, Text, block_text, cell_text, code_text

_WITHOUT_FORMULAS: frozenset[BlockKind] = frozenset({"header", "footer", "page_number"})


class FilledField:
    """A form field with a value, as a thing to be ordered."""

    __slots__ = ("bottom", "field", "left", "right", "top")

    def __init__(self, field: FieldInfo) -> None:
        self.left, self.top, self.right, self.bottom = field["box"]
        self.field = field


class PlacedTable:
    """A found table, as a thing to be ordered."""

    __slots__ = ("bottom", "left", "right", "table", "top")

    def __init__(self, table: FoundTable) -> None:
        self.left, self.top, self.right, self.bottom = table.box
        self.table = table


class BlockMaker:
    """Makes the blocks of a page one after the other, and accounts for their characters."""

    def __init__(
        self,
        source: PageText,
        page: PageText,
        ways: Ways | None,
        account: Account,
        tags: Tags,
        reader: FormulaRuns | None,
        notes: Notes,
    ) -> None:
        self.enriched = notes.enriched
        self.source, self.page, self.ways, self.account, self.tags = source, page, ways, account, tags
        self.vocabulary = PageVocabulary(page)
        self.alternatives: list[str] = []
        self.made: list[Block] = []
        self.typed = False
        self.bold = False
        self.reader = reader

    def text(self, kind: BlockKind, lines: Sequence[Line], paragraph: Paragraph, *, level: int | None = None) -> None:
        if kind == "code":
            content = Text(code_text(lines), ())
        else:
            mono = all(line.mono for line in lines)
            code = not self.typed and (not mono or any(has_sign_of_code(line.text) for line in lines))
            formulas: Sequence[InlineFormula] = ()
            if self.reader and kind not in _WITHOUT_FORMULAS:
                reader = self.reader
                formulas = self.enriched("formulas", lambda: inline_formulas(reader, lines), formulas)
            keep, bold = kind == "formula", not self.bold
            content = self._written(lines, keep_hyphens=keep, code=code, bold=bold, formulas=formulas)
        runs = [run for line in lines for run in line.runs]
        self.account.place(runs, content.text)
        if not content.text.strip():
            return
        first = lines[0]
        width = paragraph.column_right - paragraph.column_left
        middle = (paragraph.column_left + paragraph.column_right) / 2
        caps = kind == "heading" and content.text.isupper()
        style = Style(
            size=round(max([self.page.sizes[run] for run in runs] if caps else [line.size for line in lines]), 2),
            bold=all(line.bold for line in lines),
            italic=all(line.italic for line in lines),
            font=self.page.font_table[first.font].name,
            caps=caps,
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

    def line(self, line: Line) -> None:
        """A line as it is, where the page could not be analysed."""
        self.account.place(line.runs, line.text)
        self._add("paragraph", (line.left, line.top, line.right, line.bottom), Text(line.text, ()), line.runs)

    def formula(self, zone: FormulaZone) -> None:
        lines = [*zone.lines, zone.number] if zone.number else zone.lines
        runs = [run for line in zone.lines for run in line.runs]
        parsed = zone.parsed
        if parsed is None:
            assert self.reader is not None
            reader = self.reader
            parsed = self.enriched("formulas", lambda: zone_latex(reader, zone), None)
        if parsed is None:
            self.text("formula", lines, Paragraph(lines, Column([*lines])))
            return
        formula = InlineFormula(runs, 0, parsed)
        content = self._written(lines, keep_hyphens=True, code=False, formulas=[formula])
        runs = [run for line in lines for run in line.runs]
        self.account.place(runs, content.text)
        first = zone.lines[0]
        style = Style(size=round(max(line.size for line in lines), 2), font=self.page.font_table[first.font].name)
        self._add("formula", (zone.left, zone.top, zone.right, zone.bottom), content, runs, style=style)

    def table(self, found: FoundTable) -> None:
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
                    confidence=confidence_of(self.source, cell.runs),
                    source=_source(self.source, cell.runs),
                )
            )
        table = Table(found.rows, found.columns, tuple(sorted(cells, key=lambda c: (c.row, c.column))))
        runs = [run for cell in found.cells for run in cell.runs]
        self._add("table", found.box, Text(table.text, ()), runs, inner=table)

    def figure(self, figure: Figure) -> None:
        box = (figure.left, figure.top, figure.right, figure.bottom)
        alternative = self.alternatives.pop(0) if self.alternatives else ""
        words = figure_text(figure.lines)
        runs = [run for line in figure.lines for run in line.runs]
        self.account.place(runs, words)
        self._add("figure", box, Text("\n".join(filter(None, (alternative, words))), ()), runs)

    def field(self, thing: FilledField) -> None:
        field = thing.field
        text = f"{field['name']}: {field['value']}" if field["name"] else field["value"]
        box = (thing.left, thing.top, thing.right, thing.bottom)
        named = Field(field["name"], field["value"], value_bbox=self._bbox(box))
        self._add("field", box, Text(text, ()), [], inner=named)

    def pair(self, pair: FieldPair) -> None:
        """The text is that of the page; weight and slope say what is the label, which the field says itself."""
        label = self._written(pair.label).text
        content = self._written(pair.value) if pair.value else Text("", ())
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
        boxes = [self._bbox(box_of(lines)) if lines else NO_BOX for lines in (pair.label, pair.value)]
        field = Field(label.rstrip(" :"), content.text, *boxes)
        self._add("field", (pair.left, pair.top, pair.right, pair.bottom), Text(text, spans), runs, inner=field)

    def _written(
        self,
        lines: Sequence[Line],
        *,
        keep_hyphens: bool = False,
        code: bool = True,
        bold: bool = True,
        formulas: Sequence[InlineFormula] = (),
    ) -> Text:
        """The text of lines with its links, styles and formulas; without these if they cannot be found."""
        write = partial(block_text, self.page, lines, self.vocabulary, keep_hyphens=keep_hyphens, code=code)
        styled = self.enriched("links and styles", partial(write, bold=bold, formulas=formulas), None)
        return styled or Text("\n".join(line.text for line in lines), ())

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
        source, answer = self.source, _source(self.source, runs)
        engine = source.engine if source.engine and runs and runs[0] >= source.recognised else "native"
        if answer is not None and answer in source.others:
            engine = answer.engine
        self.made.append(
            Block(
                id=f"p{source.number}-b{len(self.made) + 1}",
                page=source.number,
                kind=kind,
                text=content.text,
                bbox=self._bbox(box),
                level=level,
                marker=marker,
                confidence=confidence_of(source, runs),
                engine=engine,
                words=PageWords(lambda: source, _ranges(runs), page=source.number),
                spans=content.spans,
                table=inner if isinstance(inner, Table) else None,
                field=inner if isinstance(inner, Field) else None,
                style=style,
                source=answer,
            )
        )

    def _bbox(self, box: tuple[float, float, float, float]) -> BBox:
        turned = self.ways.back(*box) if self.ways else box
        return BBox.of_points(turned, (self.source.width, self.source.height))


def _source(page: PageText, runs: Sequence[int]) -> AnswerSource | None:
    """The engine's answer that any of the runs came from."""
    return page.source_of(max(runs)) if runs else None


def confidence_of(page: PageText, runs: Sequence[int]) -> float | None:
    """Mean confidence of the OCR characters among the runs."""
    mean = mean_confidence((page.confidence(run), len(page.texts[run])) for run in runs) if page.engine else None
    return None if mean is None else round(mean, 3)


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
