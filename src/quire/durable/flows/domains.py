"""Components for the ready-made pipelines of `quire.domains`. Those that open a file do so in workers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from quire.core.context import Json
from quire.durable.flows.components import built_in, option
from quire.durable.flows.domain_jobs import DrawingRequest
from quire.durable.reads.read_request import SourceRef
from quire.durable.reads.read_steps import EXPORT_S, DocumentSteps
from quire.flow.components import Files, Port, component, component_of
from quire.flow.value_types import Type
from quire.reading.messages import DocumentReference, SourceJson
from quire.system.stage_versions import stage_version

if TYPE_CHECKING:
    from quire.reading.result import DocumentResult

DRAWING_S = 7200.0
"""The longest time for a worker to read a drawing: a large sheet is some hundred pictures for OCR."""
_JOBS = "quire.durable.flows.domain_jobs"
_FORM_INPUTS = {"document": Port(Type("result")), "source": Port(Type("document"))}

FORM = built_in(
    "form",
    "The labels of a form with their values, its check boxes and its tables.",
    inputs=_FORM_INPUTS,
    outputs={"name": Type("string"), "fields": Type("list"), "check_boxes": Type("list"), "tables": Type("list")},
    gives=Type("object"),
)

FORM_WORKBOOK = built_in(
    "form_workbook", "A form as a workbook, with colours by confidence.", inputs=_FORM_INPUTS, gives=Type("list")
)

DRAWING = built_in(
    "drawing",
    "The tags of a drawing by kind, with boxes and angles, and its title block.",
    inputs={"source": Port(Type("document"))},
    options={"pages": option(Type("string", nullable=True))},
    outputs={"name": Type("string"), "tags": Type("object"), "title_block": Type("object"), "sheets": Type("list")},
    gives=Type("object"),
)


def domain_services(steps: DocumentSteps) -> Mapping[str, Callable[..., object]]:
    """The services of these components, by name. They block while a worker works."""

    def formed(job: str, document: DocumentReference) -> bytes:
        scoped = steps.scoped(document.get("scope", ""))
        with scoped.requested(document) as read:
            return bytes(scoped.work(f"{_JOBS}:{job}", read, EXPORT_S).data)

    def form(document: DocumentReference, source: SourceJson) -> Json:
        return json.loads(formed("form", document))

    def form_workbook(document: DocumentReference, source: SourceJson) -> Files:
        return Files({".form.xlsx": formed("form_workbook", document)})

    def drawing(source: SourceJson, *, pages: str | None) -> Json:
        with steps.opened(SourceRef.from_json(source)) as opened:
            return json.loads(steps.work(f"{_JOBS}:drawing", DrawingRequest(opened, pages), DRAWING_S).data)

    return {"form": form, "form_workbook": form_workbook, "drawing": drawing}


@component(version=stage_version("tag_list"))
def _tag_list(drawing: dict[str, Json]) -> Files:
    """The tags of a drawing as CSV."""
    from quire.pipelines.domains.drawings.sheet import tags_csv, tags_of

    return Files({".tags.csv": tags_csv(tags_of(drawing)).encode()})


@component(version=stage_version("discover"), outputs={"schema": dict, "values": dict})
def _discover(document: DocumentResult) -> dict[str, Json]:
    """A schema proposed from a document, and its values by that schema."""
    from quire.pipelines.domains import discover

    found = discover.schema([document])
    return {"schema": dict(found.schema), "values": found.fill()[0].values}


TAG_LIST = component_of(_tag_list, "tag_list")
DISCOVER = component_of(_discover, "discover")
