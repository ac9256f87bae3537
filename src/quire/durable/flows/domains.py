"""Components for the ready-made pipelines of `quire.domains`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.context import Json
from quire.flow.components import Files, component, component_of

if TYPE_CHECKING:
    from quire.document import Document
    from quire.domains.forms import Form
    from quire.result import DocumentResult


@component(version="1", outputs={"name": str, "fields": list, "check_boxes": list, "tables": list})
def _form(document: DocumentResult, source: Document) -> dict[str, Json]:
    """The labels of a form with their values, its check boxes and its tables."""
    return _form_of(document, source).to_json()


@component(version="1")
def _form_workbook(document: DocumentResult, source: Document) -> Files:
    """A form as a workbook, with colours by confidence."""
    return Files({".form.xlsx": _form_of(document, source).to_workbook()})


def _form_of(document: DocumentResult, source: Document) -> Form:
    from quire.domains.forms import drawn_boxes, form_of

    return form_of(document, check_boxes=drawn_boxes(source, document))


@component(version="1", outputs={"name": str, "tags": dict, "title_block": dict, "sheets": list})
def _drawing(source: Document, *, pages: str | None = None) -> dict[str, Json]:
    """The tags of a drawing by kind, with boxes and angles, and its title block."""
    from quire.domains import drawings

    return drawings.read(source, pages=pages).to_json()


@component(version="1")
def _tag_list(drawing: dict[str, Json]) -> Files:
    """The tags of a drawing as CSV."""
    from quire.domains.drawings.sheet import tags_csv, tags_of

    return Files({".tags.csv": tags_csv(tags_of(drawing)).encode()})


@component(version="1", outputs={"schema": dict, "values": dict})
def _discover(document: DocumentResult) -> dict[str, Json]:
    """A schema proposed from a document, and its values by that schema."""
    from quire.domains import discover

    found = discover.schema([document])
    return {"schema": dict(found.schema), "values": found.fill()[0].values}


FORM = component_of(_form, "form")
FORM_WORKBOOK = component_of(_form_workbook, "form_workbook")
DRAWING = component_of(_drawing, "drawing")
TAG_LIST = component_of(_tag_list, "tag_list")
DISCOVER = component_of(_discover, "discover")
