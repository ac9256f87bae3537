"""The local runtime when something around it fails for a moment: the database, the code of a step, a late cancel."""

from __future__ import annotations

import asyncio
from contextlib import closing
from threading import Event as Flag
from threading import current_thread

import pytest

from quire.core.context import Retry, Workflow
from quire.core.errors import FencedError, RunCancelled, RunError, StoreError
from quire.core.events import Event
from quire.database.journal import Invocation, Journal, JournalStep
from quire.database.leases import Claims
from quire.database.sqlite import SqliteDatabase
from quire.runtime import scheduler
from quire.runtime.local import LocalRuntime, inline
from quire.system.supervisor import restarts
from tests.runtime.tracking import wait_until

PATIENCE_S = 30.0


class Moody(SqliteDatabase):
    """A database in memory that fails once, at a statement of the scheduler."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails_at = ""
        super().__init__(None)

    def rows(self, statement, values=()):
        self._meet(statement)
        return super().rows(statement, values)

    def change(self, statement, values=()):
        self._meet(statement)
        return super().change(statement, values)

    def _meet(self, statement: str) -> None:
        if current_thread().name != "quire-scheduler":
            return
        if statement not in self.asked:
            self.asked.append(statement)
        if statement == self.fails_at:
            self.fails_at = ""
            raise StoreError("the server was started again")


class Diary:
    """Workflows that do a bit of everything, and how often each step was done."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def workflows(self) -> tuple[Workflow, ...]:
        return Workflow("parent", self.parent), Workflow("child", self.child)

    async def parent(self, ctx, argument):
        said = await ctx.run("say", self.say, ctx, "hello", retry=Retry(attempts=2, backoff_s=0.001))
        await ctx.now()
        await ctx.sleep(0.001)
        child = await ctx.call("child", f"child of {ctx.key}", argument)
        answer = await ctx.signal("answer")
        return [said, child, answer]

    async def child(self, ctx, argument):
        return await ctx.gather(ctx.run("one", self.say, ctx, "one"), ctx.run("two", self.say, ctx, "two"))

    def say(self, ctx, word):
        self.done.append(word)
        ctx.emit(Event(f"{ctx.run_id}/{word}", ctx.run_id, 0, "progress", "say"))
        if word == "hello" and self.done.count(word) == 1:
            raise ConnectionError("not yet")
        return word


def lived_through(database: Moody, diary: Diary) -> list[str]:
    """Run it whatever happens; returns the events it emitted."""
    with closing(database), LocalRuntime(database, diary.workflows()) as runtime:
        run = runtime.submit("parent", {}, key="k")
        runtime.send(run, "answer", 42)
        assert runtime.result(run, timeout_s=PATIENCE_S) == ["hello", ["one", "two"], 42]
        return sorted({event.id.rpartition("/")[2] for event in runtime.events(run)})


@pytest.mark.slow
def test_a_statement_that_fails_once_costs_no_run_and_no_event(monkeypatch):
    monkeypatch.setattr(scheduler, "TROUBLED_S", 0.001)
    undisturbed = Moody()
    lived_through(undisturbed, Diary())
    assert len(undisturbed.asked) > 15
    for statement in undisturbed.asked:
        database, diary = Moody(), Diary()
        database.fails_at = statement
        assert lived_through(database, diary) == ["hello", "one", "two"], statement
        assert max(map(diary.done.count, diary.done)) <= 3, statement


def test_a_database_that_keeps_failing_is_told_to_who_waits(monkeypatch):
    monkeypatch.setattr(scheduler, "TROUBLED_S", 0.001)
    full = Flag()

    class Full(Moody):
        def change(self, statement, values=()):
            if full.is_set() and statement.startswith("INSERT INTO steps"):
                raise StoreError("the disk is full")
            return super().change(statement, values)

    diary, database = Diary(), Full()
    with closing(database), LocalRuntime(database, diary.workflows()) as runtime:
        full.set()
        run = runtime.submit("parent", {})
        with pytest.raises(StoreError, match="the disk is full"):
            runtime.result(run, timeout_s=PATIENCE_S)
        full.clear()
        runtime.send(run, "answer", 1)
        wait_until(lambda: runtime.status(run).state == "finished", "it does not go on")


@pytest.mark.restarts
def test_the_scheduler_goes_on_after_a_bug_of_its_own(monkeypatch):
    monkeypatch.setattr(scheduler, "TROUBLED_S", 0.001)
    before = restarts().get("quire-scheduler", 0)
    failed = Flag()

    class Buggy(Moody):
        def rows(self, statement, values=()):
            if current_thread().name == "quire-scheduler" and "invocations" in statement and not failed.is_set():
                failed.set()
                raise TypeError("a bug")
            return super().rows(statement, values)

    assert lived_through(Buggy(), Diary()) == ["hello", "one", "two"]
    assert failed.is_set() and restarts()["quire-scheduler"] == before + 1


