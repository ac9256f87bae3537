"""The JSON that Quire's workflows exchange: their arguments and results, the values of steps, and what is reported.

Every value here can be in a journal, in another process or on a network, and a run that one version began may be
replayed by the next. So a key keeps its meaning, a new one is `NotRequired`, and none is removed while a journal may
hold it. `Json` appears only where a user decides: inputs, outputs and literals of flows.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypeAlias, TypedDict, final

from quire.core.context import Json
from quire.core.engine import Outcome
from quire.core.errors import Category
from quire.core.keys import ArtifactKey, Digest
from quire.core.table_areas import TablesMode
from quire.output.export.docling_enrichments import EnrichmentKind
from quire.pages.recognize.options import Effort, OcrMode
from quire.reading.result import ResultStatus


@final
class SourceJson(TypedDict):
    """A `SourceRef`: a document by its id, and its path."""

    id: str
    name: str
    path: str
    stored: NotRequired[bool]
    areas: NotRequired[Sequence[Mapping[str, Json]]]
    """Areas of tables given by hand, as `TableArea.to_json` writes them."""


@final
class ReadArgument(TypedDict):
    """A `ReadRequest`: the argument of the workflow `document`."""

    source: SourceJson
    pages: NotRequired[str | None]
    ocr: NotRequired[OcrMode]
    effort: NotRequired[Effort]
    engines: NotRequired[Sequence[str]]
    lang: NotRequired[Sequence[str]]
    figures: NotRequired[bool]
    redactions: NotRequired[bool]
    tables: NotRequired[TablesMode]
    areas: NotRequired[Sequence[Mapping[str, Json]]]
    hints: NotRequired[Sequence[str]]
    retries: NotRequired[int]
    retry_backoff_s: NotRequired[float]
    scope: NotRequired[str]
    deadline: NotRequired[float]
    max_pages: NotRequired[int]


@final
class KeyedReadArgument(TypedDict):
    """The argument of the workflow `document` and the idempotency key for it: what the step `read` of a flow calls."""

    key: str
    request: ReadArgument


@final
class DocumentPlan(TypedDict):
    """The plan of a document: its pages, and which of them have no record yet."""

    began: float
    pages: int
    reader: str
    media_type: str
    outline: Digest
    bundle: NotRequired[Digest]
    """The converted document, of one without pages of its own; `structure` is its DoclingDocument."""
    structure: NotRequired[Digest]
    missing: str
    """A selection of pages, like `1-3,7`."""


PageShape: TypeAlias = tuple[int, float, float, int]
"""The number, width, height and rotation of a page."""
AttemptRow: TypeAlias = tuple[str, Outcome, str]
"""An `Attempt` without its time: engine, outcome, reason."""
PageOutcomeRow: TypeAlias = tuple[int, str, str, PageShape | tuple[()], Sequence[AttemptRow]]
"""A `PageOutcome`; a journal returns it as a list."""


@final
class PagesArgument(TypedDict):
    """The argument of the workflows `pages` and `page`; the latter reads one page."""

    request: ReadArgument
    reader: str
    pages: list[int]


@final
class PagesResult(TypedDict):
    """The result of the workflows `pages` and `page`: the outcome of each page, and the run that read them."""

    run: str
    pages: list[PageOutcomeRow]


@final
class LedgerJson(TypedDict):
    """A `Ledger`: how many pages ended in each state."""

    pages: int
    ok: int
    empty: int
    failed: int
    skipped: int
    left_out: int


@final
class DocumentReference(TypedDict):
    """The reference of a document that was read: the result of the workflow `document`."""

    kind: Literal["document"]
    source: SourceJson
    media_type: NotRequired[str]
    """References of older versions lack it."""
    scope: NotRequired[str]
    """The part of the store that it is in."""
    document: Digest
    index: Digest
    bundle: NotRequired[Digest]
    """The converted document, of one without pages of its own; `structure` is its DoclingDocument as JSON."""
    structure: NotRequired[Digest]
    status: ResultStatus
    ledger: LedgerJson
    failed: Sequence[tuple[int, str] | tuple[int, str, Category]]
    """The first failed pages, with the reason and its category, which references of older versions lack."""


@final
class StepValue(TypedDict):
    """The value of a step of a flow: its `kind`, the `digest` of its artifact, the id of the `document`.

    Kinds: `json`, `pages` and `regions` (lists by page), `result` (a document that was read, by `reference`),
    `given` (the `value` of `on_error: use` for a step that failed).
    """

    kind: Literal["json", "pages", "regions", "result", "given"]
    digest: NotRequired[Digest]
    document: NotRequired[str]
    key: NotRequired[ArtifactKey]
    reference: NotRequired[DocumentReference]
    value: NotRequired[Json]
    hit: NotRequired[bool]
    ms: NotRequired[float]
    bytes: NotRequired[int]
    hits: NotRequired[int]
    made: NotRequired[int]
    failed: NotRequired[int]


@final
class PageCount(TypedDict):
    """How many pages a step has to make whose list is not in the store."""

    count: int


@final
class PageSelection(TypedDict):
    """The pages that a service has to work through, like `1-3,7`, and the highest of them."""

    pages: str
    last: int


@final
class MadePages(TypedDict):
    """The outcome of a group of pages: cache hits, pages made, and errors by page number."""

    hits: int
    made: int
    errors: dict[str, str]
    ms: NotRequired[float]


@final
class PageEntry(TypedDict):
    """An entry of a list by page: one of `digest` (its artifact), `value` (of `on_error: use`), `image`, `error`."""

    page: int
    digest: NotRequired[Digest]
    value: NotRequired[Json]
    image: NotRequired[str]
    error: NotRequired[str]


@final
class ArtifactFile(TypedDict):
    """A file in the artifact of a step. A name that begins with a dot follows the stem of the document."""

    name: str
    digest: Digest
    size: int


@final
class FlowArgument(TypedDict):
    """The argument of the workflow `flow`."""

    flow: str | Mapping[str, Json]
    """The name of a registered flow, or a definition."""
    inputs: NotRequired[Mapping[str, Json]]
    folder: NotRequired[str]
    """The folders with the modules of its components."""
    versions: NotRequired[Mapping[str, str]]
    """The versions of its components by step."""
    parent: NotRequired[str]
    """The run that submitted it."""


@final
class OutputReference(TypedDict):
    """The output of a flow: its digest in the store, and the output itself where it is small."""

    digest: Digest
    output: NotRequired[Json]


@final
class FlowOutcome(TypedDict):
    """The result of the workflow `flow`."""

    flow: str
    digest: Digest
    output: NotRequired[Json]
    lost: NotRequired[dict[str, int]]
    """How many pages steps with `on_error: skip` lost, by step."""


@final
class OpenedReview(TypedDict):
    """A review that a run has opened, and the signal for its end; "" if there is nothing to wait for."""

    review: str
    signal: str


@final
class SolveArgument(TypedDict):
    """The argument of the workflow `solve`: a `SolveRequest`, and the documents that were read."""

    request: Mapping[str, Json]
    documents: Sequence[DocumentReference]


@final
class SolvePlan(TypedDict):
    """The workspace of a solve: its one digest, and its manifest in the store; and the order of the runners."""

    workspace: Digest
    manifest: Digest
    files: int
    runners: list[str]
    """Those with all required capabilities first."""
    revising: list[str]
    """Those of them that can answer findings."""


@final
class SolveState(TypedDict):
    """An answer in the store, verified, with the findings about it and the remarks of its solver."""

    answer: Digest
    findings: Digest
    notes: Digest
    open: int
    """How many findings are open."""
    decided: NotRequired[bool]
    """Whether people have decided about what was open."""


SolveStatus: TypeAlias = Literal["complete", "open"]
"""`open`: some values are not supported, or something speaks against them."""


@final
class SolveResult(TypedDict):
    """The result of a solve, with everything in the store that is about all of its documents."""

    status: SolveStatus
    workspace: Digest
    manifest: Digest
    answer: Digest
    """The verified answer: an extraction as JSON."""
    files: dict[str, Digest]
    attempts: list[Mapping[str, Json]]
    """As `RunnerAttempt.to_json` has them."""
    rounds: list[Digest]
    """The findings after each round."""
    contents: list[Digest]
    """The answers, findings and remarks of all rounds: what is deleted with any of the documents."""
    coverage: Mapping[str, Json]
    reviews: list[str]


TaskType: TypeAlias = Literal["read", "extract", "solve", "convert", "chunk"]
TaskStatus: TypeAlias = Literal["success", "partial_success", "failure", "skipped"]
"""The outcome of a document of a task."""


@final
class TaskSource(TypedDict):
    """A source of a task: one of `stored` (its bytes are in the store), `url`, `bucket` (a place with many objects)."""

    stored: NotRequired[SourceJson]
    url: NotRequired[str]
    headers: NotRequired[Mapping[str, str]]
    bucket: NotRequired[Mapping[str, Json]]
    format: NotRequired[str]
    """docling's name of its format, once its bytes are in the store; "" for one that is not read."""
    uri: NotRequired[str]
    """The name that the caller gives it."""
    size: NotRequired[int]
    deleted: NotRequired[bool]
    """The document was deleted since: this entry keeps the numbers of the others."""


