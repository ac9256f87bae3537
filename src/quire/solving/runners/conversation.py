"""The messages of an attempt: what a model is sent, kept within its context by a fixed rule."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from quire.core.context import Json
from quire.core.runner import ToolAnswer, ToolSpec
from quire.solving.runners.chat_turns import ChatTurn

BYTES_OF_A_TOKEN = 3
"""About: fewer tokens are never counted for a text than it has, in most scripts."""
TOKENS_OF_A_PICTURE = 1600
LEFT_AT_ONCE = 0.7
"""Of the room: so much is kept when something has to go, so that the beginning stays the same for some turns."""
KEPT_PICTURES = 4
"""Turns whose pictures stay in the conversation: each is sent again with every request."""
_SMALL = 200
_SHORTER = 0.6
_DROPPED = json.dumps({"dropped": "left out of the conversation; call the tool again if you need it"})
_NO_PICTURES = "The pictures are left out; call view_crop again if you need them."
_NAME = re.compile(r"[^a-zA-Z0-9_-]")

Message = dict[str, Any]


class Conversation:
    """The messages so far. The same answers make the same messages, byte for byte."""

    def __init__(self, system: str, asked: str, tools: Sequence[ToolSpec]) -> None:
        self._head: list[Message] = [{"role": "system", "content": system}, {"role": "user", "content": asked}]
        self._rest: list[Message] = []
        self._proposed: list[str] = []
        self._left_out = 0
        self._tools = [
            {
                "type": "function",
                "function": {"name": one.name, "description": one.description, "parameters": one.parameters},
            }
            for one in tools
        ]

    def request(self, settings: Mapping[str, Any], form: Mapping[str, Json] | None = None) -> bytes:
        """The JSON of a chat completion: with the tools, or with the form of the answer, which servers do not join."""
        asked = {"tools": self._tools} if form is None else {"response_format": form}
        body = {**settings, "messages": [*self._head, *self._rest], **asked, "stream": False}
        return json.dumps(body).encode()

    @property
    def tokens(self) -> int:
        """An estimate of what the messages and the tools have."""
        return sum(map(_tokens, (*self._head, *self._rest))) + _tokens(self._tools)

    def said(self, turn: ChatTurn) -> None:
        """What the model answered. Arguments that are no JSON are left out: templates of servers stumble over them."""
        message: Message = {"role": "assistant", "content": turn.text or ("" if not turn.calls else None)}
        if turn.calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": _NAME.sub("_", call.name)[:64] or "unknown",
                        "arguments": json.dumps(call.arguments or {}),
                    },
                }
                for call in turn.calls
            ]
        self._rest.append(message)

    def answered(self, call: str, answer: ToolAnswer) -> None:
        content = json.dumps(answer.content, ensure_ascii=False)
        self._rest.append({"role": "tool", "tool_call_id": call, "content": content})

    def shown(self, pictures: Sequence[bytes]) -> None:
        """Pictures of tools: their messages cannot carry any, so that they follow in one of the user."""
        parts: list[Message] = [{"type": "text", "text": "The pictures of the tool calls above, in their order."}]
        for png in pictures:
            url = f"data:image/png;base64,{b64encode(png).decode()}"
            parts.append({"type": "image_url", "image_url": {"url": url}})
        self._rest.append({"role": "user", "content": parts})
        for message in [one for one in self._rest if isinstance(one["content"], list)][:-KEPT_PICTURES]:
            message["content"] = _NO_PICTURES

    def asked(self, text: str) -> None:
        self._rest.append({"role": "user", "content": text})

    def proposed(self, path: str) -> None:
        """Remember a path, to say so when the turns in which it was proposed are left out."""
        if path not in self._proposed:
            self._proposed.append(path)

    def fit(self, room: int) -> bool:
        """Leave out what is oldest until the messages fit into `room` tokens; False if they cannot.

        First pictures and long answers of tools in older turns, then these turns, whose proposals are named instead,
        and at last what the newest calls returned.
        """
        if self.tokens <= room:
            return True
        wanted = int(room * LEFT_AT_ONCE)
        newest = max((at for at, one in enumerate(self._rest) if _begins(one)), default=0)
        self._drop(self._rest[:newest], wanted)
        while self.tokens > wanted and (turns := [at for at, one in enumerate(self._rest) if _begins(one)])[1:]:
            self._left_out += 1  # said too: a model gives the same answer to the same messages, and would not end
            named = ", ".join(self._proposed)[:2000] or "nothing"
            note = f"{self._left_out} earlier turns are left out. Proposed so far: {named}."
            self._rest = [{"role": "user", "content": note}, *self._rest[turns[1] :]]
        self._drop(self._rest, room)
        return self.tokens <= room

    def shorten(self) -> bool:
        """Leave out a good part of what can be left out; False if nothing can."""
        before = self.tokens
        self.fit(int(before * _SHORTER))
        return self.tokens < before

    def _drop(self, messages: Sequence[Message], wanted: int) -> None:
        """Leave out pictures and long answers of tools, one after the other, until `wanted` tokens are left."""
        for message in messages:
            if self.tokens <= wanted:
                return
            if isinstance(message["content"], list):
                message["content"] = _NO_PICTURES
            elif message["role"] == "tool" and len(message["content"]) > _SMALL:
                message["content"] = _DROPPED


def _begins(message: Message) -> bool:
    return bool(message["role"] == "assistant")


def _tokens(part: Any) -> int:
    if isinstance(part, dict) and isinstance(part.get("content"), list):
        return sum(TOKENS_OF_A_PICTURE if one["type"] == "image_url" else 20 for one in part["content"])
    return estimated(json.dumps(part, ensure_ascii=False))


def estimated(text: str) -> int:
    """About the tokens of a text, rather more than fewer."""
    return len(text.encode("utf-8", "backslashreplace")) // BYTES_OF_A_TOKEN + 1
