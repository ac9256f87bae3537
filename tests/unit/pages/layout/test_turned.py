"""Rotated pages, and rotated text on pages."""

from __future__ import annotations

import pytest

import quire
from tests import documents


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_turned_page_is_read_as_it_is_displayed(degrees):
    result = quire.read(documents.rotated_page(degrees))
    assert [block.text for block in result.blocks] == [
        "Displayed at the top left",
        "This line reads from left to right when the page is shown.",
        "bottom right",
    ]
    assert result.pages[0].info.rotation == degrees


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_boxes_of_a_turned_page_are_those_of_the_displayed_page(degrees):
    blocks = quire.read(documents.rotated_page(degrees)).blocks
    assert blocks[0].bbox.left < 0.15 and blocks[0].bbox.top < 0.15
    assert blocks[-1].bbox.right > 0.85 and blocks[-1].bbox.bottom > 0.85
    assert blocks[0].bbox.width > blocks[0].bbox.height


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_page_whose_text_is_turned_as_a_whole_is_read_upright(degrees):
    blocks = quire.read(documents.turned_text(degrees)).blocks
    assert [block.text.split()[0] for block in blocks] == ["Turned", "First", "Second"]
    assert blocks[0].kind in ("title", "heading")
    assert blocks[1].text.count("\n") == 4


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_the_title_of_a_turned_page_is_its_title(degrees):
    assert quire.read(documents.turned_text(degrees)).blocks[0].kind == "title"


def test_boxes_of_text_turned_as_a_whole_are_turned_back():
    upwards, downwards = (quire.read(documents.turned_text(degrees)).blocks for degrees in (90, 270))
    for blocks in (upwards, downwards):
        assert all(block.bbox.height > block.bbox.width for block in blocks)
    assert upwards[0].bbox.right < upwards[1].bbox.left < upwards[2].bbox.left
    assert downwards[0].bbox.left > downwards[1].bbox.right > downwards[2].bbox.right


def test_words_of_text_turned_as_a_whole_stand_in_their_block():
    for block in quire.read(documents.turned_text(90)).blocks:
        for word in block.words:
            assert block.bbox.left - 0.005 <= word.bbox.left and word.bbox.right <= block.bbox.right + 0.005
            assert block.bbox.top - 0.005 <= word.bbox.top and word.bbox.bottom <= block.bbox.bottom + 0.005


def test_a_stamp_in_the_margin_is_a_block_of_its_own():
    blocks = quire.read(documents.margin_stamp()).blocks
    stamp = next(block for block in blocks if "archive" in block.text)
    assert stamp.text == "archive:1234.5678v2 9 May 2024"
    assert stamp.kind == "header"
    assert stamp.bbox.right < 0.1 and stamp.bbox.height > 0.2


def test_a_stamp_in_the_margin_does_not_interrupt_the_text():
    texts = [block.text for block in quire.read(documents.margin_stamp()).blocks if "archive" not in block.text]
    assert len(texts) == 2
    assert texts[0].startswith("Body begins.")


def test_labels_turned_either_way_are_read_in_their_direction():
    texts = {block.text for block in quire.read(documents.rotated_text()).blocks}
    assert {"Reads upwards", "Reads downwards"} < texts


def test_what_the_crop_box_hides_is_not_read():
    texts = [block.text for block in quire.read(documents.cropped_page()).blocks]
    assert texts == ["Inside the crop box"]
