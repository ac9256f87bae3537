"""What only the runtime on Restate has: workers that are registered, leave and come back, and limits over all."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing, contextmanager

import pytest

from quire.core.context import Context, Json, Workflow
from quire.core.errors import ConfigurationError, RunError, UsageError
from quire.database.sqlite import SqliteDatabase
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.runtimes import open_runtime
from quire.durable.worker_workflows import workflows_on
from quire.net.restate_server import RestateServer
from quire.runtime.restate.endpoint import Endpoint, ServiceOptions
from quire.runtime.restate.process import Worker, listen
from quire.runtime.restate.registration import limit, register, served
from quire.runtime.restate.run_tables import RunTables
from quire.runtime.restate.runtime import RestateRuntime
from quire.store.opening import open_store
from tests import documents
from tests.runtime import workflows
from tests.runtime.tracking import PATIENCE_S, wait_until
from tests.servers import restate

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that bounds calls by scope."""
    with restate.running(tmp_path_factory.mktemp("restate"), scoped=True) as started:
        yield started.server


@pytest.fixture
def database(tmp_path):
    with closing(SqliteDatabase(tmp_path / "facts.sqlite3")) as opened:
        yield opened


@contextmanager
def working(database, code, *, bind="127.0.0.1:0", slots=4, scopes=frozenset(), options=None):
    """A worker that is not registered."""
    pools = {workflow.pool: slots for workflow in code}
    worker = Worker(
        listen(bind),
        lambda: Endpoint(code, RunTables(database), slots=pools, scopes=scopes, options=options),
        drain_s=PATIENCE_S,
    )
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()
        worker.wait()


def in_pool(pool: str, *code: Workflow) -> tuple[Workflow, ...]:
    """The same workflows, as a service of this test's own."""
    return tuple(Workflow(one.name, one.function, one.version, pool) for one in code)


def known(server: RestateServer, worker: Worker, code: Sequence[Workflow]) -> None:
    """Register a worker of that code."""
    register(server, f"http://127.0.0.1:{worker.port}", served(code, [one.pool for one in code]))


def test_a_workflow_that_nobody_serves_is_explained(server, database):
    runtime = RestateRuntime(server, database, in_pool("nobody", *workflows.WORKFLOWS))
    with pytest.raises(ConfigurationError, match=r"no worker serves quire-nobody/echo.*quire worker --register"):
        runtime.submit("echo", {})


def test_a_worker_that_cannot_be_reached_is_not_registered(server, monkeypatch):
    monkeypatch.setattr("quire.runtime.restate.registration.PATIENCE_S", 0.0)
    with pytest.raises(ConfigurationError, match="could not register http"):
        register(server, "http://127.0.0.1:1", {})


def test_a_worker_may_register_again(server, database):
    code = in_pool("again", *workflows.WORKFLOWS)
    with working(database, code) as worker:
        known(server, worker, code)
        known(server, worker, code)


def test_other_workflows_need_another_address_while_the_old_ones_are_under_way(server, database, track):
    code = in_pool("release", *workflows.WORKFLOWS)
    fewer = tuple(one for one in code if one.name != "held")
    with working(database, code) as worker:
        place = f"127.0.0.1:{worker.port}"
        known(server, worker, code)
        runtime = RestateRuntime(server, database, code)
        run = runtime.submit("signalled", {"folder": str(track.folder)})
        track.open("listen")
        track.until("asked is over")
    with working(database, fewer, bind=place) as worker:
        with pytest.raises(ConfigurationError, match="serve new code at a new address"):
            known(server, worker, fewer)
        runtime.send(run, "answer", {"said": "yes"})
        assert runtime.result(run, timeout_s=PATIENCE_S) == {"said": "yes"}
        known(server, worker, fewer)


def test_a_worker_that_leaves_ends_its_step_and_another_one_goes_on(server, database, track):
    code = in_pool("leaving", *workflows.WORKFLOWS)
    runtime = RestateRuntime(server, database, code)
    with working(database, code) as worker:
        place = f"127.0.0.1:{worker.port}"
        known(server, worker, code)
        run = runtime.submit("held", {"folder": str(track.folder)})
        track.until("held here")
        worker.stop()
        track.open("go")
        assert worker.wait(), "it waited for its step"
        assert track.counts == {"held before": 1, "held here": 1, "held here is over": 1}
    with working(database, code, bind=place):
        assert runtime.result(run, timeout_s=PATIENCE_S) == ["held before", "held here", "held after"]
    assert set(track.counts.values()) == {1}


