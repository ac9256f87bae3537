"""The request to solve a task, as a value that a run carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, get_args

from quire.core.context import Json, Store
from quire.core.document import Document
from quire.core.errors import UsageError
from quire.core.runner import Budget, RunnerCapability
from quire.durable.reads.read_request import SourceRef
from quire.durable.reads.sources import save_source, source_key
from quire.evidence.extract.schema import ExtractSchema
from quire.reading.messages import SourceJson
from quire.solving.build_call import load_template
from quire.solving.runners.runner_registry import find_runner, ordered

ReviewMode = Literal["none", "queue", "wait"]
REVIEW_MODES: tuple[ReviewMode, ...] = get_args(ReviewMode)
LONGEST_TASK = 100_000
MOST_ROUNDS, MOST_ATTEMPTS = 10, 10
ANY_ANSWER: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "description": "The answer to the task, in the words of the document."}
    },
}
"""What is asked for where neither a schema nor a template says it."""


@dataclass(frozen=True, slots=True)
class SolveRequest:
    """A task over documents.

    `runners` are tried in their order, those with all capabilities of `requires` and a context of at least
    `min_context` tokens first. `reviewer` is a runner that
    reviews the answer after the checks, "" for none. `rounds` is how often the solver may answer findings, `attempts`
    how often each runner is tried. `review`: whether what stays open is put up for people, and whether the run waits
    for them. `template` is a workbook in the store. `fresh` tells two runs of the same task apart.
    """

    task: str
    schema: Mapping[str, Json] = field(default_factory=lambda: ANY_ANSWER)
    template: SourceJson | None = None
    runners: tuple[str, ...] = ("offline",)
    requires: tuple[RunnerCapability, ...] = ()
    min_context: int = 0
    reviewer: str = ""
    rounds: int = 2
    attempts: int = 2
    backoff_s: float = 2.0
    """Before the second attempt of a runner; twice as long before each further one."""
    budget: Budget = field(default_factory=Budget)
    review: ReviewMode = "none"
    fresh: str = ""

    def checked(self) -> SolveRequest:
        """The request itself. Raises UsageError for a task, schema, runner or number that cannot be used, and
        ConfigurationError for a runner that does not work here."""
        if not self.task.strip():
            raise UsageError("the task is empty; say what is to be done with the documents")
        if len(self.task) > LONGEST_TASK:
            raise UsageError(f"the task has {len(self.task):,} characters, more than {LONGEST_TASK:,}")
        if not self.runners:
            raise UsageError("no runner is named; `offline` needs no language model")
        if not 0 <= self.rounds <= MOST_ROUNDS or not 1 <= self.attempts <= MOST_ATTEMPTS:
            raise UsageError(f"rounds are 0 to {MOST_ROUNDS}, attempts 1 to {MOST_ATTEMPTS}")
        if self.review not in REVIEW_MODES:
            raise UsageError(f"there is no review {self.review!r}; choose from {', '.join(REVIEW_MODES)}")
        budget = self.budget
        if min(budget.turns, budget.tokens, budget.seconds) <= 0 or (budget.cost is not None and budget.cost < 0):
            raise UsageError("a budget is more than nothing: turns, tokens and seconds above 0, a cost of 0 or more")
        self.extract_schema()
        ordered(self.runners, self.requires, self.min_context)
        if self.reviewer and "reviews" not in find_runner(self.reviewer).capabilities:
            raise UsageError(f"the runner {self.reviewer} cannot review an answer; choose one with a language model")
        return self

    def extract_schema(self) -> ExtractSchema:
        return ExtractSchema.of(self.schema)

    def to_json(self) -> dict[str, Json]:
        return {
            **{one.name: getattr(self, one.name) for one in fields(self)},
            "schema": dict(self.schema),
            "runners": list(self.runners),
            "requires": list(self.requires),
            "budget": asdict(self.budget),
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> SolveRequest:
        """The request that `to_json` described: it was checked when it was made."""
        named: dict[str, Any] = {one.name: given[one.name] for one in fields(cls) if one.name in given}
        named |= {name: tuple(named[name]) for name in ("runners", "requires") if name in named}
        return cls(**{**named, "budget": Budget(**named.get("budget", {}))})


class SolveOptions(TypedDict, total=False):
    """How a task is solved: as in `SolveRequest`."""

    runners: Sequence[str]
    requires: Sequence[RunnerCapability]
    min_context: int
    reviewer: str
    rounds: int
    attempts: int
    backoff_s: float
    budget: Budget
    review: ReviewMode
    fresh: str


def requested(
    task: str,
    store: Store,
    *,
    schema: Mapping[str, Json] | None = None,
    fields: Sequence[str] | str | None = None,
    template: str | Path | bytes | None = None,
    **options: Unpack[SolveOptions],
) -> SolveRequest:
    """A request from what a user wrote, with its template in the store; `template` is a path, or the workbook itself.

    Raises UsageError for something that cannot be used, ConfigurationError for a runner that does not work here.
    """
    if schema is not None and fields:
        raise UsageError("a schema and a list of fields are given; give one of them")
    asked: Mapping[str, Json] | None = schema_of_fields(fields) if fields else schema
    stored = None
    if template is not None:
        from quire.solving.workbook.template_schema import template_schema

        data = template if isinstance(template, bytes) else load_template(template)
        asked = asked if asked is not None else template_schema(data)
        stored = _kept_template(store, data, "template.xlsx" if isinstance(template, bytes) else Path(template).name)
    named: dict[str, Any] = {**options}
    named |= {name: tuple(named[name]) for name in ("runners", "requires") if name in named}
    return SolveRequest(task, asked or ANY_ANSWER, stored, **named).checked()


def _kept_template(store: Store, data: bytes, name: str) -> SourceJson:
    with Document(data, name=name) as document:
        if store.find(source_key(document.id)) is None:
            with document.open() as file:
                save_source(store, document.id, file)
        return SourceRef(document.id, name, "", stored=True).to_json()


def schema_of_fields(names: Sequence[str] | str) -> dict[str, Json]:
    """The JSON Schema of a list of fields, as `--fields` has it."""
    leaves = ExtractSchema.of(names).leaves
    return {"type": "object", "properties": {one.name: {"type": one.type, "title": one.title} for one in leaves}}
