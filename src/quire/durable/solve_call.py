"""Solving in one call: `quire.solve("What was paid?", ["report.pdf"], fields="total")`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Unpack, cast

from quire.core.context import Json, Runtime
from quire.core.errors import UsageError
from quire.core.events import Event, Sink
from quire.core.keys import digest_of
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.sources import keep_source
from quire.durable.runtimes import local_runtime
from quire.durable.solves.solve_request import SolveOptions, SolveRequest, requested
from quire.durable.solves.solve_trace import solve_trace
from quire.evidence.extract.extraction_json import decode_extraction
from quire.evidence.extract.values import Extraction
from quire.reading.messages import SolveResult, TaskArgument, TaskResult, TaskSource
from quire.solving.attempts import RunnerAttempt
from quire.solving.findings import Finding, decode_findings
from quire.solving.trace.trace_file import Trace, encode_trace
from quire.store.artifacts import ArtifactStore
from quire.store.opening import open_store
from quire.system.atomic_files import write_files
from quire.system.stage_versions import workflow_version

FLOW = "task"
WAIT_S = 0.1
NO_LIMITS = {"max_bytes": 0, "max_pages": 0, "networks": [], "timeout_s": 60.0}
TRACE = "solve.trace.json"


@dataclass(frozen=True)
class Solution:
    """What came out of a solve. `answer` has the values with the evidence of each; `files` are those of the result:
    `answer.json`, `answer.xlsx`, `evidence.jsonl`, `notes.md`, `findings.jsonl`."""

    run: str
    result: SolveResult
    answer: Extraction
    findings: Sequence[Finding]
    files: Mapping[str, bytes] = field(repr=False)
    trace: Trace = field(repr=False)

    @property
    def values(self) -> Json:
        return self.answer.values

    @property
    def status(self) -> str:
        """`complete`, or `open` where values are not supported or something speaks against them."""
        return self.result["status"]

    @property
    def workspace(self) -> str:
        """The digest of the workspace."""
        return self.result["workspace"]

    @property
    def attempts(self) -> Sequence[RunnerAttempt]:
        return [RunnerAttempt.from_json(one) for one in self.result["attempts"]]

    def save(self, folder: str | Path) -> list[Path]:
        """Write the files and the trace into a folder, each atomically; returns their paths."""
        paths = {Path(folder) / name: data for name, data in self.files.items() if data}
        paths[Path(folder) / TRACE] = encode_trace(self.trace)
        write_files(paths)
        return list(paths)


def solve(  # noqa: PLR0913 - one argument per option
    task: str,
    documents: Sequence[str | Path] | str | Path,
    schema: Mapping[str, Json] | None = None,
    *,
    fields: Sequence[str] | str | None = None,
    template: str | Path | bytes | None = None,
    store: str | Path | ArtifactStore | None = None,
    facts: str | None = None,
    workers: int | None = None,
    reading: Mapping[str, Json] | None = None,
    on_event: Sink | None = None,
    **options: Unpack[SolveOptions],
) -> Solution:
    """Solve a task over documents: every value of the answer is verified against the page, or says that it is not.

    `schema` is the JSON Schema of the values, `fields` are names instead; with a `template`, an Excel workbook, its
    named cells and tables say what is asked for, and it is filled. `runners` are tried in their order until one
    answers: `offline` needs no language model, `tools` is a tool-calling loop on the model that `QUIRE_LLM_URL` names,
    `claude` and `codex` are programs. `reviewer` is a runner that reviews the answer. With a `store` everything is
    recorded there: nothing that was read, drawn or asked for is so again, and a run that was interrupted goes on.
    `reading` are options for reading the documents, such as `{"ocr": "always", "lang": ["deu"]}`.

    Raises UsageError for a task, schema or runner that cannot be used, InputError when a document cannot be read, and
    RunError when no runner answers.
    """
    listed = [documents] if isinstance(documents, (str, Path)) else list(documents)
    with ExitStack() as stack:
        opened = _opened(store, facts, stack)
        request = requested(task, opened, schema=schema, fields=fields, template=template, **options)
        runtime = stack.enter_context(local_runtime(opened, workers=workers))
        run = submit_solve(runtime, opened, request, [SourceRef.of(path) for path in listed], reading)
        for event in followed(runtime, run):
            if on_event is not None:
                on_event(event)
        return solution(runtime, opened, run)


def submit_solve(
    runtime: Runtime,
    store: ArtifactStore,
    request: SolveRequest,
    sources: Sequence[SourceRef],
    read: Mapping[str, Json] | None = None,
) -> str:
    """Start a solve over files, or attach to the one that solves the same; returns its run."""
    if not sources:
        raise UsageError("name a document to solve the task with")
    if not runtime.sees_files:
        for source in sources:
            keep_source(store, source)
    stored = [source.to_json() | {"stored": not runtime.sees_files} for source in sources]
    reads = [ReadRequest.with_options(source, dict(read or {})).key() for source in sources]
    key = digest_of([FLOW, "solve", workflow_version(), request.to_json(), reads, [one.name for one in sources]])
    listed = [cast(TaskSource, {"stored": one, "uri": one["name"]}) for one in stored]
    argument = cast(
        TaskArgument,
        {
            "type": "solve",
            "tenant": "",
            "sources": listed,
            "read": dict(read or {}),
            "outputs": {},
            "target": {"kind": "inbody"},
            "callbacks": [],
            "from_formats": [],
            "timeout_s": None,
            "abort_on_error": False,
            "limits": NO_LIMITS,
            "solve": request.to_json(),
        },
    )
    return runtime.submit(FLOW, argument, key=key)


def followed(runtime: Runtime, run: str, waiting: Callable[[], None] = lambda: None) -> Iterator[Event]:
    """The events of a run until it has ended; `waiting` is called meanwhile. Raises what ended it."""
    after = 0
    while True:
        ended = run in runtime.wait_ended([run], timeout_s=WAIT_S)
        for event in runtime.events(run, after=after):
            after = event.sequence
            yield event
        if ended:
            runtime.status(run).value()
            return
        waiting()


def solution(runtime: Runtime, store: ArtifactStore, run: str) -> Solution:
    """The solution of a run that has finished. Raises RunError unless it has."""
    result: TaskResult = runtime.status(run).value()
    solved = result["solve"]
    files = {name: store.load(digest) for name, digest in solved["files"].items()}
    answer = decode_extraction(files.pop("extraction.json"))
    findings = decode_findings(files["findings.jsonl"])
    return Solution(run, solved, answer, findings, files, solve_trace(runtime, store, run))


def _opened(store: str | Path | ArtifactStore | None, facts: str | None, stack: ExitStack) -> ArtifactStore:
    if isinstance(store, ArtifactStore):
        return store
    place = store if store is not None else stack.enter_context(TemporaryDirectory(prefix="quire-solve-"))
    return stack.enter_context(open_store(place, facts))
