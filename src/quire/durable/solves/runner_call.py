"""One attempt of a runner through the asker: looked up, claimed, asked with its budget, saved before it is used."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from quire.asking import Ask, Asker, Crashed, TooSlow
from quire.core.engine import Policy
from quire.core.errors import ConfigurationError, EngineError, RunCancelled, StoreError, UsageError
from quire.core.events import Event, Sink, reason_of
from quire.core.keys import ArtifactKey, Digest, artifact_key, digest_bytes, digest_of
from quire.core.runner import (
    Runner,
    RunnerFailed,
    RunnerFailure,
    RunnerOutput,
    RunnerTools,
    TimelineEntry,
)
from quire.durable.reads.read_steps import Reply
from quire.durable.solves import solve_jobs as jobs
from quire.evidence.extract.language_model.recorded_calls import answer_key
from quire.net.language_model import LanguageModel
from quire.net.model_server import Refused
from quire.reading.model_answers import REQUEST, answered_here
from quire.solving.answers import ClaimedAnswer
from quire.solving.attempts import AttemptOutcome, RunnerAttempt, decode_output, encode_output
from quire.solving.workspace.tree_manifest import WorkspaceManifest
from quire.system.workers import JobFailed, WorkerError, WorkerReply

STAGE = "solve"
SETTLING_S = 30.0
"""Beyond the seconds of its budget, for a runner that ends by itself."""
SHOWN = 1000
"""Characters of a text in an event; the whole of it is in the output of the attempt."""

Work = Callable[..., WorkerReply]
"""Runs a job of `solve_jobs` in a worker: name, arguments, seconds, and the options of `DocumentSteps.work`."""


@dataclass(frozen=True, slots=True)
class RunnerCall:
    """An attempt to make: what is known of it, the job, how jobs are run, and who hears of it."""

    asked: RunnerAttempt
    job: jobs.Attempting
    work: Work
    sink: Sink

    @property
    def runner(self) -> Runner:
        return self.job.runner

    def key(self) -> ArtifactKey:
        """The key of the output: the workspace, the prompt and the runner with its settings. The budget is none of it:
        an answer that was made with another one is as good."""
        identity = str(getattr(self.runner, "identity", self.runner.name))
        inputs = self.job.workspace, identity, digest_bytes(self.job.prompt.encode("utf-8", "replace"))
        return artifact_key("solve-attempt", self.runner.version, inputs, self.runner.profile.digest())

    def mark(self) -> str:
        one = self.asked
        return f"/{one.role}/{one.round}/{one.runner}/{one.number}"

    def tell(self, number: int, kind: str, payload: Mapping[str, object]) -> None:
        """Emit what a runner does, shortened."""
        one = self.asked
        about = {"role": one.role, "round": one.round, "runner": one.runner, "attempt": one.number}
        shown = {name: _shown(value) for name, value in payload.items()}
        event = {**about, "entry": number, "entry_kind": kind, **shown}
        self.sink(Event(f"/progress{self.mark()}/{number}", "", 0, "progress", STAGE, payload=event))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A runner as the asker sees it: with the seconds of the budget."""

    name: str
    timeout_s: float
    max_concurrency: int
    policy: Policy = "io"


def made_attempt(call: RunnerCall, asker: Asker, pictures: Reply, scratch: Path) -> RunnerAttempt:
    """The attempt with its outcome. Raises what is not the fault of the runner: a broken store, a cancelled run."""
    calls = ModelCalls(asker)
    made = _made(call, calls, pictures, scratch)
    return replace(made, calls=tuple(dict.fromkeys(calls.answered)))


def _made(call: RunnerCall, calls: ModelCalls, pictures: Reply, scratch: Path) -> RunnerAttempt:
    runner, job, asker = call.runner, call.job, calls.asker
    who = _Asked(runner.name, job.budget.seconds + SETTLING_S, runner.max_concurrency)
    here = "files" in runner.capabilities

    def ask() -> bytes:
        data = _in_folder(call, calls, pictures, scratch) if here else _in_worker(call, calls, pictures)
        if job.brief.role == "solver":
            ClaimedAnswer.of(decode_output(data).files, runner.name)  # what is no answer is not worth keeping
        return data

    try:
        answered = asker.ask(Ask(call.key(), who, ask, mark=call.mark()))
    except RunnerFailed as error:
        output = RunnerOutput({}, error.usage, error.timeline)
        return _failed(call, asker, error.failure, error.reason, output)
    except (StoreError, RunCancelled, UsageError, ConfigurationError):
        raise
    except TooSlow:
        reason = f"no answer within {job.budget.seconds:g} s"
        return _failed(call, asker, "over_budget", reason)
    except (Crashed, WorkerError) as error:
        return _failed(call, asker, "retryable", reason_of(error))
    except Refused as error:
        failure: RunnerFailure = (
            "retryable" if error.status in (408, 409, 425, 429) or error.status >= 500 else "terminal"
        )
        return _failed(call, asker, failure, reason_of(error))
    except EngineError as error:
        return _failed(call, asker, "retryable", reason_of(error))
    except Exception as error:  # a runner may be code of another package
        return _failed(call, asker, "terminal", reason_of(error))
    output = decode_output(answered.data)
    if answered.tier == "exact":
        for number, entry in enumerate(output.timeline):
            call.tell(number, entry.kind, entry.payload)
    digest = asker.store.find(call.key())
    outcome: AttemptOutcome = "ok" if answered.tier == "asked" else "hit"
    return replace(call.asked, outcome=outcome, output=digest, usage=output.usage, refused=dict(output.refused))


