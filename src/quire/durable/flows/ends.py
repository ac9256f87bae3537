"""The two ends of a flow: the request for its document, and its output."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

from quire.core.context import Json
from quire.core.errors import QuireError, RunError
from quire.core.keys import artifact_key, digest_bytes, digest_of
from quire.durable.flows.references import Absent, Values
from quire.durable.flows.step_work import Making, encoded
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.flow.definition import FlowDefinition
from quire.reading.messages import KeyedReadArgument, OutputReference, SourceJson


def identified(documents: Mapping[str, Json]) -> dict[str, SourceJson]:
    """Files by their content. A file that cannot be opened is left out: the step that needs it reports the error."""
    sources: dict[str, SourceJson] = {}
    for name, source in documents.items():
        with suppress(QuireError):
            sources[name] = _source(source).to_json()
    return sources


def document_request(making: Making) -> KeyedReadArgument:
    """The argument of the workflow of a document, and its idempotency key."""
    source = making.values.raw().arguments(making.step.input)["source"].load()
    try:
        request = ReadRequest.with_options(_source(source), making.options())
    except QuireError as error:
        raise RunError.of(error, str(error)) from error  # with the name of the document
    return {"key": request.key(), "request": request.to_json()}


def _source(document: object) -> SourceRef:
    """The file that an input names: by its path alone, or with a name and an id."""
    named: dict[str, Json] = (
        {"path": document} if isinstance(document, str) else dict(cast("Mapping[str, Json]", document))
    )
    name = named.get("name") or Path(named["path"]).name
    if named.get("id"):
        return SourceRef.from_json(cast("SourceJson", {**named, "name": name}))
    return replace(SourceRef.of(named["path"]), name=name)


def output_value(definition: FlowDefinition, values: Values, limit: int) -> OutputReference:
    """Save the output of a flow; it is included if it is small enough for a journal."""
    part = values.raw().part(definition.output)
    output = None if isinstance(part, Absent) else part.load()
    for name, declared in definition.outputs.items():
        given = output.get(name) if isinstance(output, dict) else None
        problem = "is missing" if given is None and declared.required else None
        problem = problem or (declared.type.problem(given) if given is not None else None)
        if problem:
            raise RunError(f"the output {name!r} of flow {definition.name!r} {problem}", category="config")
    data = encoded(output)
    documents = [value["document"] for value in values.steps.values() if value and value.get("document")]
    key = artifact_key("flow-output", "1", (digest_bytes(data), *documents[:1]), digest_of({}))
    digest = values.store.save(key, data, stage="flow", document=documents[0] if documents else "")
    values.store.flush()
    # A journal writes JSON in ASCII, which takes up to three times the size for most scripts.
    return {"digest": digest, "output": output} if len(json.dumps(output)) <= limit else {"digest": digest}
