"""Pictures and drawings: what is a figure, what is the background of text, and what becomes of their words."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

import quire
from tests import documents
from tests.documents import Pen


def read(draw) -> quire.DocumentResult:
    return quire.read(documents.drawn(draw), ocr="never")


def boxes(canvas: Canvas, count: int, *, empty: int = 0) -> None:
    """Rounded boxes in a column with an amount in each, and some without."""
    for number in range(count + empty):
        canvas.setFillColorRGB(0.9, 0.9, 0.9)
        canvas.roundRect(300, 500 - 36 * number, 220, 28, 6, stroke=0, fill=1)
        canvas.setFillColorRGB(0, 0, 0)
        canvas.setFont("Helvetica", 10)
        if number < count:
            canvas.drawString(310, 509 - 36 * number, f"Due {number}: $12{number}")


def test_a_tinted_box_behind_text_is_no_figure():
    def draw(canvas: Canvas) -> None:
        Pen(canvas).text(documents.prose(4))
        boxes(canvas, 3)

    result = read(draw)
    assert "figure" not in {block.kind for block in result.blocks}
    assert "Due 2: $122" in result.to_text()


def test_the_words_of_a_drawing_are_the_text_of_its_figure():
    def draw(canvas: Canvas) -> None:
        Pen(canvas).text(documents.prose(4))
        boxes(canvas, 2, empty=2)

    result = read(draw)
    (figure,) = [block for block in result.blocks if block.kind == "figure"]
    assert figure.text.splitlines() == ["Due 0: $120", "Due 1: $121"]
    assert "Due 1: $121" in result.to_markdown()


def test_the_labels_of_a_chart_are_its_text_in_rows():
    result = quire.read(documents.figure_with_caption())
    (figure,) = [block for block in result.blocks if block.kind == "figure"]
    assert figure.text == "May\tJune\tJuly\tAug\tSept"
    assert "June" not in result.to_markdown() and "June" not in result.to_text()
    assert "May June July Aug Sept" in result.to_markdown(figures=True)
    assert "June" in result.to_text(figures=True) and "June" in result.to_html(figures=True)
    assert "June" in result.to_json() and "June" in str(result.to_docling())


def test_the_picture_of_a_figure_is_embedded_or_beside_the_file(tmp_path):
    result = quire.read(documents.figure_with_caption())
    (figure,) = [block for block in result.blocks if block.kind == "figure"]
    assert f"![figure](#{figure.id})" in result.to_markdown()
    assert "![figure](data:image/png;base64," in result.to_markdown(images="embed")
    assert '<img src="data:image/png;base64,' in result.to_html(images="embed")
    files = result.save(tmp_path, ("md", "html"), stem="report", images="files")
    picture = tmp_path / "report.images" / f"{figure.id}.png"
    assert picture in files and picture.read_bytes().startswith(b"\x89PNG")
    assert f"![figure](report.images/{figure.id}.png)" in (tmp_path / "report.md").read_text()


def test_a_page_whose_text_is_hidden_says_so():
    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.text(documents.prose(4))
        canvas.setFillColorRGB(1, 1, 1)
        pen.text(documents.prose(2, start=4))

    result = read(draw)
    (page,) = result.pages
    hidden = sum(map(len, documents.prose(2, start=4).split()))
    assert page.info.characters is not None and page.info.characters.left_out == {"hidden": hidden}
    assert page.status == "ok" and page.info.lacks_text
    assert page.info.reason == (f"text left out: {hidden} of {page.info.characters.drawn} characters ({hidden} hidden)")
    assert (result.ledger.ok, result.ledger.left_out, result.status) == (1, 1, "complete")


def test_text_that_cannot_be_used_is_in_the_account():
    (page,) = quire.read(documents.garbage_mapping(), ocr="never").pages
    counted = page.info.characters
    assert page.status == "skipped" and counted is not None
    assert (counted.in_blocks, counted.left_out) == (0, {"unusable": counted.drawn})


def test_the_repeated_header_of_a_table_is_in_the_account():
    result = quire.read(documents.table_over_pages())
    counts = [page.info.characters for page in result.pages]
    assert all(counted is not None and counted.unaccounted == 0 for counted in counts)
    assert counts[1] is not None and counts[1].left_out["repeated"] > 0
