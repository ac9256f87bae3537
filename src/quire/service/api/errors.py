"""Errors of the API: JSON with the reason, and what it is about."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from quire.core.errors import Category, InputError, QuireError
from quire.docling_serve.contract.refusals import RequestRefused

VERSION_HEADER = {"Quire-API": "1"}
_STATUS: dict[Category, int] = {"usage": 422, "input": 422, "config": 501, "timeout": 504, "network": 502}
"""The HTTP status by class of error; 503 for those that a retry may solve, 500 for the others."""


class ApiError(Exception):
    """An error for the caller: the HTTP status, the reason, and what it is about."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        document: str | None = None,
        page: int | None = None,
        category: Category | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.about = {"document": document, "page": page, "category": category}

    @classmethod
    def of(cls, error: QuireError, *, document: str | None = None, page: int | None = None) -> ApiError:
        status = 503 if error.retryable and error.category not in _STATUS else _STATUS.get(error.category, 500)
        message = str(error.args[0]) if isinstance(error, InputError) else str(error)
        if isinstance(error, InputError):
            document, page = document or error.document, page or error.page
        return cls(status, message, document=document, page=page, category=error.category)

    def response(self) -> Response:
        known = {name: value for name, value in self.about.items() if value is not None}
        headers = VERSION_HEADER | ({"Retry-After": "2"} if self.status == 503 else {})
        return JSONResponse({"detail": self.detail, **known}, self.status, headers)


class ApiRoute(APIRoute):
    """A route of the API: names the version of the API in each response, and turns errors into JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                response = await handle(request)
            except ApiError as error:
                return error.response()
            except RequestRefused as error:
                return ApiError(error.status, str(error)).response()
            except QuireError as error:
                return ApiError.of(error).response()
            except RequestValidationError as error:
                return ApiError(422, "; ".join(map(_line, error.errors())), category="usage").response()
            response.headers.update(VERSION_HEADER)
            return response

        return handler


def _line(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"][1:])
    return f"{place}: {error['msg']}" if place else str(error["msg"])