def test_a_worker_that_is_hurried_leaves_its_step(server, database, track):
    code = in_pool("hurried", *workflows.WORKFLOWS)
    runtime = RestateRuntime(server, database, code)
    with working(database, code) as worker:
        place = f"127.0.0.1:{worker.port}"
        known(server, worker, code)
        run = runtime.submit("held", {"folder": str(track.folder)})
        track.until("held here")
        worker.stop()
        worker.stop()
        assert not worker.wait(), "it did not wait for its step"
    track.open("go")
    with working(database, code, bind=place):
        assert runtime.result(run, timeout_s=PATIENCE_S)[-1] == "held after"
    assert track.counts["held here"] == 2


def test_a_run_that_nobody_can_go_on_with_is_interrupted_until_it_is_submitted_again(server, database, track):
    code = in_pool("paused", *workflows.WORKFLOWS)
    runtime = RestateRuntime(server, database, code)
    argument = {"folder": str(track.folder)}
    with working(database, code, options=ServiceOptions(max_attempts=2, retry_interval_s=0.01)) as worker:
        place = f"127.0.0.1:{worker.port}"
        known(server, worker, code)
        run = runtime.submit("signalled", argument, key="paused")
        track.open("listen")
        track.until("asked is over")
    wait_until(lambda: runtime.status(run).state == "interrupted", "it is not paused")
    with working(database, code, bind=place):
        assert runtime.submit("signalled", argument, key="paused") == run
        runtime.send(run, "answer", {"said": "yes"})
        assert runtime.result(run, timeout_s=PATIENCE_S) == {"said": "yes"}
    assert track.counts == {"asked": 1, "asked is over": 1, "heard yes": 1}


def test_a_timer_outlives_its_worker_and_the_server(tmp_path, database, track):
    code = in_pool("timed", *workflows.WORKFLOWS)
    with restate.running(tmp_path / "restate") as program:
        runtime = RestateRuntime(program.server, database, code)
        with working(database, code) as worker:
            place = f"127.0.0.1:{worker.port}"
            known(program.server, worker, code)
            run = runtime.submit("timer", {"folder": str(track.folder), "seconds": 1.5})
            track.until("set")
        program.kill()
        program.start()
        with working(database, code, bind=place):
            begun, ended = runtime.result(run, timeout_s=PATIENCE_S)
    assert ended - begun >= 1.5
    assert track.counts == {"set": 1, "rang": 1}


def test_an_address_that_is_taken_is_explained():
    with listen("127.0.0.1:0") as first, pytest.raises(ConfigurationError, match="cannot listen on"):
        listen(f"127.0.0.1:{first.getsockname()[1]}")


def test_an_address_that_is_none_is_explained():
    with pytest.raises(ConfigurationError, match=r"127\.0\.0\.1:9080"):
        listen("9080")