@final
class TaskLimits(TypedDict):
    """The limits of a task in fetching and reading."""

    max_bytes: int
    max_pages: int
    networks: Sequence[str]
    """Private networks that may be fetched from and delivered to, like `10.0.0.0/8`."""
    timeout_s: float


@final
class EnrichArgument(TypedDict):
    """The questions of a task for a vision model."""

    kinds: Sequence[EnrichmentKind]
    prompt: str
    """For descriptions of pictures."""
    least_area: float
    """Smaller pictures, as a share of their page, are not described."""
    api: NotRequired[Mapping[str, Json]]
    """The model that the request names for descriptions: `url`, `headers`, `params`, `timeout`, `concurrency`."""
    api_refused: NotRequired[bool]
    """Whether the request names one that this server does not ask."""


class TaskSettings(TypedDict):
    """What a task makes of documents, and where that goes."""

    type: TaskType
    read: Mapping[str, Json]
    """Options of a `ReadRequest`."""
    outputs: Mapping[str, Json]
    enrich: NotRequired[EnrichArgument]
    chunking: NotRequired[Mapping[str, Json]]
    target: Mapping[str, Json]
    """`kind`: `inbody`, `zip`, `put`, `s3`, `azure_blob`, `google_cloud_storage`."""
    more_targets: NotRequired[Sequence[Mapping[str, Json]]]
    """Buckets that get the same files."""
    callbacks: Sequence[Mapping[str, Json]]
    from_formats: Sequence[str]
    """The formats that are read; documents in others are skipped. Empty for all."""
    timeout_s: float | None
    abort_on_error: bool


