"""The workflow `flow`: the steps of a flow for one document, each an artifact under its key.

A run names a registered flow: a built-in one, or one of the program that opened the runtime. Where that is allowed,
the run carries the whole definition of its flow instead, so that a replay does not depend on the file. A definition can
name components by import path, which executes code of its author: allow that for files and Python code only, never for
untrusted requests.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias, cast

from quire.core.context import MAX_RESULT, Context, Json, Retry, Store, Workflow
from quire.core.errors import ConfigurationError, RunError, UsageError
from quire.core.events import Event, EventKind, reason_of
from quire.core.keys import digest_of
from quire.core.page_ranges import page_numbers
from quire.core.passwords import Password
from quire.durable.extracts.extract_steps import extracting, reporting
from quire.durable.flows.domains import domain_services
from quire.durable.flows.ends import document_request, identified, output_value
from quire.durable.flows.page_images import rendering
from quire.durable.flows.references import RecentResults, Values, is_source, result_value
from quire.durable.flows.solving import solving
from quire.durable.flows.step_work import GROUP, Making
from quire.durable.flows.vectors import embedding
from quire.durable.reads.read_records import load_result
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.review.review_steps import reviewing
from quire.durable.steps.services import CallingService, PageService, Service, WaitingService
from quire.durable.steps.step_events import step_sink
from quire.flow import Component, FlowDefinition, Node, Step, StepReference, check, parse
from quire.flow.component_registry import ComponentRegistry
from quire.flow.definition import references
from quire.flow.flow_files import find_flows, load_flow
from quire.flow.tree import nearest, raise_mistakes
from quire.flow.validation import input_problems
from quire.reading.messages import (
    DocumentReference,
    FlowArgument,
    FlowOutcome,
    KeyedReadArgument,
    MadePages,
    OpenedReview,
    OutputReference,
    PageCount,
    PageEntry,
    PageSelection,
    StepValue,
)
from quire.system.stage_versions import workflow_version

STAGE = "step"
KEPT = 16
"""Parsed definitions in the cache: every document of a batch carries the same."""

Outcome: TypeAlias = Json | RunError
Playing: TypeAlias = Generator[Sequence[Awaitable[Json]], Sequence[Outcome], StepValue]
"""A running step: yields what it awaits, is sent the outcomes, and returns its value."""


class Registered(Protocol):
    """A flow that runs may name, and the registry of its components."""

    @property
    def definition(self) -> FlowDefinition: ...

    @property
    def components(self) -> ComponentRegistry: ...


class FlowWithComponents(NamedTuple):
    """A flow with its components."""

    definition: FlowDefinition
    components: ComponentRegistry


class Flows:
    """Runs flows over the store of `steps`.

    `registered` are flows that a run may name, besides the built-in ones. `definitions` allows a run to carry a
    definition, `import_paths` also one with components by import path.
    """

    def __init__(
        self,
        steps: DocumentSteps,
        *,
        password: Password = None,
        import_paths: bool = False,
        definitions: bool = False,
        registered: Mapping[str, Registered] | None = None,
    ) -> None:
        self.store = steps.store
        # A batch has one more document in progress than workers, and may start the next.
        self.loader = RecentResults(partial(load_result, steps.store, password=password), kept=steps.workers + 2)
        self.services: Mapping[str, Service] = {
            "export": steps.export,
            "render": rendering(steps.store, password=password),
            "embed": embedding(steps.store),
            "extract": extracting(steps),
            "report": reporting(steps),
            "review": reviewing(steps.store),
            "solve": solving(steps),
            **domain_services(steps),
        }
        self.password = password
        self.trusting = ComponentRegistry(import_paths=True) if import_paths else None
        self.components = self.trusting or ComponentRegistry()
        self._registered: dict[str, Registered] = dict(registered or {})
        self._definitions = definitions or import_paths
        self._known: dict[str, FlowDefinition] = {}

    def workflow(self) -> Workflow:
        return Workflow("flow", self.flow, version=workflow_version(), pool="documents")

    async def flow(self, ctx: Context, argument: FlowArgument) -> FlowOutcome:
        """Run a flow."""
        if self.trusting and argument.get("folder"):
            folder = Path(argument["folder"])
            self.trusting.look_in(str(folder), str(folder.parent))
        definition, components = self._found(argument["flow"])
        _check_versions(definition, components, argument.get("versions") or {})
        if parent := argument.get("parent"):
            run, payload = ctx.run_id, {"flow": definition.name, "parent": parent}
            ctx.emit(Event(f"{run}/flow/started", run, 0, "started", "flow", payload=payload))
        inputs = argument.get("inputs") or {}
        if problems := input_problems(definition.inputs, inputs):
            raise UsageError(f"flow {definition.name!r}: {'; '.join(problems)}")
        defaults = {name: one.default for name, one in definition.inputs.items() if one.default is not None}
        return await _FlowRun(self, ctx, definition, components, {**defaults, **inputs}).play()

    def named(self, name: str) -> Registered:
        """The registered flow of that name. Raises UsageError with the nearest names when it does not exist."""
        if name not in self._registered:
            shipped = find_flows()
            if name not in shipped:
                raise UsageError(f"there is no flow {name!r} here; {nearest(name, {**shipped, **self._registered})}")
            components = ComponentRegistry()
            self._registered[name] = FlowWithComponents(load_flow(shipped[name], components), components)
        return self._registered[name]

    def _found(self, flow: str | Mapping[str, Json]) -> tuple[FlowDefinition, ComponentRegistry]:
        if isinstance(flow, str):
            registered = self.named(flow)
            return registered.definition, registered.components
        if not self._definitions:
            raise UsageError(
                "a run names a registered flow and carries no definition; register the flow where the runtime is "
                "opened: local_runtime(store, flows={name: flow})"
            )
        return self._parsed(flow), self.components

    def _parsed(self, tree: Mapping[str, Json]) -> FlowDefinition:
        digest = digest_of(tree)
        definition = self._known.get(digest)
        if definition is None:
            definition, mistakes = parse(Node.of(tree))
            raise_mistakes([*mistakes, *check(definition, self.components)], definition.name)
            self._known = {**dict(list(self._known.items())[1 - KEPT :]), digest: definition}
        return definition


class _FlowRun:
    """One execution or replay of a flow. Between the calls of the context everything is deterministic."""

    def __init__(
        self,
        flows: Flows,
        ctx: Context,
        definition: FlowDefinition,
        components: ComponentRegistry,
        inputs: Mapping[str, Json],
    ) -> None:
        self.flows = flows
        self.ctx = ctx
        self.definition = definition
        self.components = components
        self.inputs = inputs
        self.values: dict[str, StepValue | None] = {}
        """The value of each step; None for a skipped one."""
        self.lost: dict[str, int] = {}
        """The number of pages that steps with `on_error: skip` lost, by step; a whole document counts as one, and so
        does an extractor that failed beside others, or a place of a drawing."""

    async def play(self) -> FlowOutcome:
        documents = [name for name, one in self.definition.inputs.items() if one.type.name == "document"]
        unknown = {name: self.inputs[name] for name in documents if name in self.inputs}
        if not all(is_source(source) for source in unknown.values()):
            sources = await self.ctx.run("documents", identified, unknown, retry=Retry())
            self.inputs = {**self.inputs, **sources}
        for level in self.definition.levels():
            await self._level(level)
        output: OutputReference = await self.ctx.run(
            "output", output_value, self.definition, self._values(), MAX_RESULT // 2
        )
        outcome: FlowOutcome = {"flow": self.definition.name, "digest": output["digest"]}
        if "output" in output:
            outcome["output"] = output["output"]
        if self.lost:
            outcome["lost"] = self.lost
        return outcome

    def _values(self) -> Values:
        flows = self.flows
        values = dict(self.values)
        return Values(flows.store, flows.loader, flows.services, self.inputs, values, password=flows.password)

    async def _level(self, steps: Sequence[Step]) -> None:
        """Run independent steps concurrently: each yields what it awaits, and all of it is awaited in the order of the
        file. The first error, in that order, ends the flow after all steps have ended."""
        playing = {step.id: self._played(step) for step in steps if not self._skipped(step)}
        sent: dict[str, Sequence[Outcome] | None] = dict.fromkeys(playing)
        errors: list[RunError] = []
        while sent:
            waiting: dict[str, Sequence[Awaitable[Json]]] = {}
            for id, outcomes in sent.items():
                try:
                    waiting[id] = playing[id].send(outcomes)  # type: ignore[arg-type]  # None starts it
                except StopIteration as ended:
                    self._finished(self.definition.step(id), ended.value)
                except RunError as error:
                    errors += self._failed(self.definition.step(id), error)
            sent = {id: [await _settled(one) for one in awaited] for id, awaited in waiting.items()}
        if errors:
            raise errors[0]

    def _played(self, step: Step) -> Playing:
        component = self.components.find(step.component)
        making = Making(step, component, self._values())
        if component.workflow:
            return self._as_workflow(making)
        if isinstance(self.flows.services.get(component.service), PageService):
            return self._by_group(making)
        if isinstance(self.flows.services.get(component.service), WaitingService):
            return self._until_signal(making)
        if isinstance(service := self.flows.services.get(component.service), CallingService):
            return self._called(making, service)
        return self._whole(making) if component.unit == "document" else self._by_page(making)

    def _whole(self, making: Making) -> Playing:
        id = making.step.id
        (outcome,) = yield [self.ctx.run(id, making.whole, step_sink(self.ctx, id, making.document), retry=Retry())]
        made: StepValue = _value(outcome)
        return made

    def _until_signal(self, making: Making) -> Playing:
        """A service that begins something: wait for its end, which may take days."""
        step = making.step
        (begun,) = yield [self.ctx.run(f"{step.id}/begin", making.begun, self.ctx.run_id, retry=Retry())]
        opened: OpenedReview = _value(begun)
        if opened["signal"]:
            self._emit(step, making.component, "progress", None, {"review": opened["review"]})
            (sent,) = yield [self.ctx.signal(opened["signal"])]
            _value(sent)
        (ended,) = yield [self.ctx.run(step.id, making.ended, opened["review"], retry=Retry())]
        made: StepValue = _value(ended)
        return made

    def _called(self, making: Making, service: CallingService) -> Playing:
        """A service that is a workflow: called under an idempotency key of this run."""
        id = making.step.id
        (begun,) = yield [self.ctx.run(f"{id}/begin", making.begun, self.ctx.run_id, retry=Retry())]
        key = f"{service.workflow}/{self.ctx.run_id}/{id}"
        (outcome,) = yield [self.ctx.call(service.workflow, key, _value(begun))]
        (ended,) = yield [self.ctx.run(id, making.ended, _value(outcome), retry=Retry())]
        made: StepValue = _value(ended)
        return made

    def _by_group(self, making: Making) -> Playing:
        """A service that processes pages: look up the list; make groups of pages; join them."""
        id = making.step.id
        (looked,) = yield [self.ctx.run(f"{id}/look-up", making.service_pages, retry=Retry())]
        stored: StepValue | PageSelection = _value(looked)
        if "pages" not in stored:
            return stored
        numbers = page_numbers(stored["pages"], stored["last"]) if stored["last"] else []
        groups = [numbers[start : start + GROUP] for start in range(0, len(numbers), GROUP)]
        sink = step_sink(self.ctx, id, making.document)
        outcomes = yield [
            self.ctx.run(f"{id}/{group[0]}", making.service_some, group, sink, retry=Retry()) for group in groups
        ]
        entries: list[PageEntry] = [entry for outcome in outcomes for entry in _value(outcome)]
        (gathered,) = yield [self.ctx.run(f"{id}/gather", making.service_gathered, entries, retry=Retry())]
        made: StepValue = _value(gathered)
        return made

    def _as_workflow(self, making: Making) -> Playing:
        """A component that is a workflow, called under an idempotency key of this run, so that a failure is retried."""
        step, component = making.step, making.component
        (requested,) = yield [self.ctx.run(f"{step.id}/request", document_request, making, retry=Retry())]
        request: KeyedReadArgument = _value(requested)
        key = f"{request['key']}/{self.ctx.run_id}"
        (outcome,) = yield [self.ctx.call(component.workflow, key, request["request"])]
        if isinstance(outcome, RunError):
            name = request["request"]["source"]["name"]
            raise RunError.of(outcome, f"{name}: {reason_of(outcome)}")
        reference: DocumentReference = outcome
        return result_value(reference)

    def _by_page(self, making: Making) -> Playing:
        """Look up the list; make groups of pages; join them."""
        id = making.step.id
        (looked,) = yield [self.ctx.run(f"{id}/look-up", making.look_up, retry=Retry())]
        stored: StepValue | PageCount = _value(looked)
        if "count" not in stored:
            return stored
        groups = [(start, start + GROUP) for start in range(0, stored["count"], GROUP)]
        outcomes = yield [
            self.ctx.run(f"{id}/{start + 1}", making.some_pages, start, stop, retry=Retry()) for start, stop in groups
        ]
        made = yield from self._settle(making, groups, outcomes)
        errors = {page: reason for one in made for page, reason in one["errors"].items()}
        for page, reason in errors.items():
            self._emit(making.step, making.component, "failed", None, {"reason": reason}, page=int(page))
        (gathered,) = yield [self.ctx.run(f"{id}/gather", making.gathered, errors, retry=Retry())]
        listed: StepValue = _value(gathered)
        hits, new = sum(one["hits"] for one in made), sum(one["made"] for one in made)
        return {**listed, "hits": hits, "made": new, "failed": len(errors)}

    def _settle(
        self, making: Making, groups: Sequence[tuple[int, int]], outcomes: Sequence[Outcome]
    ) -> Generator[Sequence[Awaitable[Json]], Sequence[Outcome], list[MadePages]]:
        """The outcomes of the groups; one that failed for good reports its missing pages, unless `on_error: fail`."""
        failed = [at for at, outcome in enumerate(outcomes) if isinstance(outcome, RunError)]
        if failed and making.step.on_error.what == "fail":
            raise outcomes[failed[0]]
        settled = yield [
            self.ctx.run(
                f"{making.step.id}/{groups[at][0] + 1}/settle",
                making.settled,
                *groups[at],
                str(outcomes[at]),
                retry=Retry(),
            )
            for at in failed
        ]
        again = dict(zip(failed, settled, strict=True))
        return [_value(again.get(at, outcome)) for at, outcome in enumerate(outcomes)]

    def _skipped(self, step: Step) -> bool:
        """Whether a required input of the step was skipped; then the step is skipped too."""
        component = self.components.find(step.component)
        lacking = [
            one.step
            for name, expression in step.input.items()
            for one in (references(expression) if component.inputs[name].required else ())
            if isinstance(one, StepReference) and self.values[one.step] is None
        ]
        if lacking:
            use = step.on_error
            self.values[step.id] = {"kind": "given", "value": use.value} if use.what == "use" else None
            self._emit(step, component, "progress", None, {"skipped": True, "reason": f"{lacking[0]} was skipped"})
        return bool(lacking)

    def _finished(self, step: Step, value: StepValue) -> None:
        figures = {name: one for name, one in value.items() if name in ("ms", "bytes", "hits", "made", "failed")}
        kind: EventKind = "hit" if value.get("hit") else "finished"
        self._emit(step, self.components.find(step.component), kind, value, figures)
        partly = self.components.find(step.component).service in ("extract", "drawing")
        if value.get("failed") and (step.on_error.what == "skip" or partly):
            self.lost[step.id] = value["failed"]
        kept = {name: one for name, one in value.items() if name not in (*figures, "hit")}
        self.values[step.id] = cast("StepValue", kept)

    def _failed(self, step: Step, error: RunError) -> list[RunError]:
        """Apply `on_error` to a failed step. Returns the error if it ends the flow, else nothing."""
        component = self.components.find(step.component)
        payload = {"reason": reason_of(error), "category": error.category, "on_error": step.on_error.what}
        self._emit(step, component, "failed", None, payload)
        if step.on_error.what == "fail":
            message = reason_of(error)
            place = f"step {step.id!r}"
            # The error names the document that cannot be read; the step would only be noise.
            named = message if component.workflow or message.startswith(place) else f"{place}: {message}"
            return [RunError.of(error, named)]
        if step.on_error.what == "skip":
            self.lost[step.id] = 1
        use = step.on_error.value
        self.values[step.id] = {"kind": "given", "value": use} if step.on_error.what == "use" else None
        return []

    def _emit(
        self,
        step: Step,
        component: Component,
        kind: EventKind,
        value: StepValue | None,
        payload: Mapping[str, object],
        *,
        page: int | None = None,
    ) -> None:
        run = self.ctx.run_id
        payload = {"step": step.id, "component": component.name, **payload}
        document, key = (value.get("document"), value.get("key")) if value else (None, None)
        place = step.id if page is None else f"{step.id}/{page}"
        self.ctx.emit(Event(f"{run}/{STAGE}/{place}/{kind}", run, 0, kind, STAGE, document, page, key, payload))


def _check_versions(definition: FlowDefinition, components: ComponentRegistry, versions: Mapping[str, str]) -> None:
    """Raises ConfigurationError when the submitter of the run has another version of a component than this process."""
    for step in definition.steps:
        loaded = components.find(step.component).version
        if versions.get(step.id, loaded) != loaded:
            raise ConfigurationError(
                f"step {step.id!r}: a process that works on this store runs another version of "
                f"{step.component}; restart `quire join`"
            )


async def _settled(awaited: Awaitable[Json]) -> Outcome:
    """Its value, or the error that it ended with."""
    try:
        return await awaited
    except RunError as error:
        return error


def _value(outcome: Outcome) -> Json:
    if isinstance(outcome, RunError):
        raise outcome
    return outcome


def flow_argument(
    definition: FlowDefinition, inputs: Mapping[str, Json], versions: Mapping[str, str] | None = None
) -> FlowArgument:
    """The argument of a run of a flow. For other processes of this machine it includes the folder of custom components,
    and their `versions` by step."""
    argument: FlowArgument = {"flow": definition.to_json(), "inputs": dict(inputs)}
    own = [step.id for step in definition.steps if ":" in step.component]
    if own and definition.folder:
        argument["folder"] = definition.folder
    if own and versions:
        argument["versions"] = {step: versions[step] for step in own}
    return argument


def flow_output(store: Store, result: FlowOutcome) -> Json:
    """The output of a finished flow, loaded from the store if it is too large for the journal."""
    if "output" in result:
        return result["output"]
    return json.loads(store.load(result["digest"]))
