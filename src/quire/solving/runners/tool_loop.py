"""The runner that lets a language model call tools, on any server with OpenAI's chat completions.

Every request is a function of the prompt and the answers so far: after a crash the loop runs again, finds the recorded
answers, and goes on where it was.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from quire.core import prompts
from quire.core.context import Json
from quire.core.engine import Policy
from quire.core.errors import EngineError
from quire.core.keys import Digest, Profile
from quire.core.runner import (
    Role,
    RunnerCapability,
    RunnerFailed,
    RunnerFailure,
    RunnerOutput,
    RunnerUsage,
    RunnerWork,
    TaskBrief,
    TimelineEntry,
    TimelineKind,
    ToolAnswer,
)
from quire.core.types import shortened
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.language_model.form import answer_schema, proposals_in
from quire.evidence.extract.schema import ExtractSchema, ObjectSpec, asked_schema
from quire.evidence.extract.value_paths import field_of, values_by_path
from quire.net.language_model import KEY, MODEL, URL, LanguageModel
from quire.net.model_server import PASSING, Refused
from quire.pages.recognize.vision.reply import json_in
from quire.solving.answers import MOST_VALUES, ClaimedAnswer
from quire.solving.findings import decode_findings
from quire.solving.runners.chat_turns import ChatTurn, ToolCall
from quire.solving.runners.conversation import Conversation, estimated
from quire.solving.runners.model_settings import CONTEXT, KEYS, ModelPrices, ModelSettings
from quire.solving.runners.task_prompt import task_prompt
from quire.solving.tools.proposals import FINDINGS
from quire.system.stage_versions import stage_version

SEED = 0
MOST_REMINDERS = 2
"""After so many replies without a tool call the attempt ends."""
MOST_SHORTENINGS = 3
LAST_TURNS = 2
"""So many turns before the end the model is told."""
LONGEST_SHOWN = 2000
"""Characters of an answer of a tool in the timeline."""
_OUTPUT_SHARE = 4
"""Of a context, a part of so many is left for what the model writes."""
_INVALID = (400, 404, 422, 501)
_PASSING = (*PASSING, 408, 409)
_OPTIONAL = ("seed", "temperature")
_TOO_LONG = re.compile(r"context|too (?:long|large|many tokens)|maximum.{0,20}(?:length|tokens)", re.IGNORECASE)
_CAPABILITIES: frozenset[RunnerCapability] = frozenset({"tools", "json_schema", "revises", "reviews"})
_PROMPTS: Mapping[Role, str] = {"solver": "solve", "reviewer": "review"}
_GO_ON = (
    "You have called no tool. Call propose or not_found for every value that is missing, or finding for every fault; "
    "reply with one short sentence when there is nothing left to do."
)
_AS_JSON = (
    "Write the answer as JSON instead: for each value the record in which it stands, a quote from it, and the value; "
    "null for a value that you have not found."
)
_CUT_OFF = "Your reply was cut off. Write less, and call one tool at a time."


@dataclass(frozen=True, slots=True)
class ToolProfile(Profile):
    """The settings of a model with tools that change what it answers."""

    model: str
    prompts: tuple[Digest, ...]
    vision: bool
    context_tokens: int | None
    temperature: float = 0.0
    seed: int = SEED


@dataclass(frozen=True, slots=True)
class ToolRunner:
    """A language model that reads and proposes with the tools of a solve. `label` is its name after `tools:`."""

    model: LanguageModel
    label: str = ""
    vision: bool = False
    context_tokens: int | None = None
    prices: ModelPrices | None = None
    policy: Policy = "cpu"
    timeout_s: float = 3600.0
    max_concurrency: int = 4

    @classmethod
    def of(cls, argument: str, environment: Mapping[str, str]) -> ToolRunner:
        """From what follows `tools:`, `MODEL`, `MODEL@URL` or nothing, with `+vision` at its end for a model that sees
        pictures. Raises ConfigurationError without a model, UsageError for a setting that cannot be used."""
        found = ModelSettings.of(argument, environment)
        return cls(found.model, found.label, found.vision, found.context_tokens, found.prices)

    @property
    def name(self) -> str:
        return f"tools:{self.label}" if self.label else "tools"

    @property
    def identity(self) -> str:
        """Its name in keys: a model gives the same answers on any server."""
        return f"tools:{self.model.model}"

    @property
    def version(self) -> str:
        return stage_version("tool-runner")[:12]

    @property
    def capabilities(self) -> frozenset[RunnerCapability]:
        return _CAPABILITIES | {"vision"} if self.vision else _CAPABILITIES

    @property
    def profile(self) -> ToolProfile:
        digests = tuple(prompts.load(name).digest for name in _PROMPTS.values())
        return ToolProfile(self.model.model, digests, self.vision, self.context_tokens)

    def prompt(self, brief: TaskBrief) -> str:
        return f"{prompts.load(_PROMPTS[brief.role]).text}\n\n{task_prompt(brief)}"

    def run(self, work: RunnerWork) -> RunnerOutput:
        return ToolLoop(self, work).run()


class ToolLoop:
    """One attempt: requests and tool calls in turn until the model is done, or a budget is used up."""

    def __init__(self, runner: ToolRunner, work: RunnerWork, clock: Callable[[], float] = time.monotonic) -> None:
        self._runner, self._work, self._clock = runner, work, clock
        rules = prompts.load(_PROMPTS[work.role]).text
        self._conversation = Conversation(rules, work.prompt.removeprefix(rules).strip(), work.tools.specs)
        self._settings: dict[str, Any] = {"model": runner.model.model, "temperature": 0, "seed": SEED}
        self._room = _room(runner.context_tokens)
        self._timeline: list[TimelineEntry] = []
        self._usage = RunnerUsage(cost=None if runner.prices is None else 0.0)
        self._reminders = 0
        self._form: Mapping[str, Json] | None = None

    def run(self) -> RunnerOutput:
        begun = self._clock()
        while not (limit := self._used_up(self._clock() - begun)):
            turn = self._turn()
            if self._is_done(turn):
                break
            if self._work.budget.turns - self._usage.turns == LAST_TURNS:
                self._conversation.asked(f"There are {LAST_TURNS} turns left: propose now what you have found.")
        files = self._work.tools.output()
        if not self._is_usable(files, ended=not limit):
            if limit:
                raise self._failed(f"{limit}, and there is no answer yet; raise the budget", "over_budget")
            raise self._failed("the model ended without an answer", "invalid_output")
        if limit:
            self._emit("note", {"text": limit})
            self._work.tools.call("note", {"text": f"The attempt ended before the model was done: {limit}."})
            files = self._work.tools.output()
        return RunnerOutput(files, self._usage, tuple(self._timeline))

    def _used_up(self, seconds: float) -> str:
        """The budget that is used up, in words; "" while there is some left."""
        budget, usage = self._work.budget, self._usage
        tokens = usage.input_tokens + usage.output_tokens
        if usage.turns >= budget.turns:
            return f"the budget of {budget.turns:,} turns is used up"
        if tokens >= budget.tokens:
            return f"the budget of {budget.tokens:,} tokens is used up"
        if seconds >= budget.seconds:
            return f"the budget of {budget.seconds:g} seconds is used up"
        if budget.cost is not None and usage.cost is not None and usage.cost >= budget.cost:
            return f"the budget of {budget.cost:g} US dollars is used up"
        return ""

    def _turn(self) -> ChatTurn:
        """Ask the model once, and call the tools that it wants."""
        turn = self._asked()
        self._count(turn)
        calls = [{"name": shortened(one.name), "arguments": _shown(one.arguments)} for one in turn.calls]
        payload: dict[str, Json] = {"text": turn.text[:LONGEST_SHOWN], "calls": calls, "finish": turn.finish}
        tokens = {"input_tokens": turn.input_tokens, "output_tokens": turn.output_tokens}
        self._emit("model", {**payload, **tokens})
        if turn.is_refused:
            reason = turn.refusal or "its server has filtered the answer"
            raise self._failed(f"the model declines the task: {shortened(reason, 200)}", "refused")
        self._conversation.said(turn)
        pictures = [image for call in turn.calls if (image := self._call(call)) is not None]
        if pictures:
            self._conversation.shown(pictures)
        if turn.left_out:
            self._conversation.asked(f"{turn.left_out} calls were left out: call fewer tools in one reply.")
        return turn

    def _is_done(self, turn: ChatTurn) -> bool:
        """Whether the model has ended. It is reminded when it has not called a tool and values are missing."""
        if turn.calls:
            return False
        if turn.finish != "length" and self._is_complete():
            return True
        if self._work.role == "solver" and self._take_answer(turn.text):
            return True
        self._reminders += 1
        if self._reminders > MOST_REMINDERS:
            return not self._wants_form()
        self._conversation.asked(_CUT_OFF if turn.finish == "length" else _GO_ON)
        return False

    def _wants_form(self) -> bool:
        """Whether a model that calls no tools, and has proposed nothing, is asked once for the answer as JSON."""
        if self._work.role != "solver" or self._form is not None or self._is_usable(self._work.tools.output()):
            return False
        schema = {"name": "values", "strict": True, "schema": answer_schema(self._schema)}
        self._form = {"type": "json_schema", "json_schema": schema}
        self._conversation.asked(_AS_JSON)
        return True

    def _is_complete(self) -> bool:
        """Whether nothing is missing: each path has a value or was not found. A reviewer has used a tool."""
        if self._work.role == "reviewer":
            return self._usage.tool_calls > 0
        done = {*self._claimed().missing, *self._filled()}
        return all(any(_covers(path, leaf.path) for path in done) for leaf in self._schema.leaves)

    def _claimed(self) -> ClaimedAnswer:
        return ClaimedAnswer.of(self._work.tools.output(), self._runner.name)

    def _filled(self) -> set[str]:
        return {path for path, value in values_by_path(self._claimed().values) if value is not None}

    def _is_usable(self, files: Mapping[str, bytes], *, ended: bool = True) -> bool:
        """Whether there is an answer. A review that has ended may have found nothing, if it has looked."""
        if self._work.role == "reviewer":
            return (ended and self._usage.tool_calls > 0) or bool(decode_findings(files.get(FINDINGS, b"")))
        claimed = ClaimedAnswer.of(files, self._runner.name)
        return bool(claimed.proposals(self._runner.name) or claimed.missing)

    def _take_answer(self, text: str) -> bool:
        """Take an answer that a model writes as JSON instead of calling tools, with citations or without."""
        tree = json_in(text) if "{" in text else None
        tree = tree.get("values", tree) if isinstance(tree, dict) else tree
        known = self._schema.root.properties if isinstance(self._schema.root, ObjectSpec) else ()
        if not isinstance(tree, dict) or not any(name in known for name in tree):
            return False
        catalog = self._work.catalog
        assert isinstance(catalog, SourceCatalog)
        filled, taken = self._filled(), 0
        for one in proposals_in(tree, self._schema, catalog, self._runner.name, {})[:MOST_VALUES]:
            if one.path not in filled:
                given = {"path": one.path, "value": one.value, "record": "".join(one.records), "quote": one.quote}
                taken += "path" in self._work.tools.call("propose", given).content
        self._emit("note", {"text": f"{taken} values were taken from the text of the model"})
        return taken > 0

    def _call(self, call: ToolCall) -> bytes | None:
        if call.arguments is None:
            answer = ToolAnswer({"error": "the arguments are no JSON object, or too long"}, error=True)
        else:
            answer = self._work.tools.call(call.name, call.arguments)
        self._usage = _with(self._usage, tool_calls=1)
        path = answer.content.get("path")
        if call.name == "propose" and isinstance(path, str):
            self._conversation.proposed(path)
        self._conversation.answered(call.id, answer)
        shown = {"name": shortened(call.name), "arguments": _shown(call.arguments), "answer": _shown(answer.content)}
        self._emit("tool", {**shown, "error": answer.error})
        return answer.image

    def _asked(self) -> ChatTurn:
        """The answer to the conversation."""
        answer = self._answer()
        try:
            return ChatTurn.of(answer, self._runner.name)
        except EngineError as error:
            raise self._failed(_reason(error), "invalid_output") from error

    def _answer(self) -> bytes:
        """A server that finds the conversation too long, or does not know a parameter, gets it shorter, or without."""
        shortened_times = 0
        while True:
            if self._room is not None and not self._conversation.fit(self._room):
                reason = f"the task does not fit into {self._room:,} tokens; use a model with a larger context"
                raise self._failed(f"{reason}, or set {CONTEXT}", "terminal")
            try:
                return self._work.ask(self._conversation.request(self._settings, self._form))
            except Refused as error:
                if (unknown := self._unknown(error)) is not None:
                    del self._settings[unknown]
                elif _is_too_long(error) and shortened_times < MOST_SHORTENINGS and self._conversation.shorten():
                    shortened_times += 1
                else:
                    raise self._refused(error) from error
            except RunnerFailed:
                raise
            except EngineError as error:
                raise self._failed(_reason(error), "retryable") from error

    def _unknown(self, error: Refused) -> str | None:
        """A parameter that the server does not take, and can do without."""
        if error.status not in _INVALID:
            return None
        return next((one for one in _OPTIONAL if one in self._settings and one in error.message.lower()), None)

    def _refused(self, error: Refused) -> RunnerFailed:
        reason = _reason(error)
        if error.status in _PASSING:
            return self._failed(reason, "retryable")
        if error.status in (401, 403):
            return self._failed(f"{reason}; check {KEY}, or {KEYS} for another server", "terminal")
        if error.status in _INVALID and (error.status != 404 or "tool" in error.message.lower()):
            return self._failed(f"{reason}; use a model and a server that support tool calls", "terminal")
        return self._failed(f"{reason}; check {URL} and {MODEL}", "terminal")

    def _count(self, turn: ChatTurn) -> None:
        read = self._conversation.tokens if turn.input_tokens is None else turn.input_tokens
        said = turn.text + "".join(f"{one.name}{_shown(one.arguments)}" for one in turn.calls)
        wrote = estimated(said) if turn.output_tokens is None else turn.output_tokens
        cost = 0.0 if self._runner.prices is None else self._runner.prices.of(read, wrote)
        self._usage = _with(self._usage, turns=1, input_tokens=read, output_tokens=wrote, cost=cost)

    def _emit(self, kind: TimelineKind, payload: Mapping[str, Json]) -> None:
        entry = TimelineEntry(kind, payload)
        self._timeline.append(entry)
        self._work.tell(entry)

    def _failed(self, reason: str, failure: RunnerFailure) -> RunnerFailed:
        return RunnerFailed(self._runner.name, reason, failure, usage=self._usage, timeline=self._timeline)

    @property
    def _schema(self) -> ExtractSchema:
        return asked_schema(self._work.brief.schema, ())


def _room(context_tokens: int | None) -> int | None:
    return None if context_tokens is None else context_tokens - context_tokens // _OUTPUT_SHARE


def _with(
    usage: RunnerUsage,
    *,
    turns: int = 0,
    input_tokens: int = 0,
    output_tokens: int = 0,
    tool_calls: int = 0,
    cost: float = 0.0,
) -> RunnerUsage:
    return RunnerUsage(
        usage.turns + turns,
        usage.input_tokens + input_tokens,
        usage.output_tokens + output_tokens,
        usage.tool_calls + tool_calls,
        None if usage.cost is None else usage.cost + cost,
    )


def _reason(error: EngineError) -> str:
    return str(error).removeprefix(f"{error.engine}: ")


def _covers(path: str, leaf: str) -> bool:
    """Whether a path of the data is that of a leaf, or of a list or object that the leaf is in."""
    field = field_of(path)
    return field in (leaf, f"{leaf}[]") or leaf.startswith((f"{field}.", f"{field}["))


def _is_too_long(error: Refused) -> bool:
    return error.status == 413 or (error.status in _INVALID and _TOO_LONG.search(error.message) is not None)


def _shown(given: object) -> str:
    """JSON for the timeline, shortened."""
    text = "null" if given is None else json.dumps(given, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