@pytest.mark.parametrize(("error", "said"), [(StopIteration(), "StopIteration"), (SystemExit(3), "SystemExit: 3")])
def test_whatever_a_step_raises_ends_the_step_only(error, said):
    def step():
        raise error

    async def flow(ctx, argument):
        return await ctx.run("step", step)

    with inline([Workflow("flow", flow)]) as runtime, pytest.raises(RunError, match=said):
        runtime.result(runtime.submit("flow", {}), timeout_s=PATIENCE_S)


@pytest.mark.parametrize(("error", "said"), [(SystemExit(3), "flow exits: 3"), (asyncio.CancelledError(), "cancelled")])
def test_a_workflow_that_ends_itself_fails_and_the_scheduler_goes_on(error, said):
    async def flow(ctx, argument):
        if argument:
            raise error
        return "went on"

    with inline([Workflow("flow", flow)]) as runtime:
        with pytest.raises(RunError, match=said):
            runtime.result(runtime.submit("flow", True), timeout_s=PATIENCE_S)
        assert runtime.result(runtime.submit("flow", False), timeout_s=PATIENCE_S) == "went on"


def test_a_step_whose_work_another_process_took_over_is_played_again():
    tried = []

    def step():
        tried.append(1)
        if len(tried) == 1:
            raise FencedError("another process took it over")
        return len(tried)

    async def flow(ctx, argument):
        return await ctx.run("step", step)

    with inline([Workflow("flow", flow)]) as runtime:
        assert runtime.result(runtime.submit("flow", {}), timeout_s=PATIENCE_S) == 2


def test_other_code_begins_again_though_a_step_of_it_is_under_way(tmp_path):
    noted, gate = Flag(), Flag()

    async def before(ctx, argument):
        return await ctx.gather(ctx.run("slow", gate.wait, 30), ctx.run("quick", noted.set))

    async def after(ctx, argument):
        return await ctx.gather(ctx.run("slow", lambda: "slow"), ctx.run("other", lambda: "other"))

    with closing(SqliteDatabase(tmp_path / "facts.sqlite3")) as database:
        with LocalRuntime(database, [Workflow("flow", before)]) as runtime:
            run = runtime.submit("flow", {})
            recorded = "SELECT count(*) FROM steps WHERE result IS NOT NULL"
            wait_until(lambda: database.rows(recorded) == [(1,)], "nothing is recorded")
        gate.set()
        with LocalRuntime(database, [Workflow("flow", after)]) as runtime:
            assert runtime.result(run, timeout_s=PATIENCE_S) == ["slow", "other"]


def test_a_step_that_waits_for_its_next_attempt_leaves_its_place_to_others():
    tried = Flag()

    def fail():
        tried.set()
        raise ConnectionError("not now")

    async def flow(ctx, argument):
        return await ctx.run("step", fail, retry=Retry(attempts=2, backoff_s=60)) if argument else "quick"

    with inline([Workflow("flow", flow)], pools={"documents": 1}) as runtime:
        slow = runtime.submit("flow", True)
        assert tried.wait(PATIENCE_S)
        assert runtime.result(runtime.submit("flow", False), timeout_s=PATIENCE_S) == "quick"
        runtime.cancel(slow)
        with pytest.raises(RunCancelled):
            runtime.result(slow, timeout_s=PATIENCE_S)


def test_a_run_that_is_cancelled_while_somebody_claims_it_ends():
    class Cancelling(SqliteDatabase):
        """Somebody cancels right after an invocation was claimed."""

        def change(self, statement, values=()):
            changed = super().change(statement, values)
            if statement.startswith("UPDATE invocations SET state = 'running'"):
                super().change("UPDATE invocations SET cancel = 1")
            return changed

    gate = Flag()

    async def flow(ctx, argument):
        return await ctx.run("hold", gate.wait, PATIENCE_S)

    workflow = Workflow("flow", flow)
    with closing(Cancelling(None)) as database:
        with LocalRuntime(database, [workflow], pools={workflow.pool: 0}) as asking:
            run = asking.submit("flow", {})
        with LocalRuntime(database, [workflow]) as runtime, pytest.raises(RunCancelled):
            runtime.result(run, timeout_s=PATIENCE_S / 3)
        gate.set()


def test_what_is_forgotten_while_another_run_waits_for_it_begins_again():
    async def parent(ctx, argument):
        return await ctx.call("child", "shared", {})

    async def child(ctx, argument):
        return ctx.run_id

    workflows = [Workflow("parent", parent), Workflow("child", child, pool="children")]
    with closing(SqliteDatabase(None)) as database, closing(Claims(database)) as claims:
        Journal(database, claims).start(Invocation("shared", "another-1", "child", "1", "children", {}))
        with LocalRuntime(database, workflows, pools={"children": 0}) as runtime:
            run = runtime.submit("parent", {})
            wait_until(lambda: runtime.status(run).state == "running", "nobody waits for it")
            database.change("DELETE FROM invocations WHERE run = 'another-1'")
            begun = "SELECT run FROM invocations WHERE key = 'shared'"
            wait_until(lambda: database.rows(begun) == [(run,)], "nobody begins it again")
        with LocalRuntime(database, workflows) as runtime:
            assert runtime.result(run, timeout_s=PATIENCE_S) == run


