"""An extraction as one HTML file: the values beside the pages, each linked to its place and back.

There is no script in it: links and `:target` do the work, so that its content policy forbids scripts altogether, and
text of a document cannot become one.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from quire.core.page_ranges import selection
from quire.core.types import BBox
from quire.evidence.extract.reports.report_pictures import page_picture
from quire.evidence.extract.reports.value_rows import ValueRow, placed, shown, value_rows
from quire.evidence.extract.values import (
    SURE,
    Alternative,
    EvidenceConflict,
    Extraction,
    LeafEvidence,
    Missing,
)
from quire.output.export.crops import Crop

MOST_PAGES = 100
"""Pages that are shown as pictures, of those that are cited; the others are named."""
MOST_VALUES = 5000
_MOST_LIT = 1000
"""Boxes for which there is a rule of style each; with more, a browser takes long to follow a link."""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

_STYLE = """\
:root { color-scheme: light dark; --line: #c9ced6; --soft: #eef1f5; --ink: #1c2430; --paper: #fff; --dim: #566070;
  --found: #1a7f37; --repaired: #4d7c0f; --unverified: #9a6700; --conflict: #c62828; --not_found: #566070; }
@media (prefers-color-scheme: dark) { :root { --line: #3a4453; --soft: #232b36; --ink: #e6eaf0; --paper: #161b22;
  --dim: #a3adba; --found: #56d364; --repaired: #a3d65c; --unverified: #e3b341; --conflict: #ff8a80;
  --not_found: #a3adba; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  display: grid; grid-template-columns: minmax(22rem, 38%) 1fr; height: 100vh; }
header, main, aside { padding: 1rem; }
header { grid-column: 1 / -1; border-bottom: 1px solid var(--line); padding: .6rem 1rem; }
h1 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
p { margin: .3rem 0; }
.dim { color: var(--dim); font-size: .85rem; overflow-wrap: anywhere; }
body { grid-template-rows: auto 1fr; }
main, aside { overflow: auto; }
aside { background: var(--soft); border-left: 1px solid var(--line); }
ol { list-style: none; margin: 0; padding: 0; }
.value { border: 1px solid var(--line); border-left: .35rem solid var(--c); border-radius: .4rem; margin: .35rem 0;
  padding: .4rem .6rem; }
.value a.go { color: inherit; text-decoration: none; display: block; }
.value a.go:hover .text { text-decoration: underline; }
.path { font: .8rem ui-monospace, monospace; color: var(--dim); overflow-wrap: anywhere; }
.text { font-weight: 600; overflow-wrap: anywhere; white-space: pre-wrap; }
.none { color: var(--dim); font-weight: 400; }
.status { float: right; font-size: .75rem; color: var(--c); border: 1px solid var(--c); border-radius: 1rem;
  padding: 0 .5rem; margin-left: .5rem; }
q { color: var(--dim); overflow-wrap: anywhere; }
figure { margin: 0 auto 1.5rem; max-width: 60rem; }
figcaption { font-size: .85rem; color: var(--dim); margin-bottom: .25rem; }
.page { position: relative; border: 1px solid var(--line); background: #fff; }
.page img { display: block; width: 100%; }
.page.bare { aspect-ratio: 3 / 4; }
.box { position: absolute; border: 2px solid var(--c); border-radius: 2px; margin: -3px; padding: 1px;
  background: color-mix(in srgb, var(--c) 12%, transparent); box-sizing: content-box; }
.box.other { border-style: dashed; }
.box:hover { background: color-mix(in srgb, var(--c) 30%, transparent); }
a:focus-visible, input:focus-visible { outline: 3px solid #2f6feb; outline-offset: 2px; }
.box:target { outline: 3px solid #2f6feb; outline-offset: 3px;
  background: color-mix(in srgb, #2f6feb 25%, transparent); }
.box { scroll-margin: 35vh 2rem; } .value { scroll-margin: 20vh 0; }
.value:target { outline: 3px solid #2f6feb; outline-offset: 1px; }
.found, .confirmed, .corrected { --c: #1a7f37; --c: var(--found); } .repaired { --c: var(--repaired); }
.unverified { --c: var(--unverified); } .conflict { --c: var(--conflict); } .not_found { --c: var(--not_found); }
.page .box { --found: #1a7f37; --repaired: #4d7c0f; --unverified: #9a6700; --conflict: #c62828; }
fieldset { border: 0; padding: 0; margin: 0 0 .5rem; display: flex; gap: 1rem; flex-wrap: wrap; }
body:has(#doubtful:checked) .value.sure { display: none; }
@media (max-width: 60rem) { body { display: block; height: auto; } aside { border: 0; } }
@media print { body { display: block; height: auto; } main, aside { overflow: visible; } fieldset { display: none; } }
"""


@dataclass(frozen=True, slots=True)
class _Mark:
    """A box on a page: the value it belongs to, and its own name for links."""

    name: str
    value: str
    status: str
    label: str
    page: int
    bbox: BBox
    other: bool = False


def html_report(extraction: Extraction, crop: Crop | None) -> bytes:
    """The page. Pictures are in it; without `crop`, and for pages that cannot be drawn, boxes stand on empty paper."""
    return "\n".join(_Page(extraction, crop).lines()).encode("utf-8", "replace")


class _Page:
    def __init__(self, extraction: Extraction, crop: Crop | None) -> None:
        self._extraction, self._crop = extraction, crop
        self._rows = value_rows(extraction)
        self._numbers = {row.path: number for number, row in enumerate(self._rows, start=1)}
        marks = [*self._value_marks(), *self._conflict_marks()]
        cited = sorted({mark.page for mark in marks})
        self._pages, self._left_out = cited[:MOST_PAGES], cited[MOST_PAGES:]
        self._marks: dict[int, list[_Mark]] = {page: [] for page in self._pages}
        for mark in marks:
            if mark.page in self._marks:
                self._marks[mark.page].append(mark)
        self._linked = {mark.name for listed in self._marks.values() for mark in listed}

    def lines(self) -> Iterator[str]:
        name = _text(self._extraction.name)
        yield "<!DOCTYPE html>"
        yield '<html lang="en"><head><meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield f"<title>{name}</title><style>{_STYLE}{self._lit()}</style></head><body>"
        yield from self._head(name)
        yield '<main aria-label="Values">'
        yield from self._values()
        yield from self._conflicts(self._extraction.conflicts)
        yield from self._missing(self._extraction.not_found)
        yield '</main><aside aria-label="Pages">'
        for page in self._pages:
            yield from self._page(page, self._marks[page])
        if self._left_out:
            yield f'<p class="dim">Not shown: pages {selection(self._left_out)}.</p>'
        if not self._pages:
            yield '<p class="dim">No value has a place on a page.</p>'
        yield "</aside></body></html>\n"

    def _lit(self) -> str:
        """A value is marked together with its box, whichever of them was followed."""
        pairs = [(mark.name, mark.value) for listed in self._marks.values() for mark in listed][:_MOST_LIT]
        rules = [f"body:has(#{one}:target) #{other}" for pair in pairs for one, other in (pair, pair[::-1])]
        return f"{','.join(rules)} {{ outline: 3px solid #2f6feb; outline-offset: 1px; }}\n" if rules else ""

    def _head(self, name: str) -> Iterator[str]:
        extraction, coverage = self._extraction, self._extraction.coverage
        yield f"<header><h1><bdi>{name}</bdi></h1>"
        summary = f"{coverage.leaves} values asked for: {coverage.returned} returned, {coverage.found} at their place"
        summary += f", {coverage.sure} at least {100 * SURE:.0f} % sure"
        summary += f", {coverage.crop_verified} with a picture that reads the same" if extraction.reread else ""
        summary += f", {len(extraction.conflicts)} in conflict, {coverage.not_found} not found"
        yield f"<p>{summary}</p>"
        for failure in extraction.failures:
            yield f'<p class="conflict">The extractor {_text(failure.extractor)} failed: {_text(failure.reason)}</p>'
        digests = f"sha256 {extraction.document}; schema {extraction.schema[:16]}; catalog {extraction.catalog[:16]}"
        made_by = ", ".join(extraction.extractors) + (
            f"; read again by {extraction.reread}" if extraction.reread else ""
        )
        yield f'<p class="dim">{_text(digests)}; {_text(made_by)}</p></header>'

    def _values(self) -> Iterator[str]:
        yield "<fieldset><legend>Values</legend>"
        yield '<label><input type="radio" name="which" id="all" checked> all</label>'
        yield '<label><input type="radio" name="which" id="doubtful"> to look at</label></fieldset><ol>'
        for number, row in enumerate(self._rows[:MOST_VALUES], start=1):
            yield self._value(number, row)
        yield "</ol>"
        if len(self._rows) > MOST_VALUES:
            yield f'<p class="dim">{len(self._rows) - MOST_VALUES} more values are in the JSON.</p>'

    def _value(self, number: int, row: ValueRow) -> str:
        evidence = row.evidence
        text = f'<bdi class="text">{_text(row.text)}</bdi>' if row.value is not None else '<span class="none">–</span>'
        inside = f'<span class="status">{row.status}</span><span class="path">{_text(row.path)}</span><br>{text}'
        target = f"b{number}-1"
        if target in self._linked:
            inside = f'<a class="go" href="#{target}">{inside}</a>'
        sure = " sure" if evidence.is_sure and not evidence.picture_differs else ""
        return f'<li class="value {evidence.status}{sure}" id="v{number}">{inside}{_about(evidence)}</li>'

    def _conflicts(self, conflicts: Sequence[EvidenceConflict]) -> Iterator[str]:
        if conflicts:
            yield "<h2>Conflicts</h2><ol>"
        for at, conflict in enumerate(conflicts, start=1):
            yield f'<li class="value conflict" id="c{at}"><span class="path">{_text(conflict.path)}</span><ol>'
            for which, one in enumerate(conflict.values, start=1):
                yield f"<li>{self._side(f'c{at}-{which}', one)}</li>"
            yield "</ol></li>"
        if conflicts:
            yield "</ol>"

    def _side(self, name: str, one: Alternative) -> str:
        inside = f'<bdi class="text">{_text(shown(one.value))}</bdi> <span class="dim">{_where(one.page)}'
        inside += f", {_text(one.extractor)}, {one.confidence:.2f}</span>"
        return f'<a class="go" href="#{name}">{inside}</a>' if name in self._linked else inside

    def _missing(self, missing: Sequence[Missing]) -> Iterator[str]:
        if not missing:
            return
        yield "<h2>Not found</h2><ol>"
        for one in missing[:MOST_VALUES]:
            searched = f"searched: pages {selection(one.pages)}" if one.pages else "no page could be searched"
            yield f'<li><span class="path">{_text(one.path)}</span> <span class="dim">{searched}; '
            yield f"{_text(one.reason)}</span></li>"
        yield "</ol>"

    def _page(self, page: int, marks: Sequence[_Mark]) -> Iterator[str]:
        picture = page_picture(self._crop, page)
        yield f'<figure id="p{page}"><figcaption>Page {page}</figcaption>'
        if picture is None:
            yield '<div class="page bare">'
        else:
            source = f"data:image/webp;base64,{b64encode(picture).decode()}"
            yield f'<div class="page"><img alt="Page {page}" src="{source}">'
        yield from (_box(mark) for mark in marks)
        yield "</div></figure>"

    def _value_marks(self) -> Iterator[_Mark]:
        for number, row in enumerate(self._rows[:MOST_VALUES], start=1):
            page = row.evidence.page
            for at, box in enumerate(row.boxes if page is not None else (), start=1):
                label = f"{row.path}: {row.text}"
                yield _Mark(f"b{number}-{at}", f"v{number}", row.evidence.status, label, page or 0, box)

    def _conflict_marks(self) -> Iterator[_Mark]:
        for at, conflict in enumerate(self._extraction.conflicts, start=1):
            for which, one in enumerate(conflict.values, start=1):
                for box in placed(one.bboxes)[:1]:
                    label = f"{conflict.path}: {shown(one.value)}"
                    yield _Mark(f"c{at}-{which}", f"c{at}", "conflict", label, one.page, box, other=True)


def _box(mark: _Mark) -> str:
    box = mark.bbox
    sides: Mapping[str, float] = {"left": box.left, "top": box.top, "width": box.width, "height": box.height}
    style = ";".join(f"{name}:{value * 100:.3f}%" for name, value in sides.items())
    kind = f"box {mark.status}{' other' if mark.other else ''}"
    names = f'title="{_text(mark.label)}" aria-label="{_text(mark.label)}"'
    return f'<a class="{kind}" id="{mark.name}" href="#{mark.value}" style="{style}" {names}></a>'


def _about(evidence: LeafEvidence) -> str:
    details = []
    if evidence.page is not None:
        details.append(_where(evidence.page))
    if evidence.match:
        details.append(evidence.match)
    if evidence.crop_verified:
        details.append("its picture reads the same")
    if "total" in evidence.confidence:
        details.append(f"confidence of the extractor {evidence.confidence['total']:.2f}")
    if evidence.extractor:
        details.append(_text(evidence.extractor))
    parts = [f'<p class="dim">{", ".join(details)}</p>'] if details else []
    if evidence.quote:
        parts.append(f"<p><q><bdi>{_text(evidence.quote)}</bdi></q></p>")
    if evidence.derivation:
        made = ", ".join(text for text, _ in evidence.derivation.parts)
        parts.append(f'<p class="dim">{evidence.derivation.rule} of {_text(made)}</p>')
    if evidence.reason:
        parts.append(f'<p class="dim">{_text(evidence.reason)}</p>')
    if evidence.alternatives:
        others = "; ".join(f"{_text(shown(one.value))} ({_where(one.page)})" for one in evidence.alternatives[:5])
        parts.append(f'<p class="dim">or <bdi>{others}</bdi></p>')
    return "".join(parts)


def _where(page: int) -> str:
    return f"page {page}" if page else "no page"


def _text(text: str) -> str:
    return escape(text, quote=True)
