"""One answer of a chat completion: what a model said, the tools that it calls, and the tokens that it used."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from quire.core.errors import EngineError

MOST_CALLS = 64
"""Of one turn: more of them are a model that goes round in circles."""
LONGEST_ARGUMENTS = 100_000
LONGEST_SAID = 100_000


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool. `arguments` is None where they are no JSON object."""

    id: str
    name: str
    arguments: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """What a model answered. Tokens are None where the server does not count them; `left_out` calls were too many."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    finish: str = ""
    refusal: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    left_out: int = field(default=0)

    @property
    def is_refused(self) -> bool:
        return bool(self.refusal and not self.calls) or self.finish == "content_filter"

    @classmethod
    def of(cls, body: bytes, engine: str) -> ChatTurn:
        """From the body of a response. Raises EngineError if it is no chat completion."""
        try:
            tree = json.loads(body.decode("utf-8", "replace"))
            choice = tree["choices"][0]
            message = choice["message"]
            content, listed = message.get("content"), message.get("tool_calls") or []
            if isinstance(content, list):
                content = "".join(str(part.get("text", "")) for part in content)
            calls = tuple(_calls(listed[:MOST_CALLS]))
            usage = tree.get("usage") or {}
            counted = usage.get("prompt_tokens"), usage.get("completion_tokens")
            left_out = max(0, len(listed) - MOST_CALLS)
            refusal, finish = message.get("refusal"), choice.get("finish_reason")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise EngineError(engine, "the response is not a chat completion, or incomplete") from error
        said = content[:LONGEST_SAID] if isinstance(content, str) else ""
        declined = refusal if isinstance(refusal, str) else ""
        ended = finish if isinstance(finish, str) else ""
        return cls(said, calls, ended, declined, _count(counted[0]), _count(counted[1]), left_out)


def _calls(listed: list[Any]) -> Iterator[ToolCall]:
    seen: set[str] = set()
    for number, one in enumerate(listed):
        function = one["function"]
        given, name, found = function.get("arguments"), function.get("name"), one.get("id")
        if not isinstance(found, str) or not 0 < len(found) <= 200 or found in seen:
            found = f"call-{number}"
        seen.add(found)
        yield ToolCall(found, name if isinstance(name, str) else "", _arguments(given))


def _arguments(given: Any) -> Mapping[str, Any] | None:
    """Some servers send an object instead of its JSON, and some nothing where there are no arguments."""
    if isinstance(given, str) and len(given) <= LONGEST_ARGUMENTS:
        try:
            given = json.loads(given) if given.strip() else {}
        except (ValueError, RecursionError):
            return None
    return given if isinstance(given, dict) else {} if given is None else None


def _count(given: object) -> int | None:
    return given if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 10**12 else None
