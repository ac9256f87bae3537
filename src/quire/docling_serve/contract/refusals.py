"""Refusals of requests, in the shape that clients of docling-serve read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from quire.core.errors import is_text

Location = Sequence[str | int]
_HALVES = re.compile(rb"\\u[dD][89a-fA-F]")
ModelT = TypeVar("ModelT", bound=BaseModel)


class RequestRefused(Exception):
    """The request is refused with an HTTP status. `detail` is a text, or a list of errors with type, loc and msg."""

    def __init__(self, status: int, detail: str | list[dict[str, Any]]) -> None:
        super().__init__(detail if isinstance(detail, str) else "; ".join(str(error["msg"]) for error in detail))
        self.status = status
        self.detail = detail

    def body(self) -> dict[str, Any]:
        """The JSON body of the answer."""
        return {"detail": self.detail}


def refuse(detail: str) -> RequestRefused:
    """A refusal by policy: the request is well formed, but not possible here."""
    return RequestRefused(422, detail)


def invalid(kind: str, location: Location, message: str) -> RequestRefused:
    """A refusal for one field."""
    return RequestRefused(422, [error_item(kind, location, message)])


def error_item(kind: str, location: Location, message: str) -> dict[str, Any]:
    return {"type": kind, "loc": ["body", *location], "msg": message}


def error_items(error: ValidationError, prefix: Location = ()) -> list[dict[str, Any]]:
    """The errors of pydantic, without the values that were sent."""
    found: Iterable[Any] = error.errors(include_url=False, include_input=False, include_context=False)
    return [error_item(one["type"], (*prefix, *one["loc"]), one["msg"]) for one in found]


def parsed(model: type[ModelT], body: bytes) -> ModelT:
    """The JSON body of a request as a model."""
    if not body.strip():
        raise invalid("missing", (), "Field required")
    try:
        value = json.loads(body)
    except json.JSONDecodeError as error:
        raise invalid("json_invalid", (error.pos,), "JSON decode error") from None
    except (ValueError, RecursionError):  # not UTF-8, a number of thousands of digits, nested too deeply
        raise RequestRefused(400, "There was an error parsing the body") from None
    if _HALVES.search(body) and not is_text(json.dumps(value, ensure_ascii=False)):
        raise invalid("string_unicode", (), "Input should be valid Unicode text: it has half of a surrogate pair")
    return validated(model, value)


def validated(model: type[ModelT], value: object, prefix: Location = ()) -> ModelT:
    try:
        return model.model_validate(value, from_attributes=True)
    except ValidationError as error:
        raise RequestRefused(422, error_items(error, prefix)) from None
