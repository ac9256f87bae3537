"""Texts on printed pages: what is certain gets a place, what is not gets none."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.core.document import Document
from quire.core.pagetext import PageText
from quire.pages.formats.alignment import SoughtText, align
from quire.pages.formats.candidate_chains import PossiblePlace, chained
from quire.pages.formats.item_places import place
from quire.pages.formats.printed_text import PrintedText, kept, lines_of
from tests import documents

pytestmark = pytest.mark.both_readers


def printed(*pages: list[str]) -> list[PageText]:
    """Pages with these lines, one below the other."""
    with Document(
        documents.placed(*(documents.listed(lines, 72, 700) for lines in pages)), name="printed.pdf"
    ) as document:
        texts = document.reader.text(range(1, len(pages) + 1))
        return [PageText.from_bytes(text) for text in texts if isinstance(text, bytes)]


def places(texts: list[str], *pages: list[str], whole: bool = True, formula: str = "") -> dict[str, str]:
    """What is printed where each text was placed; a text without a place is not in it."""
    read = printed(*pages)
    lines = PrintedText(read, [line for index, page in enumerate(read) for line in lines_of(index, page)])
    wanted = [SoughtText(kept(text), whole, may_change=True, formula=text == formula) for text in texts]
    align(wanted, lines, (0, len(lines.text)))
    found = zip(texts, wanted, strict=True)
    return {text: "|".join(lines.text[a:b] for a, b in one.found) for text, one in found if one.found}


def test_texts_are_found_in_their_order():
    page = ["Annual report", "Revenue grew.", "Revenue grew.", "The end"]
    assert places(["Annual report", "Revenue grew.", "Revenue grew.", "The end"], page) == {
        "Annual report": "annualreport",
        "Revenue grew.": "revenuegrew",
        "The end": "theend",
    }


def test_a_text_that_is_there_twice_and_wanted_once_has_no_place():
    assert places(["Total"], ["Total", "Total"]) == {}


def test_a_paragraph_of_several_lines_is_one_stretch():
    page = ["The quick brown fox jumps over", "the lazy dog and then it sleeps"]
    text = "The quick brown fox jumps over the lazy dog and then it sleeps"
    assert places([text], page) == {text: kept(text).text}


def test_a_label_and_its_value_share_a_line():
    assert places(["Name", "Ada Lovelace", "Age", "36"], ["Name Ada Lovelace", "Age 36"]) == {
        "Name": "name",
        "Ada Lovelace": "adalovelace",
        "Age": "age",
        "36": "36",
    }


def test_a_formula_is_what_is_printed_between_the_texts_around_it():
    formula = r"\frac{a}{b}"
    found = places(["Before it", formula, "After it"], ["Before it", "a2 b2 c2", "After it"], formula=formula)
    assert found[formula] == "a2b2c2"


def test_words_that_printing_added_do_not_hide_a_text():
    text = "See the chapter on the measurement of long distances for details"
    page = ["See the chapter 12.3 on the measurement of", "long distances for details"]
    assert places([text], page)[text].replace("|", "") == kept(text).text


def test_a_number_is_not_a_part_of_another():
    assert places(["12"], ["112", "3.12", "12%"]) == {}


def test_a_chain_leaves_out_what_two_answers_place_differently():
    assert chained([[PossiblePlace(0, 1, 8), PossiblePlace(2, 3, 8)]]) == [None]
    assert chained([[PossiblePlace(0, 1, 8), PossiblePlace(2, 3, 8)], [PossiblePlace(1, 2, 8)]]) == [
        PossiblePlace(0, 1, 8),
        PossiblePlace(1, 2, 8),
    ]


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=12), st.randoms())
def test_places_are_in_order_and_never_shared(words: list[str], dice: random.Random):
    sought = [dice.choice(words) for _ in range(dice.randint(1, 8))]
    candidates = [[PossiblePlace(n, n + 1, 8) for n, other in enumerate(words) if other == word] for word in sought]
    found = [place for place in chained(candidates) if place is not None]
    assert all(one.end <= other.start for one, other in pairwise(found))


def structure(*texts: str) -> dict:
    items = [
        {
            "self_ref": f"#/texts/{n}",
            "parent": {"$ref": "#/body"},
            "label": "text",
            "text": text,
            "content_layer": "body",
        }
        for n, text in enumerate(texts)
    ]
    return {"body": {"children": [{"$ref": item["self_ref"]} for item in items]}, "texts": items, "pages": {}}


def test_a_text_that_goes_on_on_the_next_page_has_two_places():
    text = "A sentence that begins at the end of one page and goes on at the top of the next"
    pages = printed(["A sentence that begins at the end of one page"], ["and goes on at the top of the next"])
    given_ = structure(text)
    placed = place(given_, pages)
    entries = placed["texts"][0]["prov"]
    assert [entry["page_no"] for entry in entries] == [1, 2]
    assert [text[slice(*entry["charspan"])] for entry in entries] == [
        "A sentence that begins at the end of one page ",
        "and goes on at the top of the next",
    ]
    assert "prov" not in given_["texts"][0]
    assert placed["pages"].keys() == {"1", "2"}


def test_a_title_that_is_also_in_the_head_of_a_single_page_is_placed():
    given_ = structure("Notes", "Some text")
    given_["texts"].append(
        {"self_ref": "#/texts/2", "parent": {"$ref": "#/body"}, "label": "page_header", "text": "Notes"}
        | {"content_layer": "furniture"}
    )
    given_["body"]["children"].append({"$ref": "#/texts/2"})
    placed = place(given_, printed(["Notes", "Some text"]))
    assert [len(item["prov"]) for item in placed["texts"]] == [1, 1, 0]