def _failed(
    call: RunnerCall, asker: Asker, failure: RunnerFailure, reason: str, output: RunnerOutput | None = None
) -> RunnerAttempt:
    made = output or RunnerOutput({})
    data = encode_output(made)
    key = artifact_key("solve-failed", "1", (call.key(), digest_bytes(data)), digest_of({}))
    source = call.job.given.documents[0].source.id
    digest = asker.store.save(key, data, stage=STAGE, document=source)
    return replace(call.asked, outcome=failure, reason=reason[:SHOWN], output=digest, usage=made.usage)


def _in_worker(call: RunnerCall, calls: ModelCalls, pictures: Reply) -> bytes:
    """The output of a runner in a worker, whose questions to a model are asked here."""
    runner, job = call.runner, call.job
    model = cast("LanguageModel | None", getattr(runner, "model", None))
    answers = partial(answered_here, calls, model, job.given.documents[0].source.id)
    more: dict[str, Reply] = {REQUEST: answers, jobs.PICTURE: pictures}
    arguments = job if model is None else replace(job, model=model.named, runner=_without_secrets(runner, model))

    def on_event(kind: str, payload: Mapping[str, object]) -> None:
        if kind == jobs.TIMELINE:
            call.tell(
                cast(int, payload["entry"]), str(payload["kind"]), cast("Mapping[str, object]", payload["payload"])
            )

    try:
        reply = call.work(
            "attempted", arguments, job.budget.seconds, more=more, on_event=on_event, check=calls.asker.check
        )
    except JobFailed as error:
        raise RunnerFailed(runner.name, reason_of(error), "terminal") from error
    if "failure" in reply.header:
        failed = decode_output(reply.data)
        failure = cast(RunnerFailure, reply.header["failure"])
        raise RunnerFailed(
            runner.name, str(reply.header["reason"]), failure, usage=failed.usage, timeline=failed.timeline
        )
    return bytes(reply.data)


def _without_secrets(runner: Runner, model: LanguageModel) -> Runner:
    """The runner with its model by name alone: a worker parses documents that are not trusted."""
    return replace(runner, model=model.named) if is_dataclass(runner) and not isinstance(runner, type) else runner


def _in_folder(call: RunnerCall, calls: ModelCalls, pictures: Reply, scratch: Path) -> bytes:
    """The output of a runner that works in a folder: the workspace is made for it, and must have the same digest."""
    with TemporaryDirectory(prefix="solve-", dir=scratch) as place:
        folder = Path(place) / "workspace"
        building = jobs.Building(call.job.given, folder)
        reply = call.work("workspace", building, jobs.BUILD_S, more={jobs.PICTURE: pictures}, check=calls.asker.check)
        made = WorkspaceManifest.from_bytes(reply.data, "the manifest of the workspace")
        if made.digest != call.job.workspace:
            raise StoreError(
                f"the workspace was built again with the digest {made.digest[:12]}, not {call.job.workspace[:12]}: "
                "was a page drawn by another version of the reader? Solve it again"
            )
        return encode_output(call.runner.run(FolderAttempt(call, calls, folder)))


class FolderAttempt:
    """One attempt as its runner sees it, in a thread of this process, with the workspace on disk."""

    def __init__(self, call: RunnerCall, calls: ModelCalls, folder: Path) -> None:
        self._call, self._calls, self._told = call, calls, 0
        job = call.job
        self.role, self.prompt, self.brief, self.budget = job.brief.role, job.prompt, job.brief, job.budget
        self.workspace, self.folder = job.workspace, folder

    @property
    def catalog(self) -> object:
        raise UsageError(f"the runner {self._call.runner.name} works in a folder: it has no catalog, and no tools")

    @property
    def tools(self) -> RunnerTools:
        raise UsageError(f"the runner {self._call.runner.name} works in a folder: it has no tools")

    def ask(self, request: bytes) -> bytes:
        model = cast("LanguageModel | None", getattr(self._call.runner, "model", None))
        if model is None:
            raise UsageError(f"the runner {self._call.runner.name} has no model to ask")
        (answer,) = self._calls(model, "", [request])
        if isinstance(answer, EngineError):
            raise answer
        return answer

    def tell(self, entry: TimelineEntry) -> None:
        self._calls.asker.check()
        self._call.tell(self._told, entry.kind, entry.payload)
        self._told += 1


@dataclass(frozen=True, slots=True)
class ModelCalls:
    """Requests of runners to their models, through the asker: an answer that is recorded is not asked for again."""

    asker: Asker
    answered: list[Digest] = field(default_factory=list)
    """The answers that were given, in the store."""

    def __call__(self, model: LanguageModel, document: str, requests: Sequence[bytes]) -> Sequence[bytes | EngineError]:
        return [self._one(model, request) for request in requests]

    def _one(self, model: LanguageModel, request: bytes) -> bytes | EngineError:
        key = answer_key(request)
        try:
            data = self.asker.ask(Ask(key, model, lambda: _checked(model, model.post(request, key=key)))).data
        except EngineError as error:
            return error
        self.answered.append(digest_bytes(data))
        return data


def _checked(model: LanguageModel, answer: bytes) -> bytes:
    """An answer that is no chat completion is not worth keeping."""
    try:
        choices = json.loads(answer)["choices"]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise EngineError(model.name, "the answer of the server is not a chat completion") from error
    if not isinstance(choices, list) or not choices:
        raise EngineError(model.name, "the answer of the server has no choices")
    return answer


def _shown(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= SHOWN else f"{value[:SHOWN]}…"
    if isinstance(value, (int, float, bool)) or value is None:
        return value
    text = json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= SHOWN else f"{text[:SHOWN]}…"