def test_a_signal_cannot_be_mistaken_for_a_timer():
    async def flow(ctx, argument):
        await ctx.sleep(0.001)
        return "rang"

    with inline([Workflow("flow", flow)]) as runtime:
        run = runtime.submit("flow", {})
        runtime.send(run, "due/1", 4_000_000_000.0)
        assert runtime.result(run, timeout_s=PATIENCE_S) == "rang"


def test_a_timer_is_remembered_and_goes_with_the_code_that_set_it():
    with closing(SqliteDatabase(None)) as database, closing(Claims(database)) as claims:
        journal = Journal(database, claims)
        journal.start(Invocation("k", "r-1", "flow", "1", "documents", {}))
        claim = claims.claim("k")
        assert claim is not None
        journal.record(claim, 1, JournalStep("sleep", due=12.5))
        assert journal.steps("k")[1].due == 12.5
        journal.forget_steps(claim, "2")
        assert journal.steps("k") == {}


def test_work_that_a_caller_waits_for_has_slots_of_its_own():
    begun, go_on = Flag(), Flag()

    def hold() -> str:
        begun.set()
        assert go_on.wait(PATIENCE_S)
        return "held"

    async def either(ctx, argument):
        return await ctx.run("work", hold if argument == "queued" else lambda: "done at once")

    workflow = Workflow("either", either, pool="queue", keeps_slot=True, pool_of=lambda argument: argument)
    with inline([workflow], pools={"queued": 1, "urgent": 1}) as runtime:
        held = [runtime.submit("either", "queued", key=str(number)) for number in range(3)]
        assert begun.wait(PATIENCE_S)
        assert runtime.result(runtime.submit("either", "urgent"), timeout_s=PATIENCE_S) == "done at once"
        go_on.set()
        assert [runtime.result(run, timeout_s=PATIENCE_S) for run in held] == ["held"] * 3


def test_work_that_waits_for_people_leaves_its_slot_to_others():
    async def asking(ctx, argument):
        return await ctx.signal("answer") if argument == "asks" else "done"

    workflow = Workflow("asking", asking, pool="queue", keeps_slot=True)
    with inline([workflow], pools={"queue": 1}) as runtime:
        waiting = [runtime.submit("asking", "asks", key=str(number)) for number in range(3)]
        assert runtime.result(runtime.submit("asking", "does"), timeout_s=PATIENCE_S) == "done"
        for run in waiting:
            runtime.send(run, "answer", "yes")
        assert [runtime.result(run, timeout_s=PATIENCE_S) for run in waiting] == ["yes"] * 3


def test_a_long_run_and_a_short_one_take_turns():
    order, hold, began = [], Flag(), Flag()

    def step(name):
        began.set()
        assert hold.wait(PATIENCE_S)
        order.append(name)

    async def whole(ctx, names):
        await ctx.gather(*(ctx.call("part", f"{ctx.run_id}/{name}", name) for name in names))

    async def part(ctx, name):
        await ctx.run("step", step, name)

    workflows = [Workflow("whole", whole, pool="wholes"), Workflow("part", part, pool="parts")]
    with inline(workflows, pools={"wholes": 8, "parts": 1}) as runtime:
        long = runtime.submit("whole", [f"long {number}" for number in range(8)])
        assert began.wait(PATIENCE_S)
        wait_until(lambda: _waiting(runtime) == 7, "the parts are not called")
        short = runtime.submit("whole", ["short 1", "short 2"])
        wait_until(lambda: _waiting(runtime) == 9, "the parts are not called")
        hold.set()
        for run in (long, short):
            runtime.result(run, timeout_s=PATIENCE_S)
    assert order.index("short 1") <= 2 and order.index("short 2") <= 4, order


def test_a_tenant_whose_work_fills_a_pool_does_not_keep_another_one_out():
    release, began = Flag(), []

    async def flow(ctx, tenant):
        await ctx.run("step", step, tenant)

    def step(tenant):
        began.append(tenant)
        if tenant == "many":
            assert release.wait(PATIENCE_S)

    workflows = [Workflow("flow", flow, pool="flows", tenant_of=lambda tenant: tenant)]
    with inline(workflows, pools={"flows": 2}) as runtime:
        runs = [runtime.submit("flow", "many") for _ in range(20)]
        wait_until(lambda: len(began) == 2, "they do not begin")
        runtime.result(runtime.submit("flow", "single"), timeout_s=PATIENCE_S)
        assert began == ["many", "many", "single"], "the slot for others is not for the third run of the first"
        release.set()
        wait_until(lambda: began.count("many") > 2, "they do not go on")
        runtime.result(runtime.submit("flow", "single"), timeout_s=PATIENCE_S)
        for run in runs:
            runtime.result(run, timeout_s=PATIENCE_S)


def _waiting(runtime) -> int:
    ((count,),) = runtime._database.rows("SELECT count(*) FROM invocations WHERE state = 'waiting' AND pool = 'parts'")
    return count
