"""What an agent program prints while it works: lines of JSON by Claude Code or Codex, or any other text.

Lines that are not understood stay text. Tokens that were read from a cache of the provider do not count as input.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from quire.core.runner import RunnerUsage, TimelineEntry, TimelineKind
from quire.system.supervised_program import ProgramLine

LONGEST_TEXT = 4000
"""Characters of a text in the timeline."""
MOST_ENTRIES = 1000
"""Entries of each kind in the timeline."""
_LAST_LINES = 20
_CODEX_TOOLS = {
    "command_execution": "command",
    "file_change": "changes",
    "mcp_tool_call": "tool",
    "web_search": "query",
}


class ProgramTimeline:
    """What happened, with bounds for each kind of entry, so that a flood of one hides no other."""

    def __init__(self, tell: Callable[[TimelineEntry], None]) -> None:
        self._tell = tell
        self._entries: list[TimelineEntry] = []
        self._seen: dict[TimelineKind, int] = {}

    @property
    def entries(self) -> tuple[TimelineEntry, ...]:
        return tuple(self._entries)

    def add(self, kind: TimelineKind, payload: Mapping[str, Any]) -> None:
        if self._has_room(kind):
            entry = TimelineEntry(kind, payload)
            self._entries.append(entry)
            self._tell(entry)

    def add_line(self, line: ProgramLine) -> None:
        """A line as it is. Of a flood, lines are only counted."""
        if self._seen.get(line.stream, 0) < MOST_ENTRIES:
            self.add(line.stream, {"text": _short(line.text)})
        else:
            self._seen[line.stream] += 1

    def finish(self, dropped_bytes: int) -> None:
        """Say what is not in it."""
        left_out = {kind: many - MOST_ENTRIES for kind, many in self._seen.items() if many > MOST_ENTRIES}
        if left_out or dropped_bytes:
            self._seen.pop("note", None)  # this one always has room
            text = "the program printed more than is kept"
            self.add("note", {"text": text, "entries_left_out": left_out, "bytes_dropped": dropped_bytes})

    def _has_room(self, kind: TimelineKind) -> bool:
        self._seen[kind] = self._seen.get(kind, 0) + 1
        return self._seen[kind] <= MOST_ENTRIES


class ProgramStream:
    """Reads the output of a program, one line at a time, into the timeline and the usage."""

    def __init__(self, timeline: ProgramTimeline) -> None:
        self._timeline = timeline
        self._messages: dict[str, tuple[int, int]] = {}
        self._final = RunnerUsage()
        self._turns = 0
        self._tools: dict[str, str] = {}
        self._tool_calls = 0
        self._last: deque[str] = deque(maxlen=_LAST_LINES)
        self.error = ""
        """What the stream itself calls an error; empty if it reports none."""
        self.error_kind = ""
        self.said = ""
        """The last message of the model."""
        self.refused = False

    @property
    def usage(self) -> RunnerUsage:
        """What is known of the usage so far."""
        tokens = [sum(column) for column in zip(*self._messages.values(), strict=True)] or [0, 0]
        return RunnerUsage(
            turns=max(self._turns, len(self._messages), self._final.turns),
            input_tokens=max(tokens[0], self._final.input_tokens),
            output_tokens=max(tokens[1], self._final.output_tokens),
            tool_calls=self._tool_calls,
            cost=self._final.cost,
        )

    @property
    def last_words(self) -> str:
        """Its error, or the last lines that it wrote."""
        return self.error or "\n".join(map(_short, self._last))

    def read(self, line: ProgramLine) -> bool:
        """Take a line. Returns whether the usage may have changed."""
        with suppress(RecursionError):  # of lists in lists in lists
            event = _event(line) if line.stream == "stdout" else None
            if event is not None and self._understood(event):
                return True
        if line.text.strip():
            self._last.append(line.text)
            self._timeline.add_line(line)
        return False

    def _understood(self, event: Mapping[str, Any]) -> bool:
        match event.get("type"):
            case "assistant" | "user":
                self._message(event)
            case "result":
                self._result(event)
            case "system":
                self._timeline.add(
                    "note", {"text": _short(str(event.get("subtype"))), "model": _short(str(event.get("model")))}
                )
            case "item.completed":
                return self._item(event)
            case "turn.completed":
                self._turn(event)
            case "turn.failed" | "error":
                self._fail(event)
            case "thread.started" | "turn.started" | "item.started" | "item.updated" | "rate_limit_event":
                pass
            case _:
                return False
        return True

    def _message(self, event: Mapping[str, Any]) -> None:
        message = _mapping(event.get("message"))
        tokens = _tokens(_mapping(message.get("usage")))
        if isinstance(name := message.get("id"), str):  # each part of a message is a line, all with the same usage
            self._messages[name] = max(tokens, self._messages.get(name, (0, 0)))
        self.refused = self.refused or message.get("stop_reason") == "refusal"
        for part in _mappings(message.get("content")):
            match part.get("type"):
                case "text" if event["type"] == "assistant":
                    self.said = str(part.get("text"))
                    self._timeline.add("model", _told(self.said, tokens))
                case "tool_use":
                    name = str(part.get("name"))
                    self._tools[str(part.get("id"))] = name
                    self._call(name, part.get("input"))
                case "tool_result":
                    name = self._tools.get(str(part.get("tool_use_id")), "")
                    result = {"name": _short(name), "result": _text_of(part.get("content"))}
                    self._timeline.add("tool", {**result, "error": bool(part.get("is_error"))})

    def _result(self, event: Mapping[str, Any]) -> None:
        tokens, cost = _tokens(_mapping(event.get("usage"))), event.get("total_cost_usd")
        self._final = RunnerUsage(
            _number(event.get("num_turns")), *tokens, cost=float(cost) if isinstance(cost, int | float) else None
        )
        text = str(event.get("result") or event.get("errors") or event.get("subtype") or "")
        self.said = self.said or text
        if event.get("is_error") or str(event.get("subtype")).startswith("error"):
            status = event.get("api_error_status")
            self.error = _short(f"{text} (status {status})" if status else text) or "it reports an error"
            self.error_kind = str(event.get("subtype"))
        self._timeline.add("model", {**_told(text, tokens), "turns": self._final.turns, "cost": self._final.cost})

    def _item(self, event: Mapping[str, Any]) -> bool:
        item = _mapping(event.get("item"))
        kind = str(item.get("type"))
        if kind in _CODEX_TOOLS:
            self._call(kind, {name: item[name] for name in (_CODEX_TOOLS[kind], "status", "exit_code") if name in item})
        elif kind in ("agent_message", "reasoning"):
            self.said = str(item.get("text")) if kind == "agent_message" else self.said
            self._timeline.add("model", {"text": _short(str(item.get("text")))})
        elif kind == "error":
            self._timeline.add("note", {"text": _short(str(item.get("message")))})
        else:
            return False
        return True

    def _turn(self, event: Mapping[str, Any]) -> None:
        self._turns += 1
        self.error = ""  # it has connected again
        tokens = _tokens(_mapping(event.get("usage")))
        self._messages[f"turn {self._turns}"] = tokens
        self._timeline.add("model", _told("", tokens))

    def _fail(self, event: Mapping[str, Any]) -> None:
        found = event.get("error")
        self.error = _short(str(event.get("message") or _mapping(found).get("message") or found))
        self._timeline.add("note", {"text": self.error})

    def _call(self, name: str, arguments: object) -> None:
        self._tool_calls += 1
        text = json.dumps(arguments, ensure_ascii=False)
        shown = _clean(arguments) if len(text) <= LONGEST_TEXT else {"text": _short(text)}
        self._timeline.add("tool", {"name": _short(name), "arguments": shown})


def _event(line: ProgramLine) -> Mapping[str, Any] | None:
    if not line.text.startswith("{") or line.cut:
        return None
    try:
        found = json.loads(line.text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _tokens(usage: Mapping[str, Any]) -> tuple[int, int]:
    """Input and output: of Claude without what is read from the cache, of Codex less what was cached."""
    given = _number(usage.get("input_tokens")) + _number(usage.get("cache_creation_input_tokens"))
    return max(0, given - _number(usage.get("cached_input_tokens"))), _number(usage.get("output_tokens"))


def _told(text: str, tokens: tuple[int, int]) -> dict[str, Any]:
    return {"text": _short(text), "input_tokens": tokens[0], "output_tokens": tokens[1]}


def _text_of(content: object) -> str:
    parts = _mappings(content)
    texts = (str(one["text"]) if "text" in one else f"[{one.get('type')}]" for one in parts)
    return _short(content if isinstance(content, str) else "\n".join(texts))


def _short(text: str) -> str:
    whole = _clean_text(text[:LONGEST_TEXT])
    return whole if len(text) <= LONGEST_TEXT else f"{whole}…"


def _clean(value: object) -> object:
    """A JSON value whose texts can be stored everywhere."""
    match value:
        case str():
            return _clean_text(value)
        case list():
            return [_clean(one) for one in value]
        case dict():
            return {_clean_text(str(name)): _clean(one) for name, one in value.items()}
        case _:
            return value


def _clean_text(text: str) -> str:
    """Without zeros, which PostgreSQL refuses, and halves of characters, which UTF-8 does."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _number(given: object) -> int:
    return given if isinstance(given, int) and not isinstance(given, bool) else 0


def _mapping(given: object) -> Mapping[str, Any]:
    return given if isinstance(given, dict) else {}


def _mappings(given: object) -> Iterator[Mapping[str, Any]]:
    return (one for one in given if isinstance(one, dict)) if isinstance(given, list) else iter(())
