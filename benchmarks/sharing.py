"""Readers that share a store: how many of their results, and of a later read, equal that of a calm one.

`python -m benchmarks.sharing ROLE DOCUMENT STORE [FACTS]` is one of those who share it: it says that it is ready, and
begins when it gets a line.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from tests.fakes.engines import NumberEngine
from tests.servers.postgres import PostgresServer, programs

import quire
from benchmarks import corpus
from benchmarks.conversation import Program, say
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.core.document import Document
from quire.core.engine import Engine, Partial, Question, ReadLine, Recognition
from quire.core.errors import QuireError, StoreError
from quire.core.keys import digest_bytes
from quire.core.picture import Picture
from quire.core.types import BBox
from quire.durable.deletion import delete_documents
from quire.durable.reads.read_records import load_result
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.runtimes import local_runtime
from quire.pages.recognize.codec import encode_recognitions
from quire.store.garbage import Limits, collect
from quire.store.opening import open_store

ROUNDS, PATIENCE_S = 3, 1200.0
GRACE_S = 10.0
"""How old an unfinished file must be before the collector takes it: a day by default, and longer than a write takes."""
ENGINE = "digests"
SETTINGS: Mapping[str, Sequence[str]] = {
    "four reads": ("read",) * 4,
    "two reads, two runs, deleter, collector": ("read", "read", "run", "run", "delete", "collect"),
}
READERS = ("read", "run")
SOME = "1-12"
"""Pages of the document that is deleted again and again, and of documents in a quick run."""


@dataclass(frozen=True)
class DigestEngine(NumberEngine):
    """Says which picture it was asked about: costs nothing, and a page that was mixed up is found out."""

    name: str = ENGINE

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        line = ReadLine(f"This is the picture {picture.digest[:16]}.", BBox(0.1, 0.1, 0.6, 0.06), 0.99)
        return encode_recognitions([Recognition(self.name, (line,))])


def engine(*, effort: str, languages: tuple[str, ...]) -> Engine:
    """The entry point."""
    return DigestEngine()


@dataclass(frozen=True)
class Shared:
    """A document, and the store that everybody uses."""

    path: Path
    store: Path
    facts: str | None = None
    pages: str | None = None

    def read(self) -> str:
        return _digest(quire.read(self.path, pages=self.pages, engines=ENGINE, store=self.store, facts=self.facts))

    def run(self) -> str:
        request = ReadRequest(SourceRef.of(self.path), pages=self.pages, engines=(ENGINE,))
        with closing(open_store(self.store, self.facts)) as store, local_runtime(store, workers=1) as runtime:
            run = runtime.submit("document", request.to_json(), key=f"{request.key()}/{os.getpid()}")
            return _digest(load_result(store, runtime.result(run, timeout_s=PATIENCE_S)))

    def delete(self) -> None:
        """Another document with the same pages is read, and deleted again."""
        twin = self.path.with_name(f"twin-{os.getpid()}-{self.path.name}")
        if not twin.exists():
            twin.write_bytes(self.path.read_bytes() + b"\n% a twin\n")
        quire.read(twin, pages=SOME, engines=ENGINE, store=self.store, facts=self.facts)
        with closing(open_store(self.store, self.facts)) as store:
            delete_documents(store, [Document(twin).id])

    def collect(self) -> None:
        with closing(open_store(self.store, self.facts)) as store:
            collect(store, Limits(grace_s=GRACE_S))


class Round(NamedTuple):
    """How many results equal that of a calm read, of how many; what failed instead of giving one; and how often
    something was deleted or collected beside them."""

    equal: int
    total: int
    errors: list[str]
    beside: int


def run(options: Options) -> Report:
    rows, data = [], {}
    with _databases() as databases, _environment() as environment:
        for name in (corpus.LONG, corpus.SCAN):
            for database, facts in databases.items():
                for setting, roles in SETTINGS.items():
                    taken = [
                        _round(corpus.pdfs(name)[0], roles, facts(), environment, SOME if options.quick else None)
                        for _ in range(options.rounds(ROUNDS, 1))
                    ]
                    equal, total, beside = (
                        sum(one.equal for one in taken),
                        sum(one.total for one in taken),
                        sum(one.beside for one in taken),
                    )
                    errors = [error for one in taken for error in one.errors]
                    cells = [f"{equal} of {total}", total - equal - len(errors), len(errors), beside]
                    rows.append([name, database, setting, *cells, *goal(equal / total, 1.0)])
                    data[f"{name}, {database}, {setting}"] = [one._asdict() for one in taken]
                    print(f"- {name}, {database}, {setting}: {equal} of {total} {errors}", file=sys.stderr, flush=True)
    columns = ["document", "facts in", "who shares the store", "equal to a calm read", "different", "failed"]
    columns += ["deleted or collected"]
    notes = [
        f"Rounds with a fresh store: {options.rounds(ROUNDS, 1)}. The programs are ready before they begin together; "
        "a read after all of them counts, too. Equal means: JSON with words, byte for byte.",
        "The deleter reads and deletes another document with the same pages, the collector removes garbage, "
        f"unfinished files after {GRACE_S:g} s, both as often as they can until the readers have ended.",
        "Scans are read by an engine that says the digest of the picture it was shown.",
    ]
    if len(databases) == 1:
        notes.append("**PostgreSQL is not here**, and was left out.")
    return Report("Readers that share a store", [Table([*columns, "goal", "reached"], rows)], notes, data)


def _round(
    source: Path, roles: Sequence[str], facts: str | None, environment: Mapping[str, str], pages: str | None
) -> Round:
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as place, ExitStack() as stack:
        document = Path(place, source.name)
        document.write_bytes(source.read_bytes())
        shared = [str(document), str(Path(place, "store")), facts or "", pages or ""]
        calm = _program(stack, ["read", shared[0], str(Path(place, "calm")), "", shared[3]], environment).ask({})
        started = [(role, _program(stack, [role, *shared], environment)) for role in roles]
        for _, program in started:
            program.tell({})
        answers = [program.answer() for role, program in started if role in READERS]
        for role, program in started:
            if role not in READERS:
                program.tell({})
        beside = [program.answer() for role, program in started if role not in READERS]
        answers.append(_program(stack, ["read", *shared], environment).ask({}))
    if "result" not in calm:
        raise LeftOut(f"the calm read failed: {calm.get('error', 'its program ended')}")
    equal = sum(answer == calm for answer in answers)
    if not all(beside):
        raise LeftOut(
            "the deleter or the collector ended with an error: nothing that is measured beside it would count"
        )
    errors = [str(answer.get("error", "the program ended")) for answer in answers if "result" not in answer]
    return Round(equal, len(answers), errors, sum(answer["times"] for answer in beside))


def _program(stack: ExitStack, arguments: Sequence[str], environment: Mapping[str, str]) -> Program:
    """One that is ready."""
    command = [sys.executable, "-m", "benchmarks.sharing", *arguments]
    program = stack.enter_context(Program(command, environment))
    program.answer()
    return program


@contextmanager
def _environment() -> Iterator[dict[str, str]]:
    """Of programs that find the engine by its name."""
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as place:
        information = Path(place, "sharing-1.0.dist-info")
        information.mkdir()
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: sharing\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text(f"[quire.engines]\n{ENGINE} = benchmarks.sharing:engine\n")
        paths = (place, str(corpus.REPOSITORY), os.environ.get("PYTHONPATH", ""))
        yield {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


@contextmanager
def _databases() -> Iterator[dict[str, Callable[[], str | None]]]:
    """Where facts are kept: each call gives a fresh place."""
    if programs() is None:
        yield {"SQLite": lambda: None}
        return
    server = PostgresServer()
    try:
        server.start()
        yield {"SQLite": lambda: None, "PostgreSQL": server.create}
    finally:
        server.stop()


def _digest(result: quire.DocumentResult) -> str:
    return f"{result.status} {digest_bytes(result.to_json(words=True).encode())}"


def main(role: str, document: str, store: str, facts: str, pages: str) -> None:
    shared = Shared(Path(document), Path(store), facts or None, pages or None)
    say({"ready": True})
    sys.stdin.readline()
    if role in READERS:
        try:
            say({"result": getattr(shared, role)()})
        except QuireError as error:
            say({"error": f"{role}: {type(error).__name__}: {error}"})
        return
    ended, times = Event(), 0
    Thread(target=lambda: (sys.stdin.readline(), ended.set()), daemon=True).start()
    while not ended.is_set():
        try:
            getattr(shared, role)()
            times += 1
        except StoreError as error:
            if "another process is removing data" not in str(error):  # one at a time: the next turn is ours
                raise
        time.sleep(0.1)  # leave the processors to the readers
    say({"times": times})


if __name__ == "__main__":
    main(*sys.argv[1:])
