from __future__ import annotations

import base64
import copy
import json
import zipfile
from io import BytesIO

import pytest
import yaml
from docling_core.types.doc.document import DoclingDocument
from PIL import Image

from quire.core.errors import InputError
from quire.output.export import docling
from quire.output.export.docling_images import OutputOptions
from quire.output.export.docling_outputs import SUFFIXES, files, render, unique_stems

from .results import report

OPTIONS: OutputOptions = {
    "formats": ["md"],
    "image_mode": "placeholder",
    "images": False,
    "page_images": False,
    "images_scale": 2.0,
    "page_break": "",
    "compact_tables": False,
    "version": None,
    "titles": False,
}
TEXTS = ("md", "json", "yaml", "html", "html_split_page", "text", "doctags", "vtt", "doclang", "latex")


def options(*formats: str, **more) -> OutputOptions:
    return {**OPTIONS, "formats": list(formats), **more}  # type: ignore[typeddict-item]


def node(reference: str, label: str, **more) -> dict:
    return {
        "self_ref": reference,
        "parent": {"$ref": "#/body"},
        "children": [],
        "content_layer": "body",
        "label": label,
        **more,
    }


def place(page: int, box: tuple[float, float, float, float], origin: str = "BOTTOMLEFT") -> dict:
    return {
        "page_no": page,
        "bbox": dict(zip("ltrb", box, strict=True)) | {"coord_origin": origin},
        "charspan": [0, 1],
    }


def document() -> dict:
    """Two pages: a heading and a picture on the first, a table and text on the second."""
    floating = {"captions": [], "references": [], "footnotes": [], "image": None, "annotations": []}
    heading = node("#/texts/0", "section_header", orig="Sums", text="Sums", level=1, prov=[place(1, (0, 90, 50, 80))])
    text = node("#/texts/1", "text", orig="The_end", text="The_end", prov=[place(2, (0, 20, 50, 10))])
    picture = node("#/pictures/0", "picture", prov=[place(1, (10, 75, 60, 25))], **floating)
    cells = [
        {
            "text": words,
            "start_row_offset_idx": row,
            "end_row_offset_idx": row + 1,
            "start_col_offset_idx": column,
            "end_col_offset_idx": column + 1,
            "column_header": row == 0,
        }
        for row, line in enumerate([("item", "sum"), ("a", "12")])
        for column, words in enumerate(line)
    ]
    data = {"num_rows": 2, "num_cols": 2, "table_cells": cells}
    table = node("#/tables/0", "table", data=data, prov=[place(2, (0, 90, 50, 50))], **floating)
    order = ("#/texts/0", "#/pictures/0", "#/tables/0", "#/texts/1")
    root = {"children": [], "name": "_root_", "label": "unspecified"}
    return {
        "schema_name": "DoclingDocument",
        "version": "1.10.0",
        "name": "sums",
        "origin": {"mimetype": "application/pdf", "binary_hash": 1, "filename": "sums.pdf"},
        "furniture": {"self_ref": "#/furniture", "content_layer": "furniture", **root},
        "body": {"self_ref": "#/body", "content_layer": "body", **root, "children": [{"$ref": one} for one in order]},
        "groups": [],
        "texts": [heading, text],
        "pictures": [picture],
        "tables": [table],
        "key_value_items": [],
        "form_items": [],
        "pages": {str(n): {"size": {"width": 100.0, "height": 100.0}, "image": None, "page_no": n} for n in (1, 2)},
    }