@final
class TaskArgument(TaskSettings):
    """The argument of the workflow `task`: documents to read, and what to make of them."""

    tenant: str
    """The part of the store that it works in; "" for the whole."""
    sources: Sequence[TaskSource]
    limits: TaskLimits
    extract: NotRequired[Mapping[str, Json]]
    """What is extracted, as an `ExtractRequest`; for tasks of that type."""
    solve: NotRequired[Mapping[str, Json]]
    """The task that is solved over all documents, as a `SolveRequest`; for tasks of that type."""
    review: NotRequired[Literal["queue", "wait"]]
    """Whether extractions are put up for review, and whether the task waits for the end of it."""
    secrets: NotRequired[Mapping[str, Json]]
    """What `sealed` took out of sources, target, callbacks and enrichments; removed when the task has ended."""
    urgent: NotRequired[bool]
    """Whether a caller waits for it: then it does not queue behind those that nobody waits for."""
    index: NotRequired[Mapping[str, Json]]
    """The search index, an `IndexTarget`, that its documents are put into as soon as they are read."""
    deleted: NotRequired[bool]
    """Whether some of its documents were deleted since: then there is no answer about all of them any more."""


@final
class IndexArgument(TypedDict):
    """The argument of the workflow `index`: a document, and the index that it is put into.

    A file has its `path`, and the `chunks` that a flow has made of it; what a `run` of a server has read as its source
    of that `number` has a `reference`. With neither, everything that runs have read is put into the index which that
    lacks.
    """

    target: Mapping[str, Json]
    """An `IndexTarget`."""
    tenant: str
    """The part of the store that the document is in; "" for the whole."""
    background: bool
    """Whether nobody waits for it: it is tried until it succeeds, with a worker of its own."""
    path: NotRequired[str]
    place: NotRequired[str]
    """The place at which the batch records that the file is indexed."""
    document: NotRequired[str]
    chunks: NotRequired[FlowOutcome]
    reference: NotRequired[DocumentReference]
    run: NotRequired[str]
    number: NotRequired[int]
    read: NotRequired[float]
    """When it was read, in seconds since 1970."""
    types: NotRequired[Sequence[str]]
    """The types of tasks whose documents are indexed; all without."""


