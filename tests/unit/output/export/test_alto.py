from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import quire
from quire.core.errors import UsageError
from quire.core.types import BBox, PageInfo, Word
from quire.output.export import alto, files
from tests import documents

from .results import BOX, Result, block, report, result, table

pytestmark = pytest.mark.both_readers

ALTO = "{http://www.loc.gov/standards/alto/ns-v4#}"
REQUIRED = {
    "Page": {"ID", "PHYSICAL_IMG_NR"},
    "TextBlock": {"ID"},
    "ComposedBlock": {"ID"},
    "Illustration": {"ID"},
    "String": {"CONTENT"},
    "HYP": {"CONTENT"},
    "StructureTag": {"ID", "LABEL"},
    "LayoutTag": {"ID", "LABEL"},
    "OrderedGroup": {"ID"},
    "ElementRef": {"ID", "REF"},
    "Processing": {"ID"},
}
"""What the schema of ALTO 4.4 requires."""
CHILDREN = {
    "alto": r"Description Tags ReadingOrder Layout |Description Layout ",
    "Description": r"MeasurementUnit sourceImageInformation (Processing )*",
    "Layout": r"Page ",
    "Page": r"PrintSpace ",
    "PrintSpace": r"((TextBlock|ComposedBlock|Illustration) )*",
    "ComposedBlock": r"((TextBlock|Illustration) )*",
    "TextBlock": r"(TextLine )*",
    "TextLine": r"(String (SP )?)+(HYP )?",
    "Illustration": r"",
}


def checked(source: str) -> ElementTree.Element:
    """The file, after the rules of the schema that matter here have been checked."""
    tree = ElementTree.fromstring(source.encode())
    ids, references = [], []
    for element in tree.iter():
        name = element.tag.removeprefix(ALTO)
        assert REQUIRED.get(name, set()) <= set(element.attrib)
        if name in CHILDREN:
            assert re.fullmatch(CHILDREN[name], "".join(f"{e.tag.removeprefix(ALTO)} " for e in element)), name
        ids += [element.get("ID")] if "ID" in element.attrib else []
        references += f"{element.get('REF', '')} {element.get('TAGREFS', '')}".split()
        for side in {"HPOS", "VPOS", "WIDTH", "HEIGHT"} & set(element.attrib):
            assert float(element.get(side)) >= 0
        assert 0 <= float(element.get("WC", 0)) <= 1
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[A-Za-z_][\w.-]*", identity) for identity in ids)
    assert set(references) <= set(ids)
    return tree