class Camera:
    """Cuts pictures of the right size and remembers what was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, tuple[float, ...], float]] = []

    def __call__(self, page, part, scale):
        self.asked.append((page, tuple(round(value, 3) for value in part), scale))
        made = BytesIO()
        Image.new("RGB", (round(part[2] * 100 * scale), round(part[3] * 100 * scale)), "red").save(made, "PNG")
        return made.getvalue()


def test_markdown_is_that_of_docling():
    found = render(document(), options("md"))
    said = "## Sums\n\n<!-- image -->\n\n| item   |   sum |\n|--------|-------|\n| a      |    12 |\n\nThe\\_end"
    assert found.contents == {"md": said}
    assert (found.artifacts, found.characters) == ({}, len(said))


def test_options_of_markdown():
    text = render(document(), options("md", page_break="<!-- page -->", compact_tables=True)).contents["md"]
    assert "<!-- image -->\n\n<!-- page -->\n\n| item | sum |\n| - | - |\n| a | 12 |" in text


def test_json_begins_with_the_schema_and_has_the_grid():
    text = render(document(), options("json")).contents["json"]
    assert isinstance(text, str)
    assert text.startswith('{"schema_name":"DoclingDocument","version":"1.10.0","name":"sums"')
    found = json.loads(text)
    assert len(found["tables"][0]["data"]["grid"]) == 2
    assert found["pictures"][0]["image"] is None
    assert DoclingDocument.model_validate(found)


@pytest.mark.slow  # loads every serialiser
def test_every_text_format_is_written():
    found = render(document(), options(*TEXTS)).contents
    assert list(found) == list(TEXTS)
    assert found["html"].startswith("<!DOCTYPE html>\n<html>\n<head>")
    assert found["doctags"].startswith("<doctag>") and "<page_break>" in found["doctags"]
    assert found["text"].startswith("Sums\n\n")
    assert found["doclang"].startswith("<doclang")
    assert found["latex"].startswith("\\documentclass")
    assert yaml.safe_load(found["yaml"])["schema_name"] == "DoclingDocument"


def test_tags_are_those_of_docling_also_with_tables_inside_of_tables():
    tree = document()
    tree["groups"] = [node("#/groups/0", "unspecified", name="cell") | {"parent": {"$ref": "#/tables/0"}}]
    tree["tables"][0]["children"] = [{"$ref": "#/groups/0"}]
    inner = node("#/texts/2", "text", orig="inside", text="inside", prov=[]) | {"parent": {"$ref": "#/groups/0"}}
    tree["groups"][0]["children"] = [{"$ref": "#/texts/2"}]
    tree["texts"].append(inner)
    plain = DoclingDocument.model_validate(document()).export_to_doctags()
    assert render(document(), options("doctags")).contents["doctags"] == plain
    tree["tables"][0]["data"]["table_cells"][2] |= {"ref": {"$ref": "#/groups/0"}}
    rich = DoclingDocument.model_validate(tree).export_to_doctags()
    assert "inside" in rich
    assert render(tree, options("doctags")).contents["doctags"] == rich


def test_document_of_ours_is_written_too():
    found = render(docling(report()), options("md", "json"))
    assert json.loads(found.contents["json"])["schema_name"] == "DoclingDocument"
    assert found.contents["md"]


def test_pictures_are_cut_from_the_page_and_embedded():
    camera = Camera()
    found = render(document(), options("md", "json", image_mode="embedded", images=True), camera)
    assert camera.asked == [(1, (0.1, 0.25, 0.5, 0.5), 2.0)]
    assert "![Image](data:image/png;base64," in found.contents["md"]
    image = json.loads(found.contents["json"])["pictures"][0]["image"]
    assert (image["mimetype"], image["dpi"], image["size"]) == ("image/png", 144, {"width": 100.0, "height": 100.0})
    assert found.artifacts == {}


def test_boxes_from_the_top_are_the_same_part_of_the_page():
    tree, camera = document(), Camera()
    tree["pictures"][0]["prov"] = [place(1, (10, 25, 60, 75), "TOPLEFT")]
    render(tree, options("md", image_mode="embedded", images=True), camera)
    assert camera.asked[0][1] == (0.1, 0.25, 0.5, 0.5)


def test_referenced_images_are_files_beside_the_document():
    found = render(document(), options("md", "json", image_mode="referenced", images=True, page_images=True), Camera())
    tree = json.loads(found.contents["json"])
    paths = [tree["pictures"][0]["image"]["uri"], *(tree["pages"][n]["image"]["uri"] for n in ("1", "2"))]
    assert sorted(found.artifacts) == sorted(paths)
    assert all(path.startswith("artifacts/") and path.endswith(".png") for path in paths)
    assert f"![Image]({paths[0]})" in found.contents["md"]
    assert tree["pages"]["1"]["image"]["size"] == {"width": 200.0, "height": 200.0}
    named = files("sums", found)
    assert sorted(named) == sorted(["sums.md", "sums.json", *paths])
    assert Image.open(BytesIO(named[paths[0]])).size == (100, 100)


def test_a_picture_that_the_document_has_is_taken_as_it_is():
    tree = document()
    made = BytesIO()
    Image.new("RGB", (3, 2), "blue").save(made, "JPEG")
    uri = f"data:image/jpeg;base64,{base64.b64encode(made.getvalue()).decode()}"
    tree["pictures"][0]["image"] = {
        "mimetype": "image/jpeg",
        "dpi": 72,
        "size": {"width": 3.0, "height": 2.0},
        "uri": uri,
    }
    before = copy.deepcopy(tree)
    found = render(tree, options("json", image_mode="referenced", images=True), Camera())
    [(path, content)] = found.artifacts.items()
    assert path.endswith(".jpg") and content == made.getvalue()
    embedded = render(tree, options("json", image_mode="embedded", images=True)).contents["json"]
    assert json.loads(embedded)["pictures"][0]["image"]["uri"] == uri
    left_out = render(tree, options("json")).contents["json"]
    assert json.loads(left_out)["pictures"][0]["image"] is None
    assert tree == before  # what is given is not changed


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd",
        "/etc/passwd",
        "../secret.png",
        "http://127.0.0.1/x.png",
        "data:text/html;base64,PHNjcmlwdD4=",
        "data:image/svg+xml;base64,PHN2Zz4=",
        "data:image/png;base64,not base64",
    ],
)
def test_images_elsewhere_are_never_opened(uri):
    tree = document()
    image = {"mimetype": "image/png", "dpi": 72, "size": {"width": 1.0, "height": 1.0}, "uri": uri}
    for item in (tree["pictures"][0], tree["tables"][0], tree["pages"]["1"]):
        item["image"] = image
    for mode in ("embedded", "referenced"):
        found = render(tree, options("json", "md", image_mode=mode, images=True, page_images=True))
        assert uri not in str(found.contents)
        assert found.artifacts == {}


def test_split_pages_have_their_pictures():
    camera = Camera()
    text = render(document(), options("html_split_page"), camera).contents["html_split_page"]
    assert "no page-image found" not in text
    assert [page for page, _, _ in camera.asked] == [1, 2]


@pytest.mark.parametrize("mode", ["placeholder", "embedded", "referenced"])
def test_archive_has_its_images_inside(mode):
    asked = mode != "placeholder"
    found = render(document(), options("dclx", image_mode=mode, images=asked, page_images=asked), Camera())
    names = zipfile.ZipFile(BytesIO(found.contents["dclx"])).namelist()
    assert "document.xml" in names
    assert any(name.startswith("assets/") for name in names) == asked


@pytest.mark.parametrize("version", ["1.9.0", "1.8.0", "1.7.0", "1.6.0", "1.5.0"])
def test_document_for_an_older_client(version):
    found = json.loads(render(document(), options("json", version=version)).contents["json"])
    assert next(iter(found)) == "schema_name"
    assert found["version"] == version
    assert not found["texts"][0].keys() & {"meta", "comments", "source"}
    assert [text["text"] for text in found["texts"]] == ["Sums", "The_end"]


@pytest.mark.parametrize("version", ["1.10.0", "1.11.3", "2.0.0"])
def test_client_that_reads_this_version_or_later_gets_it_whole(version):
    text = render(document(), options("json", version=version)).contents["json"]
    assert text == render(document(), options("json")).contents["json"]


def test_document_that_is_not_valid_is_refused():
    tree = document()
    tree["texts"][0]["label"] = "nonsense"
    with pytest.raises(InputError, match="sums: it is no valid DoclingDocument"):
        render(tree, options("md"))


def test_chunks_are_left_to_others():
    assert render(document(), options("chunks")).contents == {}


@pytest.mark.parametrize(
    ("names", "stems"),
    [
        (["a.pdf", "b.md"], ["a", "b"]),
        (["doc.md", "doc.html", "DOC.pdf"], ["doc", "doc-2", "DOC-3"]),
        (["doc.md", "doc-2.md", "doc.html"], ["doc", "doc-2", "doc-3"]),
        (["../../etc/passwd", "C:\\temp\\x.docx", "/"], ["passwd", "x", "document"]),
        (["..", ".hidden", "a.tar.gz"], ["document", "hidden", "a.tar"]),
    ],
)
def test_stems_are_unique_and_never_paths(names, stems):
    assert unique_stems(names) == stems


def test_every_format_of_the_contract_has_a_file_name():
    from quire.docling_serve.contract.enums import OutputFormat

    assert list(SUFFIXES) == [one.value for one in OutputFormat]
    assert len(set(SUFFIXES.values())) == len(SUFFIXES)
