"""Routers of the API, and the bodies of its requests for the OpenAPI text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from quire.service.api.errors import ApiRoute
from quire.service.api.schemas import ApiFault


def api_router(prefix: str, tag: str, *failures: int) -> APIRouter:
    """A router of the API whose requests fail with these statuses, besides those of every request."""
    responses: dict[int | str, dict[str, Any]] = {status: {"model": ApiFault} for status in failures}
    return APIRouter(prefix=prefix, tags=[tag], route_class=ApiRoute, responses=responses)


def request_body(model: type[BaseModel]) -> dict[str, Any]:
    """A body of JSON: it is read after what it is about was found."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def submission_body(
    model: type[BaseModel], *required: str, attached: Sequence[str] = (), **parts: type[BaseModel]
) -> dict[str, Any]:
    """A body of JSON, or a form with files, `attached` ones among them, and further parts that are JSON as text."""
    described = {name: {"type": "string", "description": f"`{one.__name__}` as JSON."} for name, one in parts.items()}
    file = {"type": "string", "format": "binary"}
    files = {"files": {"type": "array", "items": file}, **dict.fromkeys(attached, file)}
    form = {"type": "object", "required": ["files", *required], "properties": {**files, **described}}
    body = request_body(model)
    body["requestBody"]["content"]["multipart/form-data"] = {"schema": form}
    return body
