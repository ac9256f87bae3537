"""The asker, with things that are no engines: it needs a name, a policy, a time limit and a number of questions."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import pytest

from quire.asking import Ask, Asker, Talk, TooSlow
from quire.core.engine import Policy
from quire.core.errors import UsageError
from quire.core.keys import ArtifactKey
from quire.store.files import FileStore
from quire.store.temporary import TemporaryStore
from tests.runtime.tracking import wait_until

KEY = ArtifactKey("k" * 64)
PATIENCE_S = 60


@dataclass(frozen=True)
class Embedder:
    """Something that costs and reads no pictures."""

    name: str
    policy: Policy = "io"
    timeout_s: float = 30.0
    max_concurrency: int = 1


class Desk:
    """Asks, and keeps the emitted events."""

    def __init__(self, store):
        self.told = []
        self.waits = threading.Event()  # a wait looks many times a second whether it is cancelled
        self.asker = Asker(store, document="d", check=self.waits.set, tell=self._tell)

    def _tell(self, kind, page, payload, *, key, mark):
        self.told.append((kind, payload, key))

    def ask(self, who, call, key=KEY):
        return self.asker.ask(Ask(key, who, call))


def in_thread(call):
    """Runs it in a thread; gives the thread and where its result will be."""
    came = []

    def run():
        try:
            came.append(call())
        except Exception as error:
            came.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, came


def test_an_answer_is_asked_for_once_and_lasts_before_it_is_returned(tmp_path):
    asked = []
    with FileStore(tmp_path / "store") as store:
        first = Desk(store).ask(Embedder("once"), lambda: asked.append(1) or b"vector")
        with FileStore(tmp_path / "store") as other:  # as another process would see it now
            second = Desk(other).ask(Embedder("once"), lambda: asked.append(1) or b"another")
    assert (first.data, first.tier) == (b"vector", "asked")
    assert (second.data, second.tier) == (b"vector", "exact")
    assert asked == [1]


def test_who_comes_second_waits_for_the_first_and_says_so(tmp_path):
    begun, go = threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert go.wait(PATIENCE_S)
        return b"answer"

    with FileStore(tmp_path / "store") as store, FileStore(tmp_path / "store") as other:
        first, second = Desk(store), Desk(other)
        one, came = in_thread(lambda: first.ask(Embedder("twice"), slow))
        assert begun.wait(PATIENCE_S)
        two, then = in_thread(lambda: second.ask(Embedder("twice"), pytest.fail))
        wait_until(lambda: second.told, "the second does not say that it waits")
        go.set()
        one.join(PATIENCE_S)
        two.join(PATIENCE_S)
    assert [(one.data, one.tier) for one in (*came, *then)] == [(b"answer", "asked"), (b"answer", "exact")]
    [(kind, payload, key)] = second.told
    assert (kind, payload["waiting"], key) == ("progress", True, KEY)
    assert first.told == []


def test_a_question_past_its_time_keeps_its_place_until_it_returns():
    desk, over = Desk(TemporaryStore()), threading.Event()
    under_way = [0]

    def ask():
        under_way[0] += 1
        assert over.wait(PATIENCE_S)
        under_way[0] -= 1
        return b"late"

    slow = Embedder("slow to embed", timeout_s=-1.9)  # with the grace of a call in a thread: a tenth of a second
    with pytest.raises(TooSlow, match="no answer within"):
        desk.ask(slow, ask)
    with pytest.raises(TooSlow, match="has not returned from an earlier request"):
        desk.ask(slow, lambda: pytest.fail("asked twice at a time"), ArtifactKey("other"))
    assert under_way == [1]
    over.set()
    wait_until(lambda: under_way == [0], "it never came back")
    assert desk.ask(Embedder("slow to embed"), lambda: b"again", ArtifactKey("other")).data == b"again"


def test_a_question_that_was_cancelled_may_finish_and_the_next_one_waits_for_it():
    class Cancelled(Exception):
        pass

    begun, over = threading.Event(), threading.Event()

    def cancel():
        if begun.is_set():
            raise Cancelled

    def ask():
        begun.set()
        assert over.wait(PATIENCE_S)
        return b"not wanted any more"

    def tell(*told, **more):
        pytest.fail("nothing happened")

    cancelled, next_one = Asker(TemporaryStore(), document="d", check=cancel, tell=tell), Desk(TemporaryStore())
    with pytest.raises(Cancelled):
        cancelled.ask(Ask(KEY, Embedder("patient"), ask))
    thread, came = in_thread(lambda: next_one.ask(Embedder("patient"), lambda: b"next"))
    assert next_one.waits.wait(PATIENCE_S)
    over.set()
    thread.join(PATIENCE_S)
    assert [one.data for one in came] == [b"next"]


def test_the_wait_for_a_place_is_measured():
    first, second, begun, go = Desk(TemporaryStore()), Desk(TemporaryStore()), threading.Event(), threading.Event()

    def hold():
        begun.set()
        assert go.wait(PATIENCE_S)
        return b"first"

    one, _ = in_thread(lambda: first.ask(Embedder("narrow"), hold))
    assert begun.wait(PATIENCE_S)
    two, came = in_thread(lambda: second.ask(Embedder("narrow"), lambda: b"second"))
    assert second.waits.wait(PATIENCE_S)
    go.set()
    one.join(PATIENCE_S)
    two.join(PATIENCE_S)
    assert (came[0].data, came[0].queue_ms > 0) == (b"second", True)


def test_the_answer_of_who_took_over_counts(tmp_path):
    with FileStore(tmp_path / "store") as store, FileStore(tmp_path / "store") as other:
        answered = Desk(Robbed(store, other)).ask(Embedder("mine"), lambda: b"mine")
    assert answered.data == b"theirs"


class Robbed:
    """A store that loses a claim before it saves: the lease ran out meanwhile, and another one has answered."""

    def __init__(self, store, other):
        self._store, self._other = store, other

    def __getattr__(self, name):
        return getattr(self._store, name)

    def save(self, key, data, *, claim, **more):
        self._store.release(claim)
        taken = self._other.claim(key)
        self._other.save(key, b"theirs", claim=taken, **more)
        self._other.release(taken)
        return self._store.save(key, data, claim=claim, **more)


def test_a_program_that_leaves_ends_the_question_alone():
    def leave():
        raise SystemExit(3)

    with pytest.raises(Exception, match="leaving: SystemExit: 3"):
        Desk(TemporaryStore()).ask(Embedder("leaving"), leave)
    assert Desk(TemporaryStore()).ask(Embedder("leaving"), lambda: b"fine").data == b"fine"


def test_the_time_of_a_question_ends_with_its_answer_and_not_with_a_slow_store():
    talk = Talk(Desk(TemporaryStore()).asker, Embedder("in time", timeout_s=10.0))
    assert talk.claim(KEY)
    talk.take_place()
    talk.asking_since -= 60.0
    with pytest.raises(TooSlow, match="no answer within 10 s"):
        talk.check_deadline()
    talk.save(KEY, b"answer")
    talk.check_deadline()
    talk.close()


def test_a_worker_can_answer_only_the_question_that_it_claimed():
    store = TemporaryStore()
    talk = Talk(Desk(store).asker, Embedder("sly"))
    assert talk.on_request("claim", {"key": KEY}, b"") == ({"found": False}, b"")
    with pytest.raises(UsageError, match="did not claim"):
        talk.on_request("save", {"key": "another"}, b"poison")
    talk.on_request("save", {"key": KEY}, b"answer")
    talk.close()
    assert (store.find(ArtifactKey("another")), talk.answer) == (None, b"answer")
