from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import quire
from quire.core.lazy_words import JoinedWords
from quire.core.types import BBox, Part, Word
from quire.output.export import hocr
from tests import documents

from .results import BOX, Result, block, report, result, table

pytestmark = pytest.mark.both_readers

XHTML = "{http://www.w3.org/1999/xhtml}"


def parsed(source) -> ElementTree.Element:
    return ElementTree.fromstring(hocr(source).encode())


def of_class(tree: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in tree.iter() if element.get("class") == name]


def properties(element: ElementTree.Element) -> dict[str, str]:
    pairs = (part.strip().partition(" ") for part in (element.get("title") or "").split(";"))
    return {name: value for name, _, value in pairs}


def text(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def row(words: str, *, top: float = 0.1, height: float = 0.02, confidence: float | None = 0.876) -> tuple[Word, ...]:
    return tuple(
        Word(word, BBox(round(0.1 + 0.12 * n, 5), top, 0.1, height), confidence) for n, word in enumerate(words.split())
    )


def test_pages_state_their_size_number_and_resolution():
    pages = of_class(parsed(report()), "ocr_page")
    assert [properties(page) for page in pages] == [
        {"image": '"report.pdf"', "bbox": "0 0 2500 3333", "ppageno": "0", "lpageno": "1", "scan_res": "300 300"},
        {"image": '"report.pdf"', "bbox": "0 0 2500 3333", "ppageno": "1", "scan_res": "300 300"},
    ]


def test_kinds_have_their_classes():
    tree = parsed(report())
    found = {name: [text(e) for e in of_class(tree, name)] for name in ("ocr_header", "ocr_footer", "ocr_pageno")}
    assert found == {"ocr_header": ["Annual report"], "ocr_footer": ["Confidential"], "ocr_pageno": ["1"]}
    assert [text(e) for e in of_class(tree, "ocr_title")] == ["The year in numbers"]
    assert [text(e) for e in of_class(tree, "ocr_chapter")] == ["1. Results"]
    assert [text(e) for e in of_class(tree, "ocr_caption")] == ["Table 1: Sales", "Figure 1: Growth"]
    assert len(of_class(tree, "ocr_photo")) == 1


def test_every_class_is_among_the_stated_capabilities():
    source = hocr(report())
    stated = re.search(r'ocr-capabilities" content="([^"]*)"', source)
    assert stated
    assert set(re.findall(r'class="(\w+)"', source)) <= set(stated[1].split())


def test_words_have_boxes_and_only_known_confidence():
    known, unknown = row("sure word"), row("plain", top=0.2, confidence=None)
    tree = parsed(result(block("paragraph", "sure word", id="a", words=known), block("title", "plain", words=unknown)))
    assert [(text(e), properties(e)) for e in of_class(tree, "ocrx_word")] == [
        ("sure", {"bbox": "250 333 500 400", "x_wconf": "88"}),
        ("word", {"bbox": "550 333 800 400", "x_wconf": "88"}),
        ("plain", {"bbox": "250 667 500 733"}),
    ]


def test_lines_are_made_again_from_the_words():
    words = row("The harbour") + row("office keeps", top=0.13)
    tree = parsed(result(block("paragraph", "The harbour\noffice keeps", words=words)))
    lines = of_class(tree, "ocr_line")
    assert [text(line) for line in lines] == ["The harbour", "office keeps"]
    assert properties(lines[1])["bbox"] == "250 433 800 500"


def test_lines_of_real_documents_are_those_of_their_text():
    for made in (documents.two_columns, documents.turned_text, documents.right_to_left, documents.code_listing):
        for read in quire.read(made()).blocks:
            tree = parsed(Result((read,), pages=tuple(p.info for p in quire.read(made()).pages)))
            found = [text(line).split() for line in of_class(tree, "ocr_line")]
            assert len(found) == len(read.text.split("\n"))


def test_turned_lines_state_their_angle():
    upwards = tuple(Word(w, BBox(0.1, round(0.5 - 0.1 * n, 5), 0.02, 0.08)) for n, w in enumerate(["reads", "upwards"]))
    downwards = tuple(Word(w.text, BBox(0.3, 0.8 - w.bbox.top, 0.02, 0.08)) for w in upwards)
    tree = parsed(result(block("paragraph", id="a", words=upwards), block("paragraph", id="b", words=downwards)))
    assert [properties(e)["textangle"] for e in of_class(tree, "ocr_line")] == ["90", "270"]
    assert [text(e) for e in of_class(tree, "ocr_line")] == ["reads upwards"] * 2


def test_a_block_without_words_still_has_its_lines():
    tree = parsed(result(block("paragraph", "one\ntwo", bbox=BBox(0, 0, 1, 0.1))))
    assert [properties(e)["bbox"] for e in of_class(tree, "ocr_line")] == ["0 0 2500 167", "0 167 2500 333"]
    assert not of_class(tree, "ocrx_word")


def test_tables_keep_their_grid():
    cells = [["a", None], ["b", "c"]]
    words = (Word("b", BBox(0.12, 0.26, 0.05, 0.02), 0.5),)
    tree = parsed(result(table(cells, spans={(0, 0): (1, 2)}, words=words)))
    rows = of_class(tree, "ocr_table")[0].findall(f"{XHTML}tr")
    assert [[text(cell) for cell in found] for found in rows] == [["a"], ["b", "c"]]
    assert rows[0][0].get("colspan") == "2"
    assert [text(word) for word in of_class(tree, "ocrx_word")] == ["b"]


def test_the_places_of_a_block_have_their_own_words():
    parts = (Part(1, BBox(0.1, 0.8, 0.8, 0.1)), Part(2, BBox(0.1, 0.1, 0.8, 0.1)))
    words = row("ends here", top=0.85) + row("goes on", top=0.15)
    split = block("paragraph", "ends here\ngoes on", id="x", words=words, parts=parts, bbox=parts[0].bbox)
    pages = of_class(parsed(result(split)), "ocr_page")
    assert [text(page) for page in pages] == ["ends here", "goes on"]
    areas = [of_class(page, "ocr_carea")[0] for page in pages]
    assert [properties(area)["cflow"] for area in areas] == ['"x"', '"x"']
    assert [area.get("id") for area in areas] == ["x", "x.2"]


def test_words_joined_from_pages_stay_on_their_pages():
    same = BBox(0.1, 0.1, 0.5, 0.05)
    joined = JoinedWords((row("first"), row("second")))
    split = block("paragraph", "first\nsecond", words=joined, parts=(Part(1, same), Part(2, same)))
    assert [text(page) for page in of_class(parsed(result(split)), "ocr_page")] == ["first", "second"]


def test_text_is_never_markup():
    bad = "<script>&amp;\"'\x00\ud800]]>"
    source = result(block("paragraph", bad, words=(Word(bad, BOX),)), block("figure", bad, id='"><x'), table([[bad]]))
    tree = parsed(Result(source.blocks, name='a"b<.pdf'))
    assert not list(tree.iter(f"{XHTML}script"))
    assert '<script>&amp;"' in text(of_class(tree, "ocrx_word")[0])


def test_ids_are_unique():
    ids = [element.get("id") for element in parsed(report()).iter() if element.get("id")]
    assert len(ids) == len(set(ids))


def test_the_resolution_can_be_chosen():
    assert "bbox 0 0 600 800; ppageno 0; lpageno 1; scan_res 72 72" in hocr(report(), dpi=72)
    read = quire.read(documents.simple())
    assert "scan_res 150 150" in read.to_hocr(dpi=150)


def test_nothing_outside_is_referred_to():
    assert set(re.findall(r"https?://[^\"\s<]+", hocr(report()))) == {"http://www.w3.org/1999/xhtml"}
