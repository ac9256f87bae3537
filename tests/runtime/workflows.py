"""Workflows for the conformance suite, each about one promise of a context. Any process can import them.

Their argument names the folder in which their steps leave traces. Steps are plain functions, as users write them.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from quire.core.context import Context, Json, Retry, Workflow
from quire.core.errors import EngineError, InputError, RunError, StoreError
from quire.core.events import Event
from tests.runtime.tracking import Track

ERRORS = {
    "network": ConnectionResetError("the other side hung up"),
    "timeout": TimeoutError("no answer in time"),
    "transient": EngineError("fickle", "try again later"),
    "full": StoreError("the disk is full"),
    "input": InputError("no such thing as page 9", document="report.pdf", page=9),
    "unknown": ZeroDivisionError("nobody expected this"),
}


def note(folder: str, line: str) -> str:
    Track(Path(folder)).note(line)
    return line


def note_and_hold(folder: str, line: str, gate: str) -> str:
    """Say that it began, wait for the gate, say that it ended."""
    track = Track(Path(folder))
    track.note(line)
    track.hold(gate)
    track.note(f"{line} is over")
    return line


def fail(folder: str, line: str, kind: str, times: int, hold_on: int = 0) -> int:
    """Fail the first `times` executions; wait for the gate `again` in that one of them. Gives how often it ran."""
    track = Track(Path(folder))
    track.note(line)
    ran = track.lines.count(line)
    if ran == hold_on:
        track.hold("again")
    if ran <= times:
        raise ERRORS[kind]
    return ran


def large(folder: str, line: str, size: int) -> str:
    note(folder, line)
    return "x" * size


def no_json(folder: str, line: str) -> Json:
    note(folder, line)
    return {1, 2, 3}


def wait_for_the_next(folder: str, number: int, last: int) -> int:
    """The steps end in the reverse order of their start."""
    track = Track(Path(folder))
    if number < last:
        track.hold(f"after-{number + 1}")
    track.note(f"step {number}")
    track.open(f"after-{number}")
    return number


async def echo(ctx: Context, argument: Json) -> Json:
    await ctx.run("note", note, argument["folder"], f"echo {argument['value']}")
    return argument["value"]


async def silent(ctx: Context, argument: Json) -> Json:
    """Nothing from outside at all."""
    return {"argument": argument, "key": ctx.key}


async def two_steps(ctx: Context, argument: Json) -> Json:
    first = await ctx.run("first", note, argument["folder"], "first")
    second = await ctx.run("second", note, argument["folder"], "second")
    return [first, second]


async def ordered(ctx: Context, argument: Json) -> Json:
    last = argument["last"]
    steps = [
        ctx.run(f"step {number}", wait_for_the_next, argument["folder"], number, last) for number in range(1, last + 1)
    ]
    return await ctx.gather(*steps)


async def held(ctx: Context, argument: Json) -> Json:
    """A step, one that waits for a gate, and another step."""
    folder, name = argument["folder"], argument.get("name", "held")
    before = await ctx.run("before", note, folder, f"{name} before")
    here = await ctx.run("here", note_and_hold, folder, f"{name} here", argument.get("gate", "go"))
    after = await ctx.run("after", note, folder, f"{name} after")
    return [before, here, after]


async def held_later(ctx: Context, argument: Json) -> Json:
    """What a later version of `held` does: its second step is another one."""
    folder = argument["folder"]
    await ctx.run("before", note, folder, "held before")
    return await ctx.run("something else", note, folder, "held otherwise")


async def flaky(ctx: Context, argument: Json) -> Json:
    retry = Retry(attempts=argument["attempts"], backoff_s=0.01, max_backoff_s=0.02)
    parts = (argument["folder"], "try", argument["kind"], argument["times"], argument.get("hold_on", 0))
    return await ctx.run("try", fail, *parts, retry=retry)


async def patient(ctx: Context, argument: Json) -> Json:
    """A step with a long back-off, and a concurrent one that need not wait for it."""
    again = Retry(attempts=2, backoff_s=0.4, max_backoff_s=0.4)
    slow = ctx.run("try", fail, argument["folder"], "try", "network", 1, retry=again)
    quick = ctx.run("quick", note, argument["folder"], "quick")
    return await ctx.gather(slow, quick)


async def forgiving(ctx: Context, argument: Json) -> Json:
    """Continues after a failed step, and returns its error."""
    try:
        await ctx.run("try", fail, argument["folder"], "try", argument["kind"], 99)
    except RunError as error:
        told = [str(error), error.category]
    else:
        told = []
    await ctx.run("after", note, argument["folder"], "after")
    return told


async def parent(ctx: Context, argument: Json) -> Json:
    """Calls a workflow under each of the keys and gathers what they give."""
    calls = argument["calls"]
    return await ctx.gather(*[ctx.call(call["workflow"], call["key"], call["argument"]) for call in calls])


async def one_by_one(ctx: Context, argument: Json) -> Json:
    """Calls one child after the other, without an end."""
    number = 0
    while True:
        number += 1
        await ctx.call("echo", f"{argument['prefix']}/{number}", {**argument, "value": number})


async def nested(ctx: Context, argument: Json) -> Json:
    depth = argument["depth"]
    await ctx.run("note", note, argument["folder"], f"depth {depth}")
    if not depth:
        return [ctx.run_id]
    below = await ctx.call("nested", f"{ctx.key}.{depth - 1}", {**argument, "depth": depth - 1})
    return [ctx.run_id, *below]


async def raising(ctx: Context, argument: Json) -> Json:
    await ctx.run("note", note, argument["folder"], "raising")
    raise ERRORS[argument["kind"]]


async def too_large(ctx: Context, argument: Json) -> Json:
    """A step that gives back more than a journal should hold."""
    return await ctx.run("large", large, argument["folder"], "large", argument["size"], retry=Retry(attempts=3))


async def too_large_at_the_end(ctx: Context, argument: Json) -> Json:
    await ctx.run("note", note, argument["folder"], "large")
    return "x" * argument["size"]


async def no_json_in_a_step(ctx: Context, argument: Json) -> Json:
    return await ctx.run("set", no_json, argument["folder"], "set")


async def no_json_at_the_end(ctx: Context, argument: Json) -> Json:
    await ctx.run("note", note, argument["folder"], "set")
    return {1, 2, 3}


async def timer(ctx: Context, argument: Json) -> Json:
    folder = argument["folder"]
    begun = await ctx.now()
    await ctx.run("set", note, folder, "set")
    await ctx.sleep(argument["seconds"])
    await ctx.run("rang", note, folder, "rang")
    ended = await ctx.now()
    return [begun.timestamp(), ended.timestamp()]


async def signalled(ctx: Context, argument: Json) -> Json:
    folder = argument["folder"]
    await ctx.run("asked", note_and_hold, folder, "asked", "listen")
    answer = await ctx.signal("answer")
    await ctx.run("heard", note, folder, f"heard {answer['said']}")
    return answer


async def clocked(ctx: Context, argument: Json) -> Json:
    """The time as it was read, once before and once after a step that a replay does not do again."""
    first = await ctx.now()
    await ctx.run("first", note, argument["folder"], f"time {first.isoformat()}")
    await ctx.run("hold", note_and_hold, argument["folder"], "hold", "go")
    second = await ctx.now()
    zone = first.utcoffset()
    return {"first": first.isoformat(), "second": second.isoformat(), "utc": zone is not None and not zone}


async def telling(ctx: Context, argument: Json) -> Json:
    """Three events, a step between them, and a gate before the last."""
    folder = argument["folder"]
    ctx.emit(event_of(ctx, 1))
    await ctx.run("first", note, folder, "first")
    ctx.emit(event_of(ctx, 2))
    await ctx.run("hold", note_and_hold, folder, "hold", "go")
    ctx.emit(event_of(ctx, 3))
    return None


def event_of(ctx: Context, number: int) -> Event:
    payload = {"number": number}
    return Event(f"{ctx.run_id}/telling/{number}", "", 0, "progress", "telling", "a document", number, None, payload)


async def wandering(ctx: Context, argument: Json) -> Json:
    """Not deterministic: what it does depends on how often it was played."""
    played = Path(argument["folder"], "played")
    times = len(played.read_bytes()) if played.exists() else 0
    with played.open("ab") as file:
        file.write(b".")
    for number in range(3):
        await ctx.run(f"step {times}-{number}", note, argument["folder"], f"step {number}")
    return times


async def racing(ctx: Context, argument: Json) -> Json:
    """Without a hold: many of these are shared by all working processes."""
    return await ctx.run("work", work_a_little, argument["folder"], argument["line"], argument["together"])


def work_a_little(folder: str, line: str, together: int) -> int:
    """Note it; and while fewer processes than that were seen, give the others time to come."""
    track = Track(Path(folder))
    track.note(line)
    if len(track.processes) < together:
        track.hold("everybody")
    return os.getpid()


async def tolerant_of_cancelling(ctx: Context, argument: Json) -> Json:
    """Swallows every error that it may swallow: a cancelled run must end all the same."""
    try:
        await ctx.run("hold", note_and_hold, argument["folder"], "hold", "go")
    except Exception:
        await ctx.run("hidden", note, argument["folder"], "hidden")
    return "not cancelled"


async def foreign_await(ctx: Context, argument: Json) -> Json:
    """Waits for something that its context did not give, and tries to hide that it is refused."""
    folder = argument["folder"]
    try:
        match argument["what"]:
            case "sleep":
                await asyncio.sleep(0.001)
            case "sleep 0":
                await asyncio.sleep(0)
            case "future":
                await asyncio.get_running_loop().create_future()
            case "thread":
                await asyncio.to_thread(note, folder, "in a thread")
            case "asyncio.gather":
                await asyncio.gather(asyncio.sleep(0), asyncio.sleep(0))
            case "gathered":
                await ctx.gather(ctx.now(), asyncio.sleep(0))
    except Exception:
        return "hidden"
    return await ctx.run("note", note, folder, "after a foreign await")


USES = {
    "run": lambda ctx, folder: ctx.run("inner", note, folder, "inner"),
    "call": lambda ctx, folder: ctx.call("silent", f"{ctx.key}/inner", {"folder": folder}),
    "sleep": lambda ctx, folder: ctx.sleep(0),
    "signal": lambda ctx, folder: ctx.signal("answer"),
    "now": lambda ctx, folder: ctx.now(),
    "gather": lambda ctx, folder: ctx.gather(),
}


def use_the_context(ctx: Context, folder: str, method: str, how: str) -> None:
    """The classic mistake: a step that uses the context of its workflow."""
    ctx.emit(event_of(ctx, 1))  # this alone it may

    async def awaited() -> None:
        await USES[method](ctx, folder)

    if how == "asyncio.run":
        asyncio.run(awaited())
    else:
        awaited().send(None)  # without any loop


async def misusing(ctx: Context, argument: Json) -> Json:
    folder = argument["folder"]
    await ctx.run("wrong", use_the_context, ctx, folder, argument["method"], argument["how"], retry=Retry(attempts=3))
    return await ctx.run("note", note, folder, "after the mistake")


WORKFLOWS = tuple(
    Workflow(function.__name__.replace("_", "-"), function)
    for function in (
        echo, silent, two_steps, ordered, held, flaky, patient, forgiving, parent, one_by_one, nested,
        raising, too_large, too_large_at_the_end, no_json_in_a_step, no_json_at_the_end, timer, signalled, clocked,
        telling, wandering, racing, tolerant_of_cancelling, foreign_await, misusing,
    )
)  # fmt: skip

LATER = (*(one for one in WORKFLOWS if one.name != "held"), Workflow("held", held_later, version="2"))
"""The same after a release in which one of them changed."""
