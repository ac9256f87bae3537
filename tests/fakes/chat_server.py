"""A server of language models on this machine that misbehaves on purpose: a behaviour for what a prompt contains."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from tests.fakes.vision_server import Behaviour, Exchange, FakeVision, says, sends, vision_server


@dataclass
class FakeChat:
    """What the server does with a request whose text contains a phrase: the behaviours in turn, then the last one."""

    url: str
    behaviours: Mapping[str, list[Behaviour]]
    server: FakeVision
    lock: Lock = field(default_factory=Lock)

    @property
    def requests(self) -> list[Any]:
        return [one.body for one in self.server.requests]

    def asked_about(self, phrase: str) -> int:
        return sum(phrase in text_of(body) for body in self.requests)


def text_of(body: Any) -> str:
    return str(body["messages"][1]["content"])


@contextmanager
def chat_server(behaviours: Mapping[str, list[Behaviour]]) -> Iterator[FakeChat]:
    """Phrases are looked for in their order; the requests of several parts come in any order."""

    def behave(exchange: Exchange) -> None:
        text = text_of(exchange.body)
        with fake.lock:
            listed = next(listed for phrase, listed in fake.behaviours.items() if phrase in text)
            behaviour = listed.pop(0) if len(listed) > 1 else listed[0]
        behaviour(exchange)

    with vision_server(behave) as server:
        fake = FakeChat(server.url, behaviours, server)
        yield fake


def cited(record: str, quote: str, value: object) -> dict[str, object]:
    return {"record": record, "quote": quote, "value": value}


def answers(**values: object) -> Behaviour:
    """The form that is asked for."""
    return says(json.dumps({"values": values}))


def says_with(content: str, logprobs: object) -> Behaviour:
    """A completion with what the server says about the probabilities of its tokens."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": logprobs}
    return sends(json.dumps({"choices": [choice]}).encode())


def tokens(*pieces: tuple[str, float]) -> dict[str, Sequence[object]]:
    """Logarithms of probabilities, as servers give them."""
    return {"content": [{"token": text, "logprob": logprob, "bytes": list(text.encode())} for text, logprob in pieces]}
