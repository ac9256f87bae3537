"""docling-serve's routes for the OpenAPI text, with the names that its own text has for operations and schemas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from quire.docling_serve.contract import requests, schemas
from quire.docling_serve.contract.enums import TargetName
from quire.docling_serve.contract.request_options import (
    ConvertDocumentsOptions,
    HierarchicalChunkerOptions,
    HybridChunkerOptions,
)

Json = dict[str, Any]
REFERENCE = "#/components/schemas/{model}"
KEY_SCHEME = "APIKeyAuth"
_MODELS: tuple[type[BaseModel], ...] = (
    *(requests.ConvertSourcesRequest, requests.BatchConvertSourcesRequest, requests.OldConvertRequest),
    *(
        requests.HybridChunkerOptionsDocumentsRequest,
        requests.HierarchicalChunkerOptionsDocumentsRequest,
        requests.ProgressCallbackRequest,
    ),
    *(ConvertDocumentsOptions, HybridChunkerOptions, HierarchicalChunkerOptions),
    *(schemas.ConvertDocumentResponse, schemas.ChunkDocumentResponse, schemas.CountsResponse),
    *(schemas.TaskStatusResponse, schemas.TaskFailureResult, schemas.ClearResponse, schemas.HTTPValidationError),
)
_REFUSED = requests.PresignedUrlTarget.__name__
_TITLES = {"hybrid": "HybridChunker", "hierarchical": "HierarchicalChunker"}
_TASK = [{"name": "task_id", "in": "path", "required": True, "schema": {"type": "string"}}]


def docling_openapi() -> tuple[dict[str, Json], dict[str, Json]]:
    """The paths with their operations, and the schemas that they refer to."""
    _, made = models_json_schema([(model, "validation") for model in _MODELS], ref_template=REFERENCE)
    described: dict[str, Json] = {name: _offered(schema) for name, schema in made["$defs"].items() if name != _REFUSED}
    for name, (options, prefix) in _forms().items():
        described[name] = _form(options, prefix)
    paths: dict[str, Json] = {}
    for path, method, operation in _operations():
        paths.setdefault(path, {})[method] = operation
    return paths, described


def _offered(value: Any) -> Any:
    """A schema without the target that every request for it is refused."""
    if isinstance(value, list):
        return [_offered(one) for one in value if one != _reference(_REFUSED)]
    if isinstance(value, dict):
        return {name: _offered(one) for name, one in value.items() if one != _reference(_REFUSED)["$ref"]}
    return value


def _operations() -> Iterator[tuple[str, Literal["get", "post"], Json]]:
    converted = _responses("ConvertDocumentResponse", "CountsResponse", archive=True)
    accepted, chunked = _responses("TaskStatusResponse"), _responses("ChunkDocumentResponse", archive=True)
    for wait, as_task, answer in (("", "", converted), ("_async", " as a task", accepted)):
        end = wait.replace("_", "/")
        body = _body("ConvertSourcesRequest")
        named = f"process_url{wait}_v1_convert_source{wait}_post"
        yield (
            f"/v1/convert/source{end}",
            "post",
            _operation("convert", f"Convert sources{as_task}", named, answer, body),
        )
        named = f"process_file{wait}_v1_convert_file{wait}_post"
        body = _body(f"Body_{named}", "multipart/form-data")
        yield f"/v1/convert/file{end}", "post", _operation("convert", f"Convert files{as_task}", named, answer, body)
        for kind in ("source", "file"):
            named = f"old_convert_{kind}{wait}_v1alpha_convert_{kind}{wait}_post"
            form = _body("Body_process_file_v1_convert_file_post", "multipart/form-data")
            body = form if kind == "file" else _body("OldConvertRequest")
            yield (
                f"/v1alpha/convert/{kind}{end}",
                "post",
                {
                    **_operation("v1alpha", f"Convert in the form of v1alpha{as_task}", named, answer, body),
                    "deprecated": True,
                },
            )
    named = "process_source_batch_v1_convert_source_batch_post"
    body = _body("BatchConvertSourcesRequest")
    yield "/v1/convert/source/batch", "post", _operation("convert", "Convert to buckets", named, accepted, body)
    for chunker, title in _TITLES.items():
        for wait, as_task, answer in (("", "", chunked), ("_async", " as async task", accepted)):
            for kind in ("source", "file"):
                end, named = wait.replace("_", "/"), _chunk_name(chunker, kind, wait)
                body = _body(f"{title}OptionsDocumentsRequest")
                if kind == "file":
                    body = _body(f"Body_{named}", "multipart/form-data")
                summary = f"Chunk {kind}s with {title}{as_task}"
                yield f"/v1/chunk/{chunker}/{kind}{end}", "post", _operation("chunk", summary, named, answer, body)
    wait_s = {
        "name": "wait",
        "in": "query",
        "required": False,
        "description": "Seconds to wait for the end of the task, at most 60.",
        "schema": {"type": "number", "default": 0.0, "minimum": 0},
    }
    older_s = {**wait_s, "name": "older_then", "description": "Seconds since the end of a task."}
    older_s["schema"] = {"type": "number", "default": 3600.0, "minimum": 0}
    results = _responses(
        "ConvertDocumentResponse", "CountsResponse", "ChunkDocumentResponse", "TaskFailureResult", archive=True
    )
    results["404"] = _described("The task is unknown, or has not ended.", "HTTPValidationError")
    accepted = {**accepted, "404": _described("The task is unknown.", "HTTPValidationError")}
    for version in ("v1", "v1alpha"):
        named = f"task_status_poll_{version}_status_poll__task_id__get"
        poll = _operation("tasks", "The status of a task", named, accepted)
        yield f"/{version}/status/poll/{{task_id}}", "get", {**poll, "parameters": [*_TASK, wait_s]}
        named = f"task_result_{version}_result__task_id__get"
        result = _operation("tasks", "The result of a task", named, results)
        yield f"/{version}/result/{{task_id}}", "get", {**result, "parameters": _TASK}
    cleared = _responses("ClearResponse")
    named = "clear_converters_v1_clear_converters_get"
    yield "/v1/clear/converters", "get", _operation("clear", "Free what is cached", named, cleared)
    named = "clear_results_v1_clear_results_get"
    clear = _operation("clear", "Forget the results of tasks that have ended", named, cleared)
    yield "/v1/clear/results", "get", {**clear, "parameters": [older_s]}
    named = "callback_task_progress_v1_callback_task_progress_post"
    taken = {"200": {"description": "It is acknowledged.", "content": {"application/json": {"schema": {}}}}}
    taken["422"] = _responses("ClearResponse")["422"]
    body = _body("ProgressCallbackRequest")
    yield "/v1/callback/task/progress", "post", _operation("internal", "Take progress", named, taken, body)


def refusals(path: str, operation: Json, *, public: bool) -> Json:
    """The responses of a server that does not do what it is asked, by status, where these are the same everywhere."""
    texts: dict[str, str] = {}
    if not public:
        texts |= {
            "401": "The key is missing, or is another one.",
            "403": "The request is from another web site.",
            "421": "The server has another name than the request says.",
            "503": "The server is busy, or stops, or its database is away; see `Retry-After`.",
        }
    if "requestBody" in operation:
        texts |= {
            "400": "The body cannot be parsed.",
            "408": "The body took too long to arrive.",
            "413": "The body, or a file in it, is too large.",
            "415": "The body is of another media type.",
        }
    if any(path.startswith(one) for one in ("/v1/", "/v1alpha/")) and path.endswith(("/source", "/file")):
        texts["504"] = "The task took longer than a synchronous call waits."
    return {status: _described(text, "HTTPValidationError") for status, text in texts.items()}


def _operation(tag: str, summary: str, name: str, responses: Json, body: Json | None = None) -> Json:
    operation: Json = {"tags": [tag], "summary": summary, "operationId": name, "responses": responses}
    return operation if body is None else {**operation, "requestBody": body}


def _body(schema: str, content_type: str = "application/json") -> Json:
    return {"required": True, "content": {content_type: {"schema": _reference(schema)}}}


def _responses(*names: str, archive: bool = False) -> Json:
    listed = [_reference(name) for name in names]
    content: Json = {"application/json": {"schema": listed[0] if len(listed) == 1 else {"anyOf": listed}}}
    if archive:
        content["application/zip"] = {"schema": {"type": "string", "format": "binary"}}
    return {
        "200": {"description": "Successful Response", "content": content},
        "422": _described("The request is not valid, or asks for what is not allowed.", "HTTPValidationError"),
    }


def _described(text: str, schema: str) -> Json:
    return {"description": text, "content": {"application/json": {"schema": _reference(schema)}}}


def _reference(name: str) -> Json:
    return {"$ref": REFERENCE.format(model=name)}


def _chunk_name(chunker: str, kind: str, wait: str) -> str:
    task = "_as_async_task" if wait else ""
    return f"Chunk_{kind}s_with_{_TITLES[chunker]}{task}_v1_chunk_{chunker}_{kind}{wait}_post"


def _forms() -> dict[str, tuple[type[HybridChunkerOptions | HierarchicalChunkerOptions] | None, str]]:
    """The forms by the name of their schema: the chunking options, and what names of conversion options begin with."""
    chunkers: dict[str, type[HybridChunkerOptions | HierarchicalChunkerOptions]] = {
        "hybrid": HybridChunkerOptions,
        "hierarchical": HierarchicalChunkerOptions,
    }
    waits = ("", "_async")
    return {
        **{f"Body_process_file{wait}_v1_convert_file{wait}_post": (None, "") for wait in waits},
        **{
            f"Body_{_chunk_name(name, 'file', wait)}": (options, "convert_")
            for name, options in chunkers.items()
            for wait in waits
        },
    }


def _form(chunking: type[BaseModel] | None, prefix: str) -> Json:
    """A multipart form: lists are repeated fields, objects are JSON as text."""
    fields: dict[str, Json] = {
        "files": {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1},
        "target_type": {
            "type": "string",
            "enum": [one.value for one in TargetName if one != TargetName.presigned_url],
            "default": "inbody",
        },
        "callbacks": {"type": "array", "items": {"type": "string"}, "description": "URLs, or JSON objects."},
    }
    without = {"to_formats"} if chunking else set()
    fields |= {f"{prefix}{name}": one for name, one in _fields(ConvertDocumentsOptions).items() if name not in without}
    if chunking is not None:
        fields["include_converted_doc"] = {"type": "boolean", "default": False}
        fields |= {f"chunking_{name}": one for name, one in _fields(chunking).items() if name != "chunker"}
    return {"type": "object", "required": ["files"], "properties": fields}


def _fields(model: type[BaseModel]) -> dict[str, Json]:
    _, made = models_json_schema([(model, "validation")], ref_template=REFERENCE)
    definitions: dict[str, Json] = made["$defs"]
    properties: dict[str, Json] = definitions[model.__name__]["properties"]
    return {name: _as_text(one, definitions) for name, one in properties.items()}


def _as_text(field: Json, definitions: dict[str, Json]) -> Json:
    """A field as a form sends it: what is an object in JSON is text here."""
    plain = [one for one in field.get("anyOf", [field]) if one.get("type") != "null"]
    targets = [one["$ref"].rpartition("/")[2] for one in plain if "$ref" in one]
    objects = any(definitions.get(name, {}).get("type") == "object" for name in targets)
    if objects or any(one.get("type") == "object" for one in plain):
        return {"type": "string", "contentMediaType": "application/json", "title": field.get("title", "")}
    return field
