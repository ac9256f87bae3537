"""The inline runtime: look up, run, save, emit."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event as Flag

import pytest

from quire.core.context import Store
from quire.core.errors import EngineError
from quire.core.events import Event
from quire.core.keys import Profile
from quire.reading.stage import Took
from quire.reading.stage_run import StagedRun
from quire.store.files import FileStore
from quire.store.temporary import TemporaryStore


@dataclass(frozen=True, slots=True)
class Loudness(Profile):
    times: int = 1


class Shout:
    """A stage that counts how often it worked."""

    name = "shout"
    version = "1"

    def __init__(self, times: int = 1) -> None:
        self.profile = Loudness(times)
        self.worked = 0

    def run(self, inputs: str, took: Took) -> str:
        if not inputs:
            raise EngineError("shout", "there is nothing to say")
        self.worked += 1
        return inputs.upper() * self.profile.times

    def encode(self, output: str) -> bytes:
        return output.encode()

    def decode(self, data: bytes) -> str:
        return data.decode()


@pytest.fixture
def store(tmp_path):
    with FileStore(tmp_path / "store") as opened:
        yield opened


def run_of(store: Store, *sinks, **options) -> StagedRun:
    return StagedRun(store, run="r1", document="d1", sinks=sinks, clock=lambda: 0.0, **options)


def test_work_is_done_once_per_key(store):
    stage = Shout()
    first = run_of(store).do(stage, "hello", ("i1",), page=1)
    second = run_of(store).do(stage, "hello", ("i1",), page=1)
    assert stage.worked == 1
    assert (first.value, second.value) == ("HELLO", "HELLO")
    assert first.digest == second.digest


def test_other_inputs_and_other_settings_are_other_work(store):
    keys = {run_of(store).key(Shout(times), inputs) for times in (1, 2) for inputs in (("a",), ("b",), ("a", "b"))}
    assert len(keys) == 6


def test_a_released_value_comes_from_the_store(store):
    artifact = run_of(store).do(Shout(), "hello", ("i1",))
    artifact.release()
    assert artifact.value == "HELLO"


def test_events_tell_the_whole_story(store):
    told: list[Event] = []
    run = run_of(store, told.append)
    run.do(Shout(), "hello", ("i1",), page=3)
    run.do(Shout(), "hello", ("i1",), page=3)
    assert [event.kind for event in told] == ["started", "finished", "hit"]
    assert [event.sequence for event in told] == [1, 2, 3]
    assert len({event.id for event in told}) == 3
    assert {(event.run, event.stage, event.document, event.page) for event in told} == {("r1", "shout", "d1", 3)}
    assert len({event.key for event in told}) == 1
    assert told[1].payload == {"ms": 0.0, "bytes": 5}


def test_the_same_run_has_the_same_event_ids():
    def ids() -> list[str]:
        told: list[Event] = []
        run_of(TemporaryStore(), told.append).do(Shout(), "hello", ("i1",), page=3)
        return [event.id for event in told]

    assert ids() == ids()


def test_a_failure_is_told_and_raised_and_tried_again(store):
    told: list[Event] = []
    stage = Shout()
    with pytest.raises(EngineError):
        run_of(store, told.append).do(stage, "", ("i1",))
    assert [event.kind for event in told] == ["started", "failed"]
    assert told[1].payload["reason"] == "shout: there is nothing to say"
    assert run_of(store).do(stage, "hello", ("i1",)).value == "HELLO"


def test_a_sink_that_raises_never_breaks_the_run_and_the_others_hear_of_it(store, caplog):
    told: list[Event] = []

    def broken(event: Event) -> None:
        raise ValueError("no space in the log")

    artifact = run_of(store, broken, told.append).do(Shout(), "hello", ("i1",))
    assert artifact.value == "HELLO"
    failed = [event for event in told if event.stage == "sink"]
    assert [event.payload["reason"] for event in failed] == ["ValueError: no space in the log"]
    assert [event.kind for event in told if event.stage == "shout"] == ["started", "finished"]
    assert len(caplog.records) == 1


def test_a_run_can_be_cancelled_from_outside(store):
    flag = Flag()
    run = run_of(store, cancel=flag)
    assert not run.cancelled
    flag.set()
    assert run.cancelled


def test_a_store_that_does_not_last_is_not_given_what_would_have_to_be_encoded():
    class Silent(Shout):
        def encode(self, output: str) -> bytes:
            raise AssertionError("nobody will look this up")

    told: list[Event] = []
    artifact = run_of(TemporaryStore(), told.append).do(Silent(), "hello", ("i1",))
    assert artifact.value == "HELLO"
    assert told[-1].payload == {"ms": 0.0}
