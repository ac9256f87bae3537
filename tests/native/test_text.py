"""The text of the compiled reader is that of the pure-Python one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import pytest

from quire.core.document import Document
from quire.core.pagetext import ARRAYS, PageText
from quire.pages.render._pure import PureReader
from tests import documents

POINTS = 0.05  # how far the two readers may differ
HEADER = ["number", "rotation", "chars", "unmapped", "invisible", "font_table", "tags", "texts"]

KINDS = [
    documents.simple,
    documents.two_columns,
    documents.ruled_table,
    documents.spanning_table,
    documents.running_headers,
    documents.footnotes,
    documents.rotated_page,
    documents.rotated_text,
    documents.cropped_page,
    documents.form_fields,
    documents.links_and_outline,
    documents.tagged,
    documents.scan_like,
    documents.invisible_text_layer,
    documents.garbage_mapping,
    documents.right_to_left,
    documents.lam_alef,
    partial(documents.lam_alef, backwards=True),
    documents.printed_by_a_browser,
    partial(documents.printed_by_a_browser, documents.CHAKMA),
    documents.letters_each_said,
    documents.signs_drawn_apart,
    partial(documents.signs_drawn_apart, spans=True),
    documents.ligatures_and_soft_hyphens,
    documents.drop_cap,
    documents.superscripts,
    documents.formula,
    documents.figure_with_caption,
]


def texts(pages: Iterable[bytes | Exception]) -> list[PageText]:
    return [PageText.from_bytes(page) for page in pages if isinstance(page, bytes)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: getattr(kind, "__name__", str(getattr(kind, "keywords", ""))))
def test_both_readers_give_the_same_text(native, kind: Callable[[], bytes]):
    data = kind()
    pure = PureReader(Document(data, name="report.pdf"))
    compiled = native(data)
    pages = range(1, pure.page_count + 1)

    assert compiled.page_count == pure.page_count
    for one, other in zip(texts(compiled.text(pages)), texts(pure.text(pages)), strict=True):
        assert [getattr(one, name) for name in HEADER] == [getattr(other, name) for name in HEADER]
        assert (one.width, one.height) == pytest.approx((other.width, other.height), abs=POINTS)
        for name, _, _ in ARRAYS:
            assert list(getattr(one, name)) == pytest.approx(list(getattr(other, name)), abs=POINTS), name
        for name in ("links", "fields"):
            assert [{**item, "box": []} for item in getattr(one, name)] == [
                {**item, "box": []} for item in getattr(other, name)
            ]
            boxes = [[value for item in getattr(page, name) for value in item["box"]] for page in (one, other)]
            assert boxes[0] == pytest.approx(boxes[1], abs=POINTS)


def test_both_readers_tell_the_same_about_the_document(native):
    data = documents.links_and_outline()
    pure, compiled = PureReader(Document(data, name="report.pdf")), native(data)

    assert compiled.outline() == pure.outline()
    assert compiled.metadata() == pure.metadata()
    assert [compiled.info(number) for number in (1, 2, 3)] == [pure.info(number) for number in (1, 2, 3)]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_turned_pages_are_measured_as_they_are_displayed(native, turn: int):
    data = documents.rotated_page(turn)
    pure, compiled = PureReader(Document(data, name="report.pdf")), native(data)

    assert compiled.info(1) == pure.info(1)
    one, other = texts([*compiled.text([1]), *pure.text([1])])
    assert one.texts == other.texts
    assert list(one.boxes) == pytest.approx(list(other.boxes), abs=POINTS)


def test_the_same_bytes_at_any_number_of_threads(native):
    reader = native(documents.simple(12))
    pages = range(1, 13)
    expected = list(reader.text(pages, threads=1))

    for threads in (2, 4, 8):
        assert list(reader.text(pages, threads=threads)) == expected


def test_pages_come_in_the_order_asked_for(native):
    reader = native(documents.simple(9))
    asked = [9, 1, 5, 5, 2]

    assert [page.number for page in texts(reader.text(asked, threads=4))] == asked


def test_characters_of_a_tagged_page_carry_their_marks(native):
    (page,) = texts(native(documents.tagged()).text([1]))

    marked = {page.mcids[run] for run in range(len(page.texts))}
    listed = {mcid for tag in page.tags for mcid in tag["mcids"]}
    assert marked <= listed | {-1}
    assert len(marked) > 5