@final
class IndexCounts(TypedDict):
    """The result of the workflow `index`: how many chunks the document has in the index, or how many documents
    will follow."""

    chunks: NotRequired[int]
    following: NotRequired[int]


TaskPhase: TypeAlias = Literal["source", "read", "enrich", "output"]


@final
class TaskFault(TypedDict):
    """Why a document, or a page of it, could not be read."""

    message: str
    category: Category
    page: int | None
    phase: TaskPhase


@final
class TaskEnrichment(TypedDict):
    """The answers of a vision model about a document, as an artifact, and faults for those that are missing."""

    enrichment: NotRequired[Digest]
    faults: list[TaskFault]


@final
class TaskOutput(TypedDict):
    """The outputs of a document, as artifacts."""

    body: NotRequired[Digest]
    """The contents in the requested formats, as a JSON object."""
    confidence: NotRequired[Digest]
    figures: NotRequired[Mapping[str, int]]
    """Numbers of pages, characters, tables and pictures."""
    archive: NotRequired[Digest]
    """The same contents as files, in a zip archive."""
    chunks: NotRequired[Digest]
    """A JSON list."""


@final
class TaskDocument(TypedDict):
    """The outcome of one source of a task."""

    name: str
    uri: str
    status: TaskStatus
    faults: list[TaskFault]
    reference: NotRequired[DocumentReference]
    enrichment: NotRequired[Digest]
    """The answers of a vision model about it."""
    output: NotRequired[TaskOutput]
    extraction: NotRequired[Digest]
    """The extraction as JSON, of a task of that type."""
    review: NotRequired[str]
    """The id of its review."""
    deleted: NotRequired[bool]
    """The document was deleted since."""


@final
class ShortDocument(TypedDict):
    """A document that was read in one step, with its output."""

    reference: DocumentReference
    output: NotRequired[TaskOutput]


@final
class TaskCounts(TypedDict):
    """The documents of a task, counted by their outcome."""

    total: int
    succeeded: int
    partial: int
    failed: int
    pages: NotRequired[int]
    """Of the documents that were read, failed pages included."""


@final
class TaskResult(TypedDict):
    """The result of the workflow `task`."""

    documents: Digest | list[TaskDocument]
    """The documents; a long list as an artifact."""
    counts: TaskCounts
    archive: NotRequired[Digest]
    """The answer as a zip archive."""
    solve: NotRequired[SolveResult]
    """What came out of a task of that type."""


@final
class BatchArgument(TypedDict):
    """A `BatchRequest`: the argument of the workflow `batch`."""

    paths: Sequence[str]
    output: str
    flow: str
    formats: Sequence[str]
    inputs: Mapping[str, Json]
    include: Sequence[str]
    exclude: Sequence[str]
    shard: Sequence[int] | None
    limit: int | None
    force: bool
    retry: bool
    overwrite: NotRequired[bool]
    verify_hash: bool
    areas: NotRequired[Sequence[tuple[str, Mapping[str, Json]]]]
    """Patterns of paths, and the areas of tables for the documents that match."""
    index: NotRequired[Mapping[str, Json] | None]
    """The index to put chunks into."""
    options: Mapping[str, Json]
    """`StageOptions`."""


@final
class BatchCountsJson(TypedDict):
    """The result of the workflow `batch`: how many documents ended how, and the times."""

    planned: int
    succeeded: int
    skipped: int
    failed: int
    scheduled: int
    queue_p50_ms: float
    queue_p95_ms: float
    exec_p50_ms: float
    exec_p95_ms: float
    exec_p99_ms: float
    cpu_time_total_ms: float
    wall_ms: float
    quarantined: int


@final
class DecidingSettings(TypedDict):
    """The settings that decide the output of a flow besides the document, as they are recorded with each output."""

    flow: str
    steps: Digest
    inputs: Mapping[str, Json]
    versions: Mapping[str, str]
    """By step."""
    parts: Mapping[str, str]
    """The versions by name, to explain a change to users; not part of the key."""


@final
class DocumentFacts(TypedDict, total=False):
    """The facts about a document in the manifest of a batch."""

    input_hash: str
    output_key: str
    output_path: str | None
    kept: list[str]
    done_in: str
    ledger: Mapping[str, int]
    calls: Mapping[str, int]
    """Calls of engines: `made` now, and `reused` from before."""
    engines: list[str]
    lost: Mapping[str, int]
    upload_bytes: int
    upload_ms: float
    document_run: str
    files: int
    chunks: int