def of(tree: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return list(tree.iter(ALTO + name))


def contents(tree: ElementTree.Element) -> list[str]:
    return [string.get("CONTENT") for string in of(tree, "String")]


def row(words: str, *, top: float = 0.1, confidence: float | None = 0.876) -> tuple[Word, ...]:
    return tuple(
        Word(word, BBox(round(0.1 + 0.12 * n, 5), top, 0.1, 0.02), confidence) for n, word in enumerate(words.split())
    )


def one(*blocks) -> ElementTree.Element:
    return checked(alto(Result(blocks, pages=(PageInfo(1, 600.0, 800.0),)))[0])


def test_every_page_is_a_file_that_keeps_the_rules():
    trees = [checked(source) for source in alto(report())]
    pages = [of(tree, "Page")[0] for tree in trees]
    assert [(page.get("PHYSICAL_IMG_NR"), page.get("PRINTED_IMG_NR")) for page in pages] == [("1", "1"), ("2", None)]
    assert [(page.get("WIDTH"), page.get("HEIGHT")) for page in pages] == [("2500", "3333")] * 2
    assert trees[0].get("SCHEMAVERSION") == "4.4"


@pytest.mark.parametrize(
    "made",
    [documents.two_columns, documents.spanning_table, documents.right_to_left, documents.turned_text, documents.blank],
)
def test_real_documents_keep_the_rules(made):
    assert checked(quire.read(made()).to_alto())


def test_files_have_the_numbers_of_their_pages():
    source = Result(pages=(PageInfo(3, 600.0, 800.0), PageInfo(7, 600.0, 800.0)))
    assert list(files(source, "alto", stem="a")) == ["a.page-3.alto.xml", "a.page-7.alto.xml"]


def test_words_have_places_and_only_known_confidence():
    tree = one(block("paragraph", words=row("sure word")), block("title", words=row("plain", top=0.3, confidence=None)))
    strings = of(tree, "String")
    assert contents(tree) == ["sure", "word", "plain"]
    assert [string.get("WC") for string in strings] == ["0.876", "0.876", None]
    assert [strings[1].get(side) for side in ("HPOS", "VPOS", "WIDTH", "HEIGHT")] == ["550", "333", "250", "67"]
    space = of(tree, "SP")[0]
    assert [space.get(side) for side in ("HPOS", "VPOS", "WIDTH", "HEIGHT")] == ["500", "333", "50", "67"]


def test_a_word_broken_at_the_line_end_is_known_as_one():
    words = row("the har-") + row("bour of well-", top=0.13) + row("known ships", top=0.16)
    tree = one(block("paragraph", "the harbour\nof well-known\nships", words=words))
    assert contents(tree) == ["the", "har", "bour", "of", "well-", "known", "ships"]
    parts = [(s.get("SUBS_TYPE"), s.get("SUBS_CONTENT")) for s in of(tree, "String") if s.get("SUBS_TYPE")]
    assert parts == [("HypPart1", "harbour"), ("HypPart2", "harbour")]
    assert [hyphen.get("CONTENT") for hyphen in of(tree, "HYP")] == ["-"]


def test_kinds_are_tags():
    first, second = (checked(source) for source in alto(report()))
    assert {tag.get("LABEL") for tag in of(first, "LayoutTag")} == {"header", "page_number", "table"}
    assert {tag.get("LABEL") for tag in of(second, "LayoutTag")} == {"figure", "footer"}
    assert {"title", "heading", "list_item"} <= {tag.get("LABEL") for tag in of(first, "StructureTag")}


def test_a_table_holds_its_cells():
    words = (Word("x", BBox(0.12, 0.21, 0.05, 0.02), 0.5), Word("stray", BBox(0.95, 0.95, 0.04, 0.02)))
    tree = one(table([["x", "two words"]], words=words))
    composed = of(tree, "ComposedBlock")[0]
    assert composed.get("TYPE") == "table"
    assert [contents(cell) for cell in composed] == [["x"], ["two", "words"], ["stray"]]


def test_text_in_a_figure_stands_beside_the_picture():
    tree = one(block("figure", "axis", words=row("axis")))
    composed = of(tree, "ComposedBlock")[0]
    assert [child.tag.removeprefix(ALTO) for child in composed] == ["Illustration", "TextBlock"]
    assert len(of(one(block("figure")), "Illustration")) == 1


def test_the_reading_order_is_that_of_the_blocks():
    tree = checked(alto(report())[0])
    blocks = [element.get("ID") for element in of(tree, "PrintSpace")[0]]
    assert [reference.get("REF") for reference in of(tree, "ElementRef")] == blocks


def test_engines_are_named():
    read = block("paragraph", "x", engine="rapidocr", words=row("x"))
    assert [e.text for e in of(one(read), "processingStepDescription")] == ["rapidocr"]


def test_strings_without_a_place_have_no_coordinates():
    string = of(one(block("paragraph", "only text")), "String")[0]
    assert set(string.attrib) == {"CONTENT"}


def test_turned_text_states_its_rotation():
    upwards = tuple(Word(w, BBox(0.1, round(0.5 - 0.1 * n, 5), 0.02, 0.08)) for n, w in enumerate(["reads", "upwards"]))
    assert of(one(block("paragraph", words=upwards)), "TextBlock")[0].get("ROTATION") == "90"


def test_damaged_characters_and_odd_ids_keep_the_rules():
    bad = "<&\"'\x00\ud800"
    assert contents(one(block("paragraph", bad, id='1 "><x', words=(Word(bad, BOX, 1.7),)))) == ["<&\"'\ufffd\ufffd"]


def test_one_page_is_asked_for_by_its_number():
    read = quire.read(documents.simple(2))
    assert 'PHYSICAL_IMG_NR="2"' in read.to_alto(2)
    with pytest.raises(UsageError, match="2 were read"):
        read.to_alto()
    with pytest.raises(UsageError, match="page 3"):
        read.to_alto(3)
    with pytest.raises(UsageError, match="one file per page"):
        read.to_bytes("alto")
    assert quire.read(documents.simple(2), pages=[2]).to_bytes("alto").startswith(b"<?xml")


def test_an_empty_page_is_a_file_too():
    assert contents(checked(alto(result())[1])) == []