class Crowd:
    """Counts how many are inside at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self.most = 0
        self.full = threading.Event()

    def enter(self, many: int) -> int:
        with self._lock:
            self._inside += 1
            self.most = max(self.most, self._inside)
            if self._inside == many:
                self.full.set()
        self.full.wait(PATIENCE_S)
        with self._lock:
            self._inside -= 1
        return self.most


def test_the_server_bounds_a_pool_over_all_workers(server, database):
    crowd = Crowd()

    async def one(ctx: Context, argument: Json) -> Json:
        return await ctx.run("enter", crowd.enter, 2)

    async def many(ctx: Context, argument: Json) -> Json:
        return await ctx.gather(*(ctx.call("one", f"{ctx.key}/{number}", None) for number in range(8)))

    code = (Workflow("many", many, pool="limited-parents"), Workflow("one", one, pool="limited"))
    scopes = limit(server, {"limited": 2})
    assert scopes == {"limited"}
    with working(database, code, slots=8, scopes=scopes) as worker:
        known(server, worker, code)
        runtime = RestateRuntime(server, database, code)
        assert len(runtime.result(runtime.submit("many", None), timeout_s=PATIENCE_S)) == 8
    assert crowd.most == 2


def test_a_server_without_the_feature_leaves_the_limit_to_the_workers(tmp_path):
    with restate.running(tmp_path) as plain:
        assert limit(plain.server, {"recognize": 2}) == frozenset()


def test_gathered_code_may_await_several_things(server, database, track):
    async def twice(ctx: Context, name: str) -> Json:
        first = await ctx.run(f"{name} first", workflows.note, str(track.folder), f"{name} first")
        await ctx.sleep(0.01)
        return [first, await ctx.run(f"{name} second", workflows.note, str(track.folder), f"{name} second")]

    async def strands(ctx: Context, argument: Json) -> Json:
        return await ctx.gather(twice(ctx, "a"), twice(ctx, "b"), ctx.gather(ctx.sleep(0), twice(ctx, "c")))

    code = (Workflow("strands", strands, pool="strands"),)
    with working(database, code) as worker:
        known(server, worker, code)
        runtime = RestateRuntime(server, database, code)
        told = runtime.result(runtime.submit("strands", None), timeout_s=PATIENCE_S)
    assert told == [["a first", "a second"], ["b first", "b second"], [None, ["c first", "c second"]]]
    assert sorted(track.lines) == ["a first", "a second", "b first", "b second", "c first", "c second"]


def test_a_run_that_was_never_handed_over_is_found_by_the_next_caller(server, database, track):
    """The submitter crashed between recording the run and sending it to the server."""
    code = in_pool("orphan", *workflows.WORKFLOWS)
    run, new = RunTables(database).runs.begin("echo", {"folder": str(track.folder), "value": 5}, key="orphan")
    assert new
    with working(database, code) as worker:
        known(server, worker, code)
        runtime = RestateRuntime(server, database, code)
        assert runtime.status(run).state == "waiting"
        assert runtime.submit("echo", {"folder": str(track.folder), "value": 5}, key="orphan") == run
        assert runtime.result(run, timeout_s=PATIENCE_S) == 5
    assert len(track.lines) == 1


def test_a_worker_on_another_database_says_so(server, database):
    code = in_pool("elsewhere", *workflows.WORKFLOWS)
    with closing(SqliteDatabase(None)) as another, working(another, code) as worker:
        known(server, worker, code)
        runtime = RestateRuntime(server, database, code)
        run = runtime.submit("silent", {})
        with pytest.raises(RunError, match="--facts as the submitter") as caught:
            runtime.result(run, timeout_s=PATIENCE_S)
    assert caught.value.category == "config"


def test_a_run_cancelled_before_it_was_handed_over_never_begins(server, database, track):
    code = in_pool("early", *workflows.WORKFLOWS)
    argument = {"folder": str(track.folder), "value": 5}
    run, _ = RunTables(database).runs.begin("echo", argument, key="early")
    runtime = RestateRuntime(server, database, code)
    runtime.cancel(run)
    assert runtime.status(run).state == "cancelled"
    with pytest.raises(UsageError):
        runtime.status("nobody-1")


def test_a_batch_is_driven_here_and_its_documents_are_read_by_workers(server, tmp_path):
    """All the verbs work on it; a second batch finds everything done."""
    folder, place = tmp_path / "in", str(tmp_path / "store")
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.pdf").write_bytes(documents.simple(1) + name.encode())
    request = BatchRequest((str(folder),), str(tmp_path / "out"), formats=("txt",)).to_json()
    options = {"runtime": "restate", "ingress": server.ingress, "admin": server.admin, "workers": 1}
    with closing(open_store(place)) as store:
        code = workflows_on(store, workers=1, definitions=True)
        with working(store.database, code) as worker:
            known(server, worker, code)
            for expected in ((2, 0), (0, 2)):
                runtime, opened = open_runtime(place, **options)
                with closing(opened), closing(runtime):
                    run = runtime.submit("batch", request)
                    told = runtime.result(run, timeout_s=60)
                    assert (told["succeeded"], told["skipped"]) == expected
                    assert [one.run for one in runtime.runs(flow="batch", limit=1)] == [run]
                    flows = [one.run for one in runtime.runs(flow="flow")]
                    assert {runtime.status(one).state for one in flows} == {"finished"}
                    kinds = [event.kind for event in runtime.events(run) if not event.document]
                    assert kinds == ["started", "finished"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "b.txt"]
