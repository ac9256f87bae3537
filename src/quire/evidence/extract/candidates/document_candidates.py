"""Finds the candidates of a document: every span of a page that may be the value of a field, with its surroundings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from quire.core.context import Json
from quire.core.median import median
from quire.core.types import BBox
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.candidates.around import Around, Neighbourhood
from quire.evidence.extract.candidates.candidate import Candidate, CandidateOrigin
from quire.evidence.extract.candidates.readings import Readings
from quire.evidence.extract.candidates.spans import TypedSpan, spans_of
from quire.evidence.extract.lines import PlacedLine, lines_of
from quire.evidence.extract.pairs import LinePart, find_line_parts
from quire.evidence.extract.schema import ValueKind
from quire.lexicon.addresses import address_marks, begins_address, continues_address, is_stop
from quire.lexicon.companies import has_legal_form, is_one_name
from quire.lexicon.labels import is_form_label
from quire.lexicon.phrases import TextSpan

MOST_LINES = 6  # of an address
LONGEST_NAME = 120  # characters of a line that may be a name or a short text
TOP = 0.4  # of the page: a sender's name on two lines is above
CONTEXT = 60  # characters before and after a span
_AFTER_LABEL = re.compile(r"^[^:]{2,40}?\s?:\s+(?=\S)")
_NUMBERED = re.compile(r"\s*(?:[(\[{][^()]*\d[^()]*[)\]}]?|\b(?=\S*\d{4})[\w-]+)\s*$")
_TITLE = re.compile(
    r"\s+(?:tax )?(?:invoice|receipt|statement|rechnung|quittung|facture|factura|fattura|factuur|fatura)$", re.I
)
_SENDER = re.compile(r"^([^\d·•|–—-][^·•|–—]{2,50}?)\s*(?:[·•|–—]|\s-\s|,\s)")  # above the window of an envelope
_WINDOW = re.compile(r"[·•|].*\d{4,5}\s?\S{2}")
_BETWEEN = re.compile(r"[·•|]\s*$")
_NUMERIC: frozenset[ValueKind] = frozenset({"amount", "number", "percentage"})


def find_candidates(catalog: SourceCatalog, lines: Sequence[PlacedLine] | None = None) -> list[Candidate]:
    """The candidates of a document in reading order, those of one place beside each other. `lines` are those of the
    catalog, if they were found already."""
    lines = lines_of(catalog) if lines is None else lines
    sizes = [line.height for line in lines if line.is_placed]
    finder = _Finder(lines, median(sizes) if sizes else 1.0, find_line_parts(catalog, lines))
    return [candidate for line in lines for candidate in finder.of_line(line)]


class _Finder:
    def __init__(self, lines: Sequence[PlacedLine], size: float, parts: Mapping[int, Sequence[LinePart]]) -> None:
        self._size = size
        self._of_line = parts
        self._neighbourhood = Neighbourhood(lines)
        self._spans = {line.order: list(spans_of(line.text)) for line in lines}
        dates = (
            line.text[span.start : span.end]
            for line in lines
            for span in self._spans[line.order]
            if span.kind == "date"
        )
        self._readings = Readings((line.text for line in lines), dates)
        self._by_record: dict[str, list[PlacedLine]] = {}
        for line in lines:
            self._by_record.setdefault(line.record, []).append(line)
        self._lines = {line.order: line for line in lines}
        going_on = [(order, one.following) for order, these in parts.items() for one in these if one.following]
        self._parts = {part for order, following in going_on for part in (order, *following)}

    def of_line(self, line: PlacedLine) -> Iterator[Candidate]:
        around = self._neighbourhood.around(line)
        numbers = [(one.start, one.start + one.numbering) for one in self._of(line) if one.numbering]
        for span in self._spans[line.order]:
            if not any(start <= span.start and span.end <= end for start, end in numbers):
                origin = self._origin(line) if _is_all(span, line.text) else "span"
                yield self._made([line], around, span.kind, (span.start, span.end), origin)
        if not line.is_label or self._paired(line, 0, len(line.text)):
            yield from self._texts(line, around)
            yield from self._addresses(line, around)

    def _texts(self, line: PlacedLine, around: Around) -> Iterator[Candidate]:
        """The line as a name or a short text unless all of it is a typed span, the name before a number in it, what
        follows a label in it, and all lines of the value of a field or of a cell."""
        text = line.text
        if len(text) > LONGEST_NAME or not any(map(str.isalnum, text)):
            return
        if not any(_is_all(span, text) for span in self._spans[line.order]):
            yield self._made([line], around, _kind_of(text), (0, len(text)), self._origin(line))
            if (parts := _SENDER.match(text)) and address_marks(text) >= 1:
                yield self._made([line], around, "name", (0, parts.end(1)), "span")
            length = len(_bare(text))
            if length < len(text) and _kind_of(text[:length]) == "name" and not text[:length].endswith(("-", "#")):
                yield self._made([line], around, "name", (0, length), "span")
        if (match := _AFTER_LABEL.match(text)) and any(map(str.isalnum, text[match.end() :])):
            yield self._made([line], around, _kind_of(text[match.end() :]), (match.end(), len(text)), "span")
        typed = {(span.start, span.end) for span in self._spans[line.order]}
        labelled = [
            (one.start, one.end) for one in self._of(line) if one.label and (one.start, one.end) != (0, len(text))
        ]
        for start, end in (place for place in labelled if place not in typed):
            yield self._made([line], around, _kind_of(text[start:end]), (start, end), "span")
        for part in self._of(line):
            if part.following:
                lines = [line, *(self._lines[order] for order in part.following)]
                yield self._made(lines, around, "text", (part.start, len(text)), "block")
        if line.label or line.cell is not None:
            several = [other for other in self._by_record[line.record] if not other.is_label]
            if len(several) > 1 and several[0] is line:
                yield self._made(several, around, "text", (0, len(text)), "block")
        elif line.is_placed and line.bbox.top < TOP and _kind_of(text) == "name":
            following = self._neighbourhood.below(line)
            if following is not None and _is_further_name(line, following):  # a name on two lines
                yield self._made([line, following], around, "name", (0, len(text)), "block")

    def _addresses(self, line: PlacedLine, around: Around) -> Iterator[Candidate]:
        """Every run of lines that may be an address and begins with this one, and what follows the sender in it."""
        if parts := _SENDER.match(line.text):
            rest = line.text[parts.end() :].lstrip(" ·•|–—-,")
            if (_BETWEEN.search(parts[0]) or has_legal_form(parts[1])) and begins_address(rest):
                yield self._made([line], around, "address", (len(line.text) - len(rest), len(line.text)), "span")
        if not begins_address(line.text) or self._is_label(line, 0, len(line.text)):
            return
        run = [line]
        while True:
            origin = "block" if len(run) > 1 else self._origin(line)
            yield self._made(run, around, "address", (0, len(line.text)), origin)
            following = self._neighbourhood.below(run[-1])
            if following is None or len(run) == MOST_LINES or not continues_address(following.text):
                return
            if is_form_label(following.text) and self._is_label(following, 0, len(following.text)):
                return
            if has_legal_form(following.text) or _WINDOW.search(run[-1].text):  # the recipient's begins
                return
            run.append(following)

    def _of(self, line: PlacedLine) -> Sequence[LinePart]:
        return self._of_line.get(line.order, ())

    def _is_label(self, line: PlacedLine, start: int, end: int) -> bool:
        return any(one.is_label and one.start <= start and end <= one.end for one in self._of(line))

    def _paired(self, line: PlacedLine, start: int, end: int) -> str:
        within = (one.label for one in self._of(line) if one.label and one.start <= start and end <= one.end)
        return next(within, "")

    def _origin(self, line: PlacedLine) -> CandidateOrigin:
        if line.cell is not None:
            return "cell"
        if not line.label:
            return "line"
        first = next(other for other in self._by_record[line.record] if not other.is_label)
        return "field" if line is first else "line"

    def _made(
        self, lines: Sequence[PlacedLine], around: Around, kind: ValueKind, place: TextSpan, origin: CandidateOrigin
    ) -> Candidate:
        """The candidate at some characters of a line, or from there on to the last of several lines."""
        first, *further = lines
        start, end = place
        text = "\n".join((first.text[start:end], *(line.text for line in further)))
        before = max((one.end for one in self._of(first) if one.label and one.end <= start), default=0)
        sure = [first.confidence(start, end), *(line.confidence(0, len(line.text)) for line in further)]
        return Candidate(
            **around,
            kind=kind,
            text=text,
            value=self._value(kind, text),
            page=first.page,
            bbox=BBox.union([first.place(start, end), *(line.bbox for line in further)]),
            record=first.record,
            block=first.block.id,
            origin=origin,
            order=first.order,
            more=tuple(dict.fromkeys(line.record for line in further if line.record != first.record)),
            before="" if further else first.text[max(start - CONTEXT, before) : start].strip(),
            after="" if further else first.text[end : end + CONTEXT].strip(),
            paired=self._paired(first, start, end),
            is_part=not further and first.order in self._parts,
            is_label=not further and self._is_label(first, start, end),
            size=round(max(line.height for line in lines) / self._size, 2),
            bold=first.bold,
            confidence=min((one for one in sure if one is not None), default=None),
        )

    def _value(self, kind: ValueKind, text: str) -> Json:
        if kind in _NUMERIC:
            return self._readings.number(text)
        if kind == "currency":
            return self._readings.currency(text)
        return (self._readings.date(text) if kind == "date" else None) or text.replace("\n", " ")


def _is_further_name(line: PlacedLine, following: PlacedLine) -> bool:
    if _kind_of(following.text) != "name" or is_stop(following.text):
        return False
    return is_one_name(line.text, following.text, line.height / following.height)


def _is_all(span: TypedSpan, text: str) -> bool:
    return span.start == 0 and span.end == len(text)


def _bare(text: str) -> str:
    """A name without the registration number that follows it, or the title of the document."""
    return _TITLE.sub("", _NUMBERED.sub("", text))


def _kind_of(text: str) -> ValueKind:
    """`name` for what has mostly letters and is no sentence, `text` for the rest."""
    letters = sum(map(str.isalpha, text))
    solid = len(text) - text.count(" ")
    is_name = 2 * letters > solid and text.count(" ") <= 8 and not text.rstrip().endswith(":")
    return "name" if is_name else "text"
