"""Labels with their values, and check boxes with what stands beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Unpack

from quire.core.document import Document, Source, document_of
from quire.core.engine import ReadLine, Recognition
from quire.core.types import BBox, Word
from quire.evidence.extract.pairs import find_pairs
from quire.pages.geometry.extents import are_level, area, shared_area
from quire.pages.prepare import PrepareProfile, page_picture
from quire.pipelines.correct import Corrector, pipe
from quire.pipelines.detect.check_boxes import CheckBox, find_check_boxes
from quire.pipelines.domains.forms.found_form import CheckedBox, Form, FormField
from quire.reading.call import ReadOptions, read
from quire.reading.result import DocumentResult

BEFORE = 12.0  # of the height of a check box: how far left of it its label may end
BESIDE = 2.5  # of the height of a check box: how far its label may be, and how far apart the label's words are
_MARKS = {"☐": False, "□": False, "☑": True, "☒": True, "✓": True, "✔": True, "✗": True, "✘": True}


def fields(
    source: Source | Document,
    *,
    correct: Sequence[Corrector] = (),
    check_boxes: bool = True,
    **options: Unpack[ReadOptions],
) -> Form:
    """Read a form: its labels with their values, its check boxes and its tables.

    `correct` are corrections of the values that OCR read, such as `correct.dictionary(...)`. The other options are
    those of `read`.
    """
    with document_of(source) as document:
        result = read(document, **options)
        found = drawn_boxes(document, result) if check_boxes else None
        return form_of(result, correct=correct, check_boxes=found)


def form_of(
    result: DocumentResult,
    *,
    correct: Sequence[Corrector] = (),
    check_boxes: dict[int, list[CheckBox]] | None = None,
) -> Form:
    """The form of a document that was read; check boxes are those that its text shows, and the ones of `check_boxes`
    by page."""
    catalog = result.catalog()
    pages = [page.number for page in result.pages]
    boxes = [box for page in pages for box in _labelled(page, _words(result, page), check_boxes)]
    marked = {(box.page, box.label) for box in boxes}
    found = []
    for pair in find_pairs(catalog):
        if not pair.sure and (pair.page, pair.label) in marked:
            continue
        known = [one for name in pair.records if (one := catalog.by_id[name].confidence) is not None]
        confidence = min(known, default=None)
        value = pair.value if confidence is None else _corrected(pair.value, correct)
        label = pair.label.strip().rstrip(":").rstrip()
        found.append(FormField(label, value, pair.page, pair.label_bbox, pair.value_bbox, confidence, pair.sure))
    return Form(result.name, tuple(found), tuple(boxes), tuple(result.tables))


def _corrected(text: str, correctors: Sequence[Corrector]) -> str:
    recognition = Recognition("form", (ReadLine(text, BBox(0.0, 0.0, 1.0, 1.0)),))
    return pipe(*correctors).correct(recognition).text


def drawn_boxes(document: Document, result: DocumentResult) -> dict[int, list[CheckBox]]:
    """The check boxes that are drawn on the pages of a document that could be read, by page."""
    pages = [page.number for page in result.pages if page.status == "ok"]
    return {
        number: find_check_boxes(page_picture(document.reader, number, PrepareProfile(dpi=150))) for number in pages
    }


def _words(result: DocumentResult, page: int) -> list[Word]:
    return [word for block in result.blocks if block.page == page for word in block.words]


def _labelled(page: int, words: Sequence[Word], found: dict[int, list[CheckBox]] | None) -> Iterator[CheckedBox]:
    """The check boxes of a page, drawn ones and those that are characters, with the words beside them."""
    drawn = [(box.bbox, box.is_checked) for box in (found or {}).get(page, ())]
    typed = [(word.bbox, _MARKS[word.text]) for word in words if word.text in _MARKS]
    typed = [one for one in typed if not any(_covers(other[0], one[0]) for other in drawn)]
    boxes = sorted([*drawn, *typed], key=lambda one: (one[0].top, one[0].left))
    rest = [w for w in words if w.text not in _MARKS and not any(_covers(box, w.bbox) for box, _ in boxes)]
    for box, is_checked in boxes:
        others = [other for other, _ in boxes if other is not box]
        yield CheckedBox(_beside(box, rest, others), is_checked, page, box)


def _beside(box: BBox, words: Sequence[Word], others: Sequence[BBox]) -> str:
    """The words to the right of a check box up to the next one or a wide gap; without any, those to its left."""
    row = sorted((word for word in words if are_level(box, word.bbox)), key=lambda word: word.bbox.left)
    after = [word for word in row if word.bbox.left >= box.right - box.width / 4]
    before = [word for word in row if word.bbox.right <= box.left + box.width / 4]
    ends = [other.left for other in others if other.left >= box.right and are_level(box, other)]
    near = [word for word in after if not ends or word.bbox.left < min(ends)]
    right = _chain([(word.bbox.left - box.right, word) for word in near], BESIDE * box.height, box)
    left = _chain([(box.left - word.bbox.right, word) for word in before[::-1]], BEFORE * box.height, box)
    return " ".join(word.text for word in right or reversed(left))


def _chain(words: Sequence[tuple[float, Word]], reach: float, box: BBox) -> list[Word]:
    """Words by their distance from a check box: the first within reach, the others close to the one before."""
    found: list[Word] = []
    end = 0.0
    for distance, word in words:
        if distance - end > (BESIDE * box.height if found else reach):
            break
        found.append(word)
        end = distance + word.bbox.width
    return found


def _covers(other: BBox, box: BBox) -> bool:
    """Whether a box lies over much of another one."""
    return shared_area(box, other) > 0.3 * area(box)
