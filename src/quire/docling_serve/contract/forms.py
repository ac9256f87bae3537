"""The fields of a multipart form, as (name, value) pairs in the order they were sent, to the models of the JSON bodies.

Lists are repeated fields, `page_range` is two of them, objects are JSON text. An empty value counts as not sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import AnyHttpUrl, BaseModel, TypeAdapter, ValidationError

from quire.docling_serve.contract.enums import TargetName
from quire.docling_serve.contract.orders import Order
from quire.docling_serve.contract.refusals import RequestRefused, error_item, error_items, invalid
from quire.docling_serve.contract.request_options import (
    ConvertDocumentsOptions,
    HierarchicalChunkerOptions,
    HybridChunkerOptions,
)
from quire.docling_serve.contract.requests import (
    AnyTarget,
    CallbackSpec,
    InBodyTarget,
    PresignedUrlTarget,
    ZipTarget,
)

Fields = Sequence[tuple[str, str]]
Chunker = Literal["hybrid", "hierarchical"]
OptionsT = TypeVar("OptionsT", bound=BaseModel)
CHUNKERS: dict[Chunker, type[HybridChunkerOptions] | type[HierarchicalChunkerOptions]] = {
    "hybrid": HybridChunkerOptions,
    "hierarchical": HierarchicalChunkerOptions,
}
_TARGETS: dict[TargetName, AnyTarget] = {
    TargetName.inbody: InBodyTarget(),
    TargetName.presigned_url: PresignedUrlTarget(),
    TargetName.zip: ZipTarget(),
}
_URL = TypeAdapter(AnyHttpUrl)


def convert_form(fields: Fields, files: int) -> Order:
    """The form of `/v1/convert/file` with so many files."""
    sent = _grouped(fields)
    options = _options(ConvertDocumentsOptions, sent)
    return Order("convert", options, (_target(sent),), uploads=files, callbacks=_callbacks(sent))


def chunk_form(fields: Fields, files: int, chunker: Chunker) -> Order:
    """The form of `/v1/chunk/…/file`: conversion options begin with `convert_`, chunking options with `chunking_`."""
    sent = _grouped(fields)
    options = _options(ConvertDocumentsOptions, sent, prefix="convert_", without=frozenset({"to_formats"}))
    chunking = _options(CHUNKERS[chunker], sent, prefix="chunking_", without=frozenset({"chunker"}))
    target, callbacks = _target(sent), _callbacks(sent)
    return Order("chunk", options, (target,), (), files, callbacks, chunking, _flag(sent, "include_converted_doc"))


def old_form(fields: Fields, files: int) -> Order:
    """The form of `/v1alpha/convert/file`."""
    sent = _grouped(fields)
    target = ZipTarget() if _flag(sent, "return_as_file") else InBodyTarget()
    return Order(
        "convert", _options(ConvertDocumentsOptions, sent), (target,), uploads=files, callbacks=_callbacks(sent)
    )


def no_files() -> RequestRefused:
    """A form without the part `files`."""
    return invalid("missing", ("files",), "Field required")


def file_without_name(position: int) -> RequestRefused:
    """A part `files` that is no upload, because it has no file name."""
    return invalid("value_error", ("files", position), "Value error, Expected UploadFile, received: <class 'str'>")


def _grouped(fields: Fields) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in fields:
        found.setdefault(name, []).append(value)
    return found


def _options(
    model: type[OptionsT], sent: Mapping[str, list[str]], *, prefix: str = "", without: frozenset[str] = frozenset()
) -> OptionsT:
    values, wrong = _in_json(sent) if model is ConvertDocumentsOptions else ({}, [])
    for name, kind in _kinds(model).items():
        field = f"{prefix}{name}"
        if name in without or field not in sent:
            continue
        texts = sent[field]
        if kind == "list":
            values[name] = texts
        elif texts[-1] == "":
            continue
        elif kind == "json":
            try:
                values[name] = _adapter(model, name).validate_json(texts[-1])
            except ValidationError as error:
                wrong += error_items(error, (field,))
        else:
            values[name] = texts[-1]
    if wrong:
        raise RequestRefused(422, wrong)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        items = error_items(error)
        for item in items:
            item["loc"][1:2] = [f"{prefix}{name}" for name in item["loc"][1:2]]
        raise RequestRefused(422, items) from None


def _in_json(sent: Mapping[str, list[str]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Options sent as one JSON object in the field `options`, which docling-serve ignores. Fields of their own win."""
    text = sent.get("options", [""])[-1]
    if not text:
        return {}, []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return {}, [error_item("json_invalid", ("options",), f"Invalid JSON: {error}")]
    if not isinstance(value, dict):
        return {}, [error_item("dict_type", ("options",), "Input should be a valid dictionary")]
    return value, []


def _target(sent: Mapping[str, list[str]]) -> AnyTarget:
    text = sent.get("target_type", [""])[-1] or TargetName.inbody
    try:
        return _TARGETS[TargetName(text)]
    except ValueError:
        *first, last = (f"'{name}'" for name in TargetName)
        said = f"Input should be {', '.join(first)} or {last}"
        raise invalid("enum", ("target_type",), said) from None


def _callbacks(sent: Mapping[str, list[str]]) -> tuple[CallbackSpec, ...]:
    """Each is an address, or a JSON object with the address, headers and a certificate."""
    return tuple(_callback(text.strip()) for text in sent.get("callbacks", ()) if text.strip())


def _callback(text: str) -> CallbackSpec:
    """A callback as an object or an address. A text that is no valid object is refused as an address."""
    with suppress(ValidationError):
        return CallbackSpec.model_validate_json(text)
    try:
        return CallbackSpec(url=_URL.validate_python(text))
    except ValidationError as error:
        raise RequestRefused(422, error_items(error, ("callbacks",))) from None


def _flag(sent: Mapping[str, list[str]], name: str) -> bool:
    text = sent.get(name, [""])[-1]
    try:
        return bool(text) and _FLAG.validate_python(text)
    except ValidationError as error:
        raise RequestRefused(422, error_items(error, (name,))) from None


_FLAG = TypeAdapter(bool)


@cache
def _kinds(model: type[BaseModel]) -> dict[str, Literal["list", "json", "text"]]:
    return {name: _kind(field.annotation) for name, field in model.model_fields.items()}


def _kind(annotation: Any) -> Literal["list", "json", "text"]:
    if get_origin(annotation) in (list, tuple):
        return "list"
    if get_origin(annotation) is dict or (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return "json"
    kinds = {_kind(part) for part in get_args(annotation)}
    return "list" if "list" in kinds else "json" if "json" in kinds else "text"


@cache
def _adapter(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    return TypeAdapter(model.model_fields[name].rebuild_annotation())
