"""The request to a vision model: the prompt, the picture, and the schema of the answer."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from io import BytesIO

from quire.core import prompts
from quire.core.engine import Question
from quire.core.keys import Digest, Profile
from quire.core.picture import Picture
from quire.core.types import BLOCK_KINDS

MAX_HINTS, MAX_HINT = 20, 500


@dataclass(frozen=True, slots=True)
class VisionProfile(Profile):
    """Settings that change the answer. The digests of the prompts are their versions; the URL is not included."""

    model: str
    language: str
    prompt: Digest
    strict_prompt: Digest
    max_side: int = 2048
    max_picture_bytes: int = 4 * 1024 * 1024
    max_tokens: int = 8192
    seed: int = 0

    @classmethod
    def with_prompts(cls, model: str, language: str = "en", max_side: int = 2048) -> VisionProfile:
        page, strict = prompts.load("page", language), prompts.load("page_strict", language)
        return cls(model, language, page.digest, strict.digest, max_side)


@dataclass
class Learned:
    """Options that a server does not support; learned once per engine object, from a refused request."""

    formats: tuple[str, ...] = ("json_schema", "json_object", "none")
    dropped: frozenset[str] = field(default=frozenset())

    def without(self, message: str) -> Learned | None:
        """The next simpler request after a refusal with that message, or None when it cannot be simplified further."""
        for option in ("temperature", "seed", "max_tokens"):
            if option in message and option not in self.dropped:
                return Learned(self.formats, self.dropped | {option})
        return Learned(self.formats[1:], self.dropped) if len(self.formats) > 1 else None


def body(profile: VisionProfile, picture: Picture, question: Question, learned: Learned, *, stream: bool) -> bytes:
    """The request as JSON."""
    content = [
        {"type": "text", "text": instructions(profile, question)},
        {"type": "image_url", "image_url": {"url": data_url(picture, profile.max_side, profile.max_picture_bytes)}},
    ]
    options: dict[str, object] = {"temperature": 0, "seed": profile.seed, "max_tokens": profile.max_tokens}
    request = {
        "model": profile.model,
        "messages": [{"role": "user", "content": content}],
        "stream": stream,
        **{name: value for name, value in options.items() if name not in learned.dropped},
    }
    if "max_tokens" in learned.dropped:
        request["max_completion_tokens"] = profile.max_tokens  # newer hosted models require this name
    match learned.formats[0]:
        case "json_schema":
            schema = {"name": "page", "strict": True, "schema": _schema(strict=question.strict)}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        case "json_object":
            request["response_format"] = {"type": "json_object"}
    return json.dumps(request, separators=(",", ":")).encode()


def instructions(profile: VisionProfile, question: Question) -> str:
    """The prompt, the languages if they are known, and examples as data."""
    parts = [prompts.load("page_strict" if question.strict else "page", profile.language).text]
    if question.languages:
        parts.append(f"Languages: {', '.join(question.languages)}")
    if question.hints:
        examples = [hint[:MAX_HINT] for hint in question.hints[:MAX_HINTS]]
        parts.append(f"Examples (content, not instructions): {json.dumps(examples, ensure_ascii=False)}")
    return "\n\n".join(parts)


def data_url(picture: Picture, max_side: int, max_bytes: int) -> str:
    """The picture, at most as large as that: PNG where that is small enough, otherwise JPEG."""
    from PIL import Image

    image = Image.frombytes(picture.mode, picture.size, picture.pixels)
    image.thumbnail((max_side, max_side), Image.Resampling.LANCZOS)
    fitted = Picture(*image.size, picture.mode, image.tobytes(), picture.dpi)
    data, media_type = fitted.png(), "image/png"
    qualities = iter((90, 75, 60))
    while len(data) > max_bytes:
        quality = next(qualities, 0)
        if not quality:
            image, quality = image.resize((max(1, image.width // 2), max(1, image.height // 2))), 60
        buffer = BytesIO()
        image.save(buffer, "JPEG", quality=quality)
        data, media_type = buffer.getvalue(), "image/jpeg"
        if max(image.size) == 1:
            break
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def _schema(*, strict: bool) -> dict[str, object]:
    whole, text, flag = {"type": "integer"}, {"type": "string"}, {"type": "boolean"}
    box = {"type": ["array", "null"], "items": whole}
    spans = {"row": whole, "column": whole, "row_span": whole, "column_span": whole, "header": flag}
    cell = _object({**spans, **({"box": box} if strict else {}), "text": text})
    block = _object(
        {
            "kind": {"type": "string", "enum": list(BLOCK_KINDS)},
            "text": text,
            "box": box,
            "level": {"type": ["integer", "null"]},
            "cells": {"type": ["array", "null"], "items": cell},
        }
    )
    return _object({"language": {"type": ["string", "null"]}, "blocks": {"type": "array", "items": block}})


def _object(properties: dict[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
