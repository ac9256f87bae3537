"""Steps of flows over one store, asked for by several at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from quire.core.errors import FencedError
from quire.core.keys import ArtifactKey, digest_of
from quire.durable.flows.references import RecentResults
from quire.durable.flows.workflow import flow_argument
from quire.durable.inline.flow_call import Flow
from quire.durable.steps.once import made_once
from quire.durable.worker_workflows import workflows_on
from quire.runtime.local import LocalRuntime, inline
from quire.store.files import FileStore
from tests.fakes import flow_components
from tests.fakes.flow_components import CALLS, ENTERED, HELD

FLOW = """
name: held
inputs: {value: integer}
steps:
  - {id: a, component: "tests.fakes.flow_components:echo", input: {value: {$input: value}}}
  - {id: b, component: "tests.fakes.flow_components:held", input: {value: {$step: a}}}
output: {$step: b}
"""
KEY = ArtifactKey(digest_of("key"))


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    flow_components.reset()
    yield
    HELD.set()


@contextmanager
def opened(folder: Path) -> Iterator[tuple[LocalRuntime, FileStore]]:
    """A runtime of its own over the store, as another process would have it."""
    with FileStore(folder) as store, inline(workflows_on(store, workers=1, import_paths=True)) as runtime:
        yield runtime, store


def awaited(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_two_runs_that_ask_for_the_same_share_one_execution(tmp_path):
    argument = flow_argument(Flow.from_yaml(FLOW).definition, {"value": 1})
    with ExitStack() as stack:
        runtimes = [stack.enter_context(opened(tmp_path))[0] for _ in range(2)]
        runs = [runtime.submit("flow", argument) for runtime in runtimes]
        assert ENTERED.wait(60)
        HELD.set()
        outputs = [runtime.result(run, timeout_s=60)["output"] for runtime, run in zip(runtimes, runs, strict=True)]
    assert outputs == [1, 1]
    assert CALLS["held"] == 1


def test_what_the_journal_knows_of_is_in_the_store(tmp_path):
    argument = flow_argument(Flow.from_yaml(FLOW).definition, {"value": 2})
    with opened(tmp_path) as (runtime, _), FileStore(tmp_path) as another:
        run = runtime.submit("flow", argument)
        assert ENTERED.wait(60)
        awaited(lambda: [event for event in runtime.events(run) if event.payload.get("step") == "a"])
        (told,) = [event for event in runtime.events(run) if event.payload.get("step") == "a"]
        digest = another.find(ArtifactKey(str(told.key)))
        assert digest is not None and another.load(digest) == b"2"
        HELD.set()
        runtime.result(run, timeout_s=60)


def test_who_lost_the_claim_takes_what_the_other_made(tmp_path):
    with FileStore(tmp_path) as store:

        def late(claim: object) -> object:
            store.save(KEY, b"theirs", stage="s", document="d")
            raise FencedError("somebody else took it over")

        digest, found = made_once(store, KEY, lambda: store.find(KEY), late)
        assert found and store.load(digest) == b"theirs"


def test_a_claim_is_given_back_when_the_work_fails(tmp_path):
    with FileStore(tmp_path) as store:

        def broken(claim: object) -> object:
            raise ValueError("broken")

        with pytest.raises(ValueError, match="broken"):
            made_once(store, KEY, lambda: store.find(KEY), broken)
        assert store.claim(KEY) is not None


def test_a_result_is_loaded_once_for_all_who_ask_and_holds_up_nobody_else():
    loaded, entered, go = [], threading.Event(), threading.Event()

    def load(reference):
        loaded.append(reference["document"])
        if reference["document"] == "slow":
            entered.set()
            assert go.wait(60)
        return reference["document"].upper()

    def reference(document):
        return {"document": document, "index": "i", "source": {"id": document, "name": document}}

    results = RecentResults(load, kept=2)
    with ThreadPoolExecutor(2) as threads:
        slow = [threads.submit(results, reference("slow")) for _ in range(2)]
        assert entered.wait(60)
        assert results(reference("quick")) == "QUICK"
        go.set()
        assert [one.result() for one in slow] == ["SLOW", "SLOW"]
    results(reference("quick"))
    assert sorted(loaded) == ["quick", "slow"]
    results(reference("third"))
    results(reference("slow"))  # of three the one used longest ago is gone
    assert sorted(loaded) == ["quick", "slow", "slow", "third"]
