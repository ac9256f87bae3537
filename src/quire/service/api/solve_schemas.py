"""The JSON of solves in the API, as models for its OpenAPI description."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from quire.core.context import RunState
from quire.core.errors import Category
from quire.core.runner import Role, RunnerCapability
from quire.durable.solves.solve_request import LONGEST_TASK, MOST_ATTEMPTS, MOST_ROUNDS, ReviewMode
from quire.evidence.extract.values import EvidenceStatus, MatchKind
from quire.service.api.schemas import ApiSchema, PageBox, RunOptions, UrlSource
from quire.solving.attempts import AttemptOutcome
from quire.solving.findings import FindingKind

MOST_DOCUMENTS = 100
"""Documents of one solve."""


class SolveBudget(ApiSchema):
    """The limits of one attempt of a runner."""

    turns: int = Field(60, ge=1, le=1000, description="Requests to the model.")
    tokens: int = Field(1_000_000, ge=1, le=100_000_000)
    seconds: float = Field(900.0, gt=0, le=86_400)
    cost: float | None = Field(None, ge=0, le=10_000, description="In US dollars; null is no limit.")


class SolveSubmission(ApiSchema):
    """What to solve, and how: a task, the values that it asks for, who solves and reviews it, and over which documents:
    those that were read already, or documents by URL. A form has its files instead."""

    task: str = Field(max_length=LONGEST_TASK, description="What is to be done with the documents.")
    schema_: dict[str, Any] | None = Field(None, alias="schema", description="A JSON Schema of the values.")
    fields: list[str] | str = Field([], description="Names of values, instead of a schema.")
    runners: list[str] = Field(
        [], max_length=10, description="Runners of this server, tried in their order; its first one by default."
    )
    requires: list[RunnerCapability] = Field([], description="Runners with all of these are tried first.")
    reviewer: str = Field("", max_length=200, description="A runner of this server that reviews the answer.")
    rounds: int = Field(2, ge=0, le=MOST_ROUNDS, description="How often the solver may answer findings.")
    attempts: int = Field(2, ge=1, le=MOST_ATTEMPTS, description="How often each runner is tried.")
    budget: SolveBudget = SolveBudget.model_validate({})
    review: ReviewMode = Field(
        "none", description="Put what stays open up for review; with `wait`, the run ends when people have decided."
    )
    documents: list[str] = Field([], max_length=MOST_DOCUMENTS, description="Ids of documents that were read.")
    sources: list[UrlSource] = Field([], max_length=MOST_DOCUMENTS)
    options: RunOptions | None = Field(None, description="How to read; `documents` as they were read by default.")


class SolveRunner(BaseModel):
    """A runner that a request may name."""

    name: str
    capabilities: list[RunnerCapability]
    context_tokens: int | None = Field(description="The size of the context of its model, where it is known.")


class SolveChoices(BaseModel):
    """What a solve can name on this server, and how large a request may be."""

    runners: list[SolveRunner] = Field(description="The first one is the default.")
    max_bytes: int = Field(description="Of a request.")
    max_file_bytes: int = Field(description="Of one of its files.")
    max_template_bytes: int
    max_documents: int
    max_task: int = Field(description="Characters of a task.")
    max_rounds: int
    max_attempts: int


class SolvePlace(BaseModel):
    """A place in a document of the run: its number there, its id, the page and the boxes, and the path of its
    picture."""

    number: int | None = Field(description="Of the document in the run, from 1; null for a value without a place.")
    document: str | None
    page: int | None
    bboxes: list[PageBox]
    blocks: list[str]
    quote: str
    crop: str | None


class SolveAlternative(SolvePlace):
    """Another value, with its place."""

    value: Any
    confidence: float
    extractor: str = ""


class SolveEvidence(SolvePlace):
    """The evidence of one value."""

    status: EvidenceStatus
    probability: float | None
    match: MatchKind | None
    confidence: dict[str, float]
    reason: str
    label: str
    extractor: str
    crop_verified: bool
    derivation: dict[str, Any] | None
    alternatives: list[SolveAlternative]


class SolveConflict(BaseModel):
    """Values for one path that speak against each other, each with its place."""

    path: str
    reason: str
    values: list[SolveAlternative]


class SolveMissing(BaseModel):
    """A value that was not found: the pages that were searched, and why there is none."""

    path: str
    pages: list[int]
    reason: str


class SolveFinding(SolvePlace):
    """What a review says about a value. `other` is the value that speaks against it, at the place."""

    path: str
    kind: FindingKind
    reason: str
    open: bool
    value: Any
    other: Any
    by: str


class SolveUsage(BaseModel):
    """What was used: requests to a model, tokens, calls of tools, US dollars where they are known, seconds."""

    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tool_calls: int = 0
    cost: float | None = None
    seconds: float | None = None


class SolveAttempt(BaseModel):
    """One attempt of a runner. `round` counts from 0, `number` the attempts of this runner in the round from 1;
    `outcome` is null while it is going on."""

    role: Role
    round: int
    runner: str
    number: int
    outcome: AttemptOutcome | None
    reason: str
    usage: SolveUsage


class SolvePhase(BaseModel):
    """A phase that has started: the workspace, a round, the review by people, the end."""

    phase: str
    state: Literal["started", "finished"]
    started: float | None
    finished: float | None


class SolveFile(BaseModel):
    """A file of the answer, for download."""

    name: str
    bytes: int
    path: str


class SolveView(BaseModel):
    """A solve: how far it is and, once it has finished, its answer with the evidence of each value."""

    run: str
    state: RunState
    error: str | None
    category: Category | None
    task: str
    schema_: dict[str, Any] = Field(alias="schema")
    runners: list[str]
    reviewer: str
    review: ReviewMode
    template: str | None = Field(description="The name of the workbook to fill.")
    phases: list[SolvePhase]
    attempts: list[SolveAttempt]
    usage: SolveUsage
    reviews: list[str] = Field(description="Ids of the reviews that people decide about.")
    status: Literal["complete", "open"] | None = Field(description="Null until it has finished.")
    values: Any
    evidence: dict[str, SolveEvidence]
    conflicts: list[SolveConflict]
    not_found: list[SolveMissing]
    findings: list[SolveFinding]
    rounds: list[int] = Field(description="How many findings were open after each round.")
    coverage: dict[str, Any] | None
    workspace: str | None = Field(description="The digest of the workspace.")
    files: list[SolveFile]
    trace: str | None = Field(description="The path of the trace.")
