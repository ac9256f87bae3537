"""A program that reads what it is told to, or holds a key of the store: one of several that ask for the same.

    python -m tests.incidents.asking STORE LEASE_S [FACTS]

Each line of the input is a request, each line of the output its answer; it ends with its input. Reads wait for a
file that the test makes, so that several programs begin at the same moment.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import quire
from quire.core.context import Claim, Json
from quire.core.errors import QuireError
from quire.core.keys import ArtifactKey
from quire.durable.reads.read_records import load_result
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.runtime.local import LocalRuntime
from quire.store.files import FileStore
from quire.store.opening import open_store
from tests.fakes.strangers import ROOT, Stranger
from tests.runtime.tracking import PATIENCE_S, wait_until

WORKERS = 1


class Asking:
    """What the program can do, over one store that stays open."""

    def __init__(self, folder: str, lease_s: float, facts: str | None = None) -> None:
        self._folder, self._facts = folder, facts
        self._store = open_store(folder, facts) if facts else FileStore(folder, lease_s=lease_s)
        workflows = workflows_on(self._store, workers=WORKERS)
        self._runtime = LocalRuntime(self._store.database, workflows, pools=pools_for(WORKERS), lease_s=lease_s)
        self._claims: dict[str, Claim] = {}

    def read(self, document: str, go: str) -> Json:
        """A plain read with a store."""
        self._store.flush()
        wait_until(Path(go).exists, "nobody gave the sign")
        options = {"engines": "stranger", "store": self._folder, "facts": self._facts, "workers": WORKERS}
        return quire.read(document, **options).to_json()

    def calm(self, document: str, store: str) -> Json:
        """A read by itself, with a store of its own."""
        return quire.read(document, engines="stranger", store=store, workers=WORKERS).to_json()

    def run(self, document: str, go: str, pages: str | None) -> Json:
        """A durable run."""
        request = ReadRequest(SourceRef.of(document), engines=("stranger",), pages=pages)
        wait_until(Path(go).exists, "nobody gave the sign")
        run = self._runtime.submit("document", request.to_json(), key=request.key())
        return load_result(self._store, self._runtime.result(run, timeout_s=PATIENCE_S)).to_json()

    def claim(self, key: str) -> Json:
        claim = self._store.claim(ArtifactKey(key))
        if claim is not None:
            self._claims[key] = claim
        return claim

    def save(self, key: str, content: str) -> Json:
        claim = self._claims[key]
        return self._store.save(ArtifactKey(key), content.encode(), stage="answer", document="d", claim=claim)

    def close(self) -> None:
        self._runtime.close()
        self._store.close()


def main() -> None:
    asking = Asking(sys.argv[1], float(sys.argv[2]), *sys.argv[3:])
    known: dict[str, Callable[..., Json]] = {
        "read": asking.read,
        "calm": asking.calm,
        "run": asking.run,
        "claim": asking.claim,
        "save": asking.save,
    }
    for line in sys.stdin:
        verb, *arguments = json.loads(line)
        try:
            told = {"answer": known[verb](*arguments)}
        except QuireError as error:
            told = {"error": type(error).__name__, "message": str(error)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
    asking.close()


class Asker:
    """The program, seen from the test."""

    def __init__(self, stranger: Stranger, store: Path, lease_s: float, facts: str | None = None) -> None:
        place = [str(store), str(lease_s), *([facts] if facts else [])]
        command = [sys.executable, "-m", "tests.incidents.asking", *place]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, env=stranger.environment, cwd=ROOT, **pipes)

    def tell(self, verb: str, *arguments: Json) -> None:
        self._process.stdin.write(json.dumps([verb, *map(_plain, arguments)]) + "\n")
        self._process.stdin.flush()

    def told(self) -> Json:
        line = self._process.stdout.readline()
        assert line, f"the program ended with {self._process.wait()}"
        return json.loads(line)

    def ask(self, verb: str, *arguments: Json) -> Json:
        self.tell(verb, *arguments)
        return self.told()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """It does nothing more, and does not notice; its workers go on."""
        os.kill(self._process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOWAIT)

    def go_on(self) -> None:
        os.kill(self._process.pid, signal.SIGCONT)

    def close(self) -> None:
        """At the end of a test, whatever state it is in."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate(timeout=PATIENCE_S)


def _plain(value: Json) -> Json:
    return str(value) if isinstance(value, Path) else value


if __name__ == "__main__":
    main()
