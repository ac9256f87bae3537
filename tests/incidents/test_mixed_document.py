"""Real engines on real pictures: every page of a mixed document takes its own way, and boxes are where words are."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest

import quire
from tests import documents, scans

pytestmark = pytest.mark.processes

CLOSE = 0.02  # of the page


def attempts(result, page):
    return [(attempt.engine, attempt.outcome) for attempt in result.path.get(page, ())]


@pytest.fixture(scope="module")
def mixed():
    return quire.read(scans.mixed().data)


def line_boxes(result, page, line):
    """The box around the words of a line, in the order of the page."""
    wanted = line.text.split()
    words = [word for block in result.blocks if block.page == page for word in block.words]
    texts = [word.text for word in words]
    match = SequenceMatcher(None, texts, wanted, autojunk=False).find_longest_match()
    assert match.size >= 0.7 * len(wanted), f"{line.text!r} is not among {texts}"
    boxes = [word.bbox.points((1, 1)) for word in words[match.a : match.a + match.size]]
    whole = match.size == len(wanted)
    return whole, (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )


def test_every_page_takes_its_own_way(mixed):
    assert {page.number: page.status for page in mixed.pages} == {n: "empty" if n == 5 else "ok" for n in range(1, 8)}
    assert mixed.status == "complete"
    assert {page: [engine for engine, _ in attempts(mixed, page)] for page in mixed.path} == {
        5: ["blank-gate"],
        **{page: ["rapidocr"] for page in (2, 3, 4, 6, 7)},
    }
    outcomes = {outcome for page in mixed.path for _, outcome in attempts(mixed, page)}
    assert outcomes <= {"ok", "hit"}, "a page may look exactly like another once it is upright"
    engines = {page.number: {block.engine for block in page.blocks} for page in mixed.pages}
    assert engines == {1: {"native"}, 5: set(), 6: {"native", "rapidocr"}, **{n: {"rapidocr"} for n in (2, 3, 4, 7)}}


@pytest.mark.parametrize("page", [2, 3, 4, 7])
def test_the_text_of_a_scan_is_right_however_it_lies(mixed, page):
    text = " ".join(mixed.pages[page - 1].text.split())
    assert text == " ".join(scans.SLIP_LINES)


def test_native_text_stays_as_it_is_beside_an_insert(mixed):
    text = " ".join(mixed.pages[5].text.split())
    assert documents.prose(8) in text
    assert " ".join(scans.SLIP_LINES) in text


@pytest.mark.parametrize("page", [2, 3, 4, 6, 7])
def test_boxes_are_on_the_displayed_page(mixed, page):
    for line in scans.mixed().lines[page]:
        whole, box = line_boxes(mixed, page, line)
        if whole:
            assert box == pytest.approx(line.box, abs=CLOSE)
        else:
            middle = (line.box[1] + line.box[3]) / 2 if page != 3 else (line.box[0] + line.box[2]) / 2
            assert (box[1] + box[3]) / 2 == pytest.approx(middle, abs=CLOSE) or page == 3


def test_confidence_is_that_of_the_engine(mixed):
    recognised = [block for block in mixed.blocks if block.engine == "rapidocr"]
    assert all(block.confidence is not None and 0.8 < block.confidence <= 1 for block in recognised)
    assert all(block.confidence is None for block in mixed.blocks if block.engine == "native")


def test_words_in_large_pictures_are_the_text_of_their_figures():
    def draw(canvas):
        documents.Pen(canvas).text(documents.prose(8))
        canvas.drawInlineImage(scans.slip(("PUMP STATION", "VALVE 12"), size=20).picture, 72, 100, 450, 420)

    result = quire.read(documents.drawn(draw))
    (figure,) = [block for block in result.blocks if block.kind == "figure"]
    assert figure.text.split() == ["PUMP", "STATION", "VALVE", "12"]
    (page,) = result.pages
    assert page.info.characters is not None and page.info.characters.unaccounted == 0
    assert page.info.characters.in_blocks == sum(len(word.text) for block in result.blocks for word in block.words)


def test_every_word_of_a_scan_is_in_a_block_or_in_the_account(mixed):
    counts = [page.info.characters for page in mixed.pages]
    assert all(counted is not None and counted.unaccounted == 0 for counted in counts)
    assert all(page.info.characters.in_blocks for page in mixed.pages if page.blocks and page.info.characters)


def test_text_in_figures_is_read_on_request():
    def draw(canvas):
        documents.Pen(canvas).text(documents.prose(8))
        canvas.drawInlineImage(scans.slip(("PUMP STATION", "VALVE 12"), size=20).picture, 150, 250, 288, 208)

    data = documents.drawn(draw)
    without = quire.read(data)
    assert "PUMP" not in without.to_text()
    figures = [block for block in quire.read(data, figures=True).blocks if block.kind == "figure"]
    assert len(figures) == 1
    assert [word.text for word in figures[0].words] == ["PUMP", "STATION", "VALVE", "12"]


def test_what_is_blacked_out_is_marked_and_listed():
    data, place = scans.scan_with_redaction()
    result = quire.read(data, redactions=True)
    assert "[[REDACTED]]" in result.to_text()
    [found] = result.redactions
    assert found.page == 1
    assert found.bbox.points((1, 1)) == pytest.approx(place, abs=CLOSE)
    assert 0.6 < found.score <= 1
    texts = result.to_text()
    assert scans.SLIP_LINES[1] in texts and scans.SLIP_LINES[2] not in texts
    lines = texts.split("\n")
    at = next(n for n, line in enumerate(lines) if "REDACTED" in line)
    assert scans.SLIP_LINES[1] in "\n".join(lines[:at]) and scans.SLIP_LINES[3] in "\n".join(lines[at:])


def test_without_the_request_nothing_is_marked():
    result = quire.read(scans.scan_with_redaction()[0])
    assert "REDACTED" not in result.to_text()
    assert result.redactions == []


def test_an_image_file_is_a_page():
    result = quire.read(scans.slip().png())
    assert " ".join(result.to_text().split()) == " ".join(scans.SLIP_LINES)
    for line in scans.slip().lines:
        whole, box = line_boxes(result, 1, line)
        assert whole
        assert box == pytest.approx(line.box, abs=CLOSE)


@pytest.mark.usefixtures("tesseract")
def test_tesseract_reads_the_same_page():
    result = quire.read(scans.scanned(scans.slip()), engines="tesseract", lang="en")
    assert " ".join(result.to_text().split()) == " ".join(scans.SLIP_LINES)
    assert attempts(result, 1) == [("tesseract", "ok")]
    for line in scans.slip().lines:
        whole, box = line_boxes(result, 1, line)
        assert whole
        assert box == pytest.approx(line.box, abs=CLOSE)


def test_the_profiles_read_the_same_page_and_have_answers_of_their_own(tmp_path):
    data = scans.scanned(scans.slip(scans.SLIP_LINES[:2]))
    for profile in ("fast", "accurate"):
        told = []
        result = quire.read(data, effort=profile, store=tmp_path, on_event=told.append)
        assert " ".join(result.to_text().split()) == " ".join(scans.SLIP_LINES[:2])
        assert not [event for event in told if event.kind == "hit" and event.stage == "recognize"]


def test_always_reads_a_digital_page_by_its_picture():
    def draw(canvas):
        documents.Pen(canvas).text("The harbour office keeps a ledger of every vessel.", size=14)

    result = quire.read(documents.drawn(draw, size=(595, 842)), ocr="always")
    assert " ".join(result.to_text().split()) == "The harbour office keeps a ledger of every vessel."
    assert {block.engine for block in result.blocks} == {"rapidocr"}
