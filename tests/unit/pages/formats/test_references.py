"""Blocks of a converted document know the items of docling's document that they come from."""

from __future__ import annotations

from quire.core.media_types import input_format_of
from quire.pages.formats.blocks import pages_of, references_of


def text(number: int, parent: str = "#/body", **more):
    ref = f"#/texts/{number}"
    return {
        "self_ref": ref,
        "parent": {"$ref": parent},
        "children": [],
        "label": "text",
        "text": ref,
        "prov": [],
        **more,
    }


def refs(*names: str):
    return [{"$ref": name} for name in names]


def test_a_block_of_several_pieces_has_an_item_for_each():
    structure = {
        "body": {"children": refs("#/texts/0", "#/groups/0", "#/tables/0")},
        "groups": [{"self_ref": "#/groups/0", "label": "inline", "children": refs("#/texts/1", "#/texts/2")}],
        "texts": [text(0, label="title"), text(1, "#/groups/0"), text(2, "#/groups/0"), text(3, label="caption")],
        "tables": [
            {
                "self_ref": "#/tables/0",
                "children": [],
                "captions": refs("#/texts/3"),
                "prov": [],
                "data": {"num_rows": 0, "num_cols": 0, "table_cells": []},
            }
        ],
    }
    found = references_of(structure)
    assert list(found.values()) == [("#/texts/0",), ("#/texts/1", "#/texts/2"), ("#/texts/3",), ("#/tables/0",)]
    (page,) = pages_of(structure, input_format="docx")
    assert [block.id for block in page.blocks] == list(found)


def test_formats_have_the_names_that_docling_gives_them():
    known = {"application/pdf": "pdf", "image/png": "image", "text/plain": "md", "image/gif": "", "chemical/x-xyz": ""}
    assert {media_type: input_format_of(media_type) for media_type in known} == known
