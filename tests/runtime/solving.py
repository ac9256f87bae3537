"""A solve for `tests.runtime.crashing`: a model with tools answers first, and is asked on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quire.core.context import Json
from quire.core.keys import digest_bytes
from quire.durable.reads.read_request import SourceRef
from quire.durable.solve_call import solution, submit_solve
from quire.durable.solves.solve_request import requested
from tests.fakes.runner_work import calls, completion
from tests.fakes.vision_server import Exchange, sends, vision_server
from tests.runtime.crashing import PATIENCE_S, Boundary, opened

FIELDS = "number, total"
TASK = "What is asked for?"
TURNS = [
    calls(("search", {"query": "invoice number"})),
    calls(
        ("propose", {"path": "number", "value": "INV-2041", "record": "p1-b2", "quote": "Invoice number: INV-2041"}),
        ("propose", {"path": "total", "value": "145.00", "record": "p2-b1", "quote": "Amount due 145.00"}),
    ),
    completion("All values are proposed."),
]
"""What the model answers, by the number of its own turns in a request."""


def solve(document: Path, folder: Path, *, boundary: Boundary) -> Json:
    """Solve a task durably: the answer, the workspace, and what the run says of takeovers and attempts."""
    with opened(folder, boundary) as (runtime, store):
        request = requested(TASK, store, fields=FIELDS, runners=("tools", "offline"), backoff_s=0.01)
        run = submit_solve(runtime, store, request, [SourceRef.of(document)])
        runtime.result(run, timeout_s=PATIENCE_S)
        made = solution(runtime, store, run)
        files = {name: digest_bytes(data) for name, data in sorted(made.files.items())}
        return {
            "output": json.dumps([made.workspace, made.values, files]),
            "status": made.status,
            "takeovers": [event.page for event in runtime.events(run) if event.payload.get("takeover")],
            "attempts": [one.outcome for one in made.attempts],
        }


@contextmanager
def model(log: Path) -> Iterator[dict[str, str]]:
    """A server of a model that notes each request in a log; its address, as variables for programs."""

    def behave(exchange: Exchange) -> None:
        turn = sum(one["role"] == "assistant" for one in exchange.body["messages"])
        with log.open("a") as file:
            file.write(f"{digest_bytes(json.dumps(_asked(exchange.body), sort_keys=True).encode())[:16]} 0\n")
        sends(TURNS[min(turn, len(TURNS) - 1)])(exchange)

    with vision_server(behave) as server:
        yield {"QUIRE_LLM_URL": f"{server.url}", "QUIRE_LLM_MODEL": "sage-1"}


def _asked(body: Any) -> Any:
    return body["messages"]
