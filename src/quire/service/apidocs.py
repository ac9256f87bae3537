"""The OpenAPI text of all routes, and a page that shows it: written here, without scripts and without other servers."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from quire.docling_serve.contract.openapi import KEY_SCHEME, REFERENCE, docling_openapi, refusals
from quire.service.security import KEY_HEADER, is_public

Json = dict[str, Any]
DESCRIPTION = (
    "docling-serve's API under `/v1`, and Quire's own under `/api`. Where the server has a key, requests send it in "
    "the header `X-Api-Key`."
)
PAGES = ("/docs", "/swagger", "/scalar")
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "code,pre{font:14px/1.45 ui-monospace,monospace}pre{overflow:auto;padding:.75rem;border:1px solid #8886}"
    "details{border-top:1px solid #8884;padding:.3rem 0}summary{cursor:pointer}"
    "b{display:inline-block;min-width:4.5rem;text-transform:uppercase}h2{margin-top:2.5rem}"
)
POLICY = f"default-src 'none'; style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'"


def describe(app: FastAPI) -> None:
    """Make the OpenAPI text of an application that of all its routes, and add the page about it."""

    @cache
    def text() -> Json:
        return openapi(app)

    app.openapi = text  # type: ignore[method-assign]  # as FastAPI documents it

    async def page(_: Request) -> Response:
        return HTMLResponse(docs_page(text()), headers={"Content-Security-Policy": POLICY})

    app.router.routes.extend(Route(path, page, methods=["GET"]) for path in PAGES)


def openapi(app: FastAPI) -> Json:
    """The OpenAPI text: FastAPI describes its own routes, `contract` those of docling-serve."""
    text: Json = get_openapi(title=app.title, version=app.version, description=DESCRIPTION, routes=app.routes)
    paths, described = docling_openapi()
    text["paths"] = dict(sorted({**text["paths"], **paths}.items()))
    components = text.setdefault("components", {})
    components["schemas"] = dict(sorted({**components.get("schemas", {}), **described, **dict(_lifted(text))}.items()))
    components["securitySchemes"] = {KEY_SCHEME: {"type": "apiKey", "in": "header", "name": KEY_HEADER.title()}}
    for path, operations in text["paths"].items():
        public = is_public(path)
        for operation in operations.values():
            operation["responses"] = refusals(path, operation, public=public) | operation["responses"]
            if not public:
                operation["security"] = [{KEY_SCHEME: []}]
    return text


def _lifted(value: object) -> Iterator[tuple[str, Json]]:
    """The definitions inside schemas, taken out: references are to the components."""
    if isinstance(value, dict):
        yield from value.pop("$defs", {}).items()
        for inner in value.values():
            yield from _lifted(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _lifted(inner)


def docs_page(text: Json) -> str:
    """The routes by tag, each with its parameters, body and answers; then the schemas."""
    tags: dict[str, list[str]] = {}
    for path, operations in text["paths"].items():
        for method, operation in operations.items():
            tags.setdefault(next(iter(operation.get("tags", ["other"]))), []).append(_shown(method, path, operation))
    parts = [f"<h2>{escape(tag)}</h2>{''.join(shown)}" for tag, shown in tags.items()]
    schemas = [
        f'<details id="{escape(name)}"><summary><code>{escape(name)}</code></summary>{_code(schema)}</details>'
        for name, schema in text["components"]["schemas"].items()
    ]
    info = text["info"]
    title = f"{escape(info['title'])} {escape(info['version'])}"
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}: API</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><h1>{title}</h1>'
        f'<p>{escape(info.get("description", ""))} <a href="openapi.json">openapi.json</a></p>'
        f"{''.join(parts)}<h2>Schemas</h2>{''.join(schemas)}</body></html>"
    )


def _shown(method: str, path: str, operation: Json) -> str:
    summary, description = operation.get("summary", ""), operation.get("description", "")
    rows = "".join(
        f"<li><code>{escape(one['name'])}</code> ({escape(one['in'])}) {escape(one.get('description', ''))}</li>"
        for one in operation.get("parameters", ())
    )
    body = operation.get("requestBody", {}).get("content", {})
    answers = operation.get("responses", {})
    return (
        f"<details><summary><b>{escape(method)}</b> <code>{escape(path)}</code> {escape(summary)}</summary>"
        f"<p>{escape(description)}</p>{f'<ul>{rows}</ul>' if rows else ''}"
        f"{_contents('Body', body)}"
        f"{''.join(_contents(f'Answer {status}', one.get('content', {})) for status, one in answers.items())}</details>"
    )


def _contents(title: str, contents: Json) -> str:
    shown = ", ".join(f"{escape(kind)} {_linked(content.get('schema', {}))}" for kind, content in contents.items())
    return f"<p>{escape(title)}: {shown}</p>" if shown else ""


def _linked(schema: Json) -> str:
    start = REFERENCE.format(model="")
    listed = [one["$ref"].removeprefix(start) for one in (schema, *schema.get("anyOf", ())) if "$ref" in one]
    return " or ".join(f'<a href="#{escape(name)}">{escape(name)}</a>' for name in listed)


def _code(schema: Json) -> str:
    return f"<pre>{escape(json.dumps(schema, indent=2, ensure_ascii=False))}</pre>"
