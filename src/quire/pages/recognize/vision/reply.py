"""Parses the response of a vision model, complete or streamed, into its text and blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from quire.core.engine import ReadBlock
from quire.core.errors import EngineError
from quire.core.types import BLOCK_KINDS, BBox, BlockKind, Cell, Table
from quire.pages.recognize.clean import number

NOWHERE = BBox(float("nan"), float("nan"), float("nan"), float("nan"))
"""Stands for an invalid box: normalisation rejects and counts it."""

KINDS: Mapping[str, BlockKind] = {
    "text": "paragraph",
    "list": "list_item",
    "section_header": "heading",
    "subtitle": "heading",
    "image": "figure",
    "picture": "figure",
    "chart": "figure",
    "equation": "formula",
    "page_header": "header",
    "page_footer": "footer",
    "key_value": "field",
    **{kind: kind for kind in BLOCK_KINDS},
}
FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
TEXT_VALUE = re.compile(r'"text"\s*:\s*"((?:[^"\\]|\\.)*)')


class CutOff(EngineError):
    """The answer ended at the token limit of the server."""


def written(body: bytes, *, engine: str) -> str:
    """The text of the model in the body of a response. Raises EngineError when it is missing, CutOff when truncated."""
    text = body.decode("utf-8", "replace")
    if text.lstrip().startswith(("data:", "event:", ":")):
        content, reason = "", None
        for piece, finished in deltas(text):
            content, reason = content + piece, finished or reason
        if reason is None:
            raise EngineError(engine, "the stream ended before the answer did")
    else:
        content, reason = _message(text, engine)
    if reason == "length":
        raise CutOff(engine, "the answer was cut off: it exceeded the token limit")
    if reason == "content_filter":
        raise EngineError(engine, "the server filtered the answer")
    if not content.strip():
        raise EngineError(engine, "the answer is empty")
    return content


def deltas(stream: str) -> Iterator[tuple[str, str | None]]:
    """Chunks of text and the finish reason, from the complete lines of a stream of server-sent events."""
    for line in stream.splitlines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data == "[DONE]":
            continue
        try:
            choice = json.loads(data)["choices"][0]
            piece = choice.get("delta", {}).get("content") or ""
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue  # a partial line, a token count, a comment: completeness is checked by the finish reason
        yield (piece if isinstance(piece, str) else ""), choice.get("finish_reason")


def texts_so_far(content: str) -> str:
    """The texts in an incomplete JSON."""
    return "\n".join(filter(None, (_unescaped(value) for value in TEXT_VALUE.findall(content))))


def page(content: str, *, engine: str) -> tuple[str | None, list[ReadBlock]]:
    """Language and blocks of the JSON that the model wrote, boxes as fractions of its picture."""
    found = json_in(content)
    listed = found.get("blocks") if isinstance(found, dict) else found
    if not isinstance(listed, list):
        raise EngineError(engine, "the answer is not the requested JSON, or incomplete")
    items = [item for item in listed if isinstance(item, dict)]
    if listed and not items:
        raise EngineError(engine, "the answer has no blocks")
    unit = _unit(items)
    language = found.get("language") if isinstance(found, dict) else None
    return language if isinstance(language, str) else None, [_block(item, unit) for item in items]


def _message(text: str, engine: str) -> tuple[str, str | None]:
    try:
        choice = json.loads(text)["choices"][0]
        content, reason = choice["message"].get("content"), choice.get("finish_reason")
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
        refusal = choice["message"].get("refusal")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise EngineError(engine, "the response is not a chat completion, or incomplete") from error
    if not content and isinstance(refusal, str) and refusal:
        raise EngineError(engine, "the model refused to read the page")
    return content if isinstance(content, str) else "", reason if isinstance(reason, str) else None


def json_in(content: str) -> Any:
    """The JSON in the text: all of it, in a code fence, or after other text; None without JSON."""
    bare = content.rsplit("</think>", 1)[-1].strip()
    candidates = [bare, *FENCED.findall(bare), bare[bare.find("{") :]]
    for candidate in candidates:
        try:
            found, _ = json.JSONDecoder().raw_decode(candidate.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(found, (dict, list)):
            return found
    return None


def _block(item: dict[str, Any], unit: float) -> ReadBlock:
    kind = KINDS.get(str(item.get("kind", item.get("type", ""))).lower().replace("-", "_"), "paragraph")
    cells = item.get("cells")
    listed = [_cell(cell, unit) for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []
    table = Table(0, 0, tuple(listed)) if listed else None
    return ReadBlock(kind, item.get("text") or "", _box(_given(item), unit), level=item.get("level"), table=table)


def _cell(cell: dict[str, Any], unit: float) -> Cell:
    return Cell(
        cell.get("row", -1),
        cell.get("column", -1),
        cell.get("text") or "",
        1,
        _box(_given(cell), unit) or NOWHERE,
        cell.get("row_span", 1),
        cell.get("column_span", 1),
        cell.get("header") is True,
    )


def _given(item: dict[str, Any]) -> object:
    """The box under one of the names that models use."""
    return next((item[name] for name in ("box", "bbox", "bbox_2d") if item.get(name) is not None), None)


def _box(value: object, unit: float) -> BBox | None:
    """A box from (left, top, right, bottom); None only when it is absent."""
    if value is None:
        return None
    edges = [number(edge) for edge in value] if isinstance(value, list) else []
    if len(edges) != 4 or None in edges:
        return NOWHERE
    left, top, right, bottom = (edge / unit for edge in edges if edge is not None)
    return BBox(left, top, right - left, bottom - top)


def _unit(items: list[dict[str, Any]]) -> float:
    """1000, as requested, unless all boxes are fractions of the page."""
    boxes = [box for item in items if isinstance(box := _given(item), list)]
    edges = [edge for box in boxes for edge in box if isinstance(edge, (int, float))]
    return 1.0 if edges and max(edges) <= 1 and any(isinstance(edge, float) for edge in edges) else 1000.0


def _unescaped(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"'))
    except ValueError:
        return str(value.rpartition("\\")[0])
