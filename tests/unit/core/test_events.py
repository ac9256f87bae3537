"""Events as server-sent events."""

from __future__ import annotations

import asyncio
import json

from quire.core.events import Event, to_sse


def event(sequence: int, **payload: object) -> Event:
    return Event(f"r/detect/1/{sequence}", "r", sequence, "finished", "detect", "d", 1, None, payload)


class Result:
    def to_json(self) -> str:
        return '{"schema": "quire/1",\n"blocks": []}\n'


def fields(message: str) -> dict[str, str]:
    assert message.endswith("\n\n")
    return dict(line.split(": ", 1) for line in message.strip().split("\n"))


def test_an_event_is_one_message_with_its_sequence_as_id():
    message = fields(to_sse(event(7, rows=2, text="a\nb – 表")))
    assert (message["id"], message["event"]) == ("7", "finished")
    data = json.loads(message["data"])
    assert data["schema"] == "quire/1"
    assert data["payload"] == {"rows": 2, "text": "a\nb – 表"}
    assert (data["stage"], data["page"], data["run"]) == ("detect", 1, "r")


def test_a_browser_that_comes_back_gets_what_it_has_not_seen():
    messages = list(to_sse([event(1), event(2), event(3), Result()], after=2))
    assert [fields(message).get("id") for message in messages] == ["3", None]


def test_a_result_at_the_end_is_a_message_of_one_line():
    message = fields(to_sse(Result()))
    assert (message["event"], json.loads(message["data"])["blocks"]) == ("result", [])


def test_asynchronous_events_stay_asynchronous():
    async def told():
        yield event(1)
        yield event(2)

    async def collect():
        return [message async for message in to_sse(told(), after=1)]

    assert [fields(message)["id"] for message in asyncio.run(collect())] == ["2"]
