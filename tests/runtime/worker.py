"""A program that opens a runtime and answers its verbs over pipes: another process, for tests that need one.

    python -m tests.runtime.worker '{"kind": "local", "place": "/tmp/store"}'

Each line of the input is a request, each line of the output an answer, in any order. It ends with its input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from threading import Lock

from quire.core.context import Json, Runtime
from quire.core.errors import category_of
from tests.runtime.opening import Setting


def answers(runtime: Runtime) -> dict[str, Callable[..., Json]]:
    """What can be asked: the verbs of a runtime."""
    return {
        "submit": runtime.submit,
        "status": lambda run: asdict(runtime.status(run)),
        "events": lambda run, after: [asdict(event) for event in runtime.events(run, after=after)],
        "result": runtime.result,
        "cancel": runtime.cancel,
        "forget": runtime.forget,
        "send": runtime.send,
        "pause": runtime.pause,
    }


def main() -> None:
    setting = Setting.from_json(json.loads(sys.argv[1]))
    lock = Lock()

    def say(message: Json) -> None:
        with lock:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()

    def answer(known: dict[str, Callable[..., Json]], request: Json) -> None:
        try:
            told = {"answer": known[request["verb"]](*request["arguments"], **request["options"])}
        except Exception as error:
            told = {"error": type(error).__name__, "message": str(error), "category": category_of(error)}
        say({"id": request["id"], **told})

    with setting.opened() as runtime, ThreadPoolExecutor(16) as threads:
        known = answers(runtime)
        say({"id": 0, "answer": "ready"})
        for line in sys.stdin:
            threads.submit(answer, known, json.loads(line))


if __name__ == "__main__":
    main()
