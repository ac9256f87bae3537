// The JSON of the API. Made by scripts/api_types.py from the models in quire.service.api.
declare namespace Api {
  interface ApiFault {
    detail: string;
    document?: string | null;
    page?: number | null;
    category?: "input" | "usage" | "config" | "runtime" | "timeout" | "network" | "transient" | "unknown" | null;
  }
  interface AreaOption {
    pages?: string | null;
    box?: number[] | null;
    columns?: number[];
    tables?: "auto" | "lines" | "words" | "none" | null;
  }
  interface ClaimLease {
    claim: string;
    lease_s: number;
  }
  interface ClaimRequest {
    reviewer?: string;
    claim?: string | null;
    doubts?: ("conflict" | "not_found" | "unverified" | "low")[];
    field?: string;
    run?: string;
    review?: string;
    path?: string;
    after_review?: string;
    after_path?: string;
    again?: boolean;
  }
  interface ClaimedItems {
    claim: string | null;
    lease_s: number;
    review: ReviewSummary | null;
    part: string;
    columns: ReviewColumn[];
    items: ReviewedItem[];
    left: number;
    held: Record<string, number>;
  }
  interface Counts {
    total?: number;
    done?: number;
    failed?: number;
  }
  interface DecisionRequest {
    path: string;
    action: "approve" | "correct" | "reject" | "absent" | "undo";
    version: number;
    claim?: string;
    reviewer?: string;
    value?: string | number | number | boolean | null;
    quote?: string;
    page?: number | null;
    bboxes?: PageBox[];
    blocks?: string[];
    note?: string;
  }
  interface DeletedDocument {
    document: string;
    artifacts?: number;
    bytes?: number;
    runs: number;
    reviews?: number;
    samples: number;
    learned: string[];
    unfinished: string[];
  }
  interface DocumentDetail {
    id: string;
    run: string;
    name: string;
    sha256: string | null;
    media_type: string | null;
    state: "waiting" | "running" | "interrupted" | "finished" | "failed" | "cancelled";
    status: "complete" | "partial" | null;
    pages: number | null;
    ledger: PageLedger | null;
    submitted: number;
    error: string | null;
    category?: "input" | "usage" | "config" | "runtime" | "timeout" | "network" | "transient" | "unknown" | null;
    extraction?: string | null;
    review?: string | null;
    page_list: PageSummary[];
  }
  interface DocumentLedger {
    status: "complete" | "partial";
    ledger: PageLedger;
    pages: LedgerEntry[];
  }
  interface DocumentList {
    documents: DocumentSummary[];
    next: string | null;
  }
  interface DocumentSummary {
    id: string;
    run: string;
    name: string;
    sha256: string | null;
    media_type: string | null;
    state: "waiting" | "running" | "interrupted" | "finished" | "failed" | "cancelled";
    status: "complete" | "partial" | null;
    pages: number | null;
    ledger: PageLedger | null;
    submitted: number;
    error: string | null;
    category?: "input" | "usage" | "config" | "runtime" | "timeout" | "network" | "transient" | "unknown" | null;
    extraction?: string | null;
    review?: string | null;
  }
  interface ExtractChoices {
    learned: string[];
    max_bytes: number;
    max_file_bytes: number;
  }
  interface ExtractOptions {
    schema?: Record<string, any> | null;
    fields?: string[] | string;
    extractors?: string[];
    learned?: string | null;
    min_confidence?: number;
    reread?: string;
    review?: "none" | "queue" | "wait";
  }
  interface ExtractSubmission {
    schema?: Record<string, any> | null;
    fields?: string[] | string;
    extractors?: string[];
    learned?: string | null;
    min_confidence?: number;
    reread?: string;
    review?: "none" | "queue" | "wait";
    document?: string | null;
    sources?: UrlSource[];
    options?: RunOptions | null;
  }
  interface FoundPlace {
    document: string;
    sha256: string | null;
    name: string;
    path: string;
    page: number;
    bbox: PageBox | null;
    crop: string | null;
    text: string;
    marks: ([number, number])[];
    excerpt: ShownLine[];
    section: string[];
    kinds: string[];
    blocks: string[];
    places: HitPlace[];
    chunk: string;
    index: number;
    score: number;
    scores: Record<string, number>;
    reason: string;
    also: string[];
  }
  interface FoundPlaces {
    query: string;
    hits: FoundPlace[];
  }
  interface HitPlace {
    page: number;
    bbox: PageBox;
  }
  interface LedgerEntry {
    page: number;
    status: "ok" | "empty" | "failed" | "skipped";
    reason: string | null;
    characters: PageCharacters | null;
    tables?: string | null;
    confidence?: number | null;
  }
  interface PageAttempt {
    engine: string;
    outcome: string;
    reason: string;
    ms: number;
  }
  interface PageBox {
    left: number;
    top: number;
    width: number;
    height: number;
  }
  interface PageCharacters {
    drawn: number;
    in_blocks: number;
    left_out: Record<string, number>;
  }
  interface PageEvent {
    stage: string;
    kind: string;
    ms: number | null;
    hit: boolean;
  }
  interface PageLedger {
    pages: number;
    ok: number;
    empty: number;
    failed: number;
    skipped: number;
    left_out?: number;
  }
  interface PageSummary {
    number: number;
    width: number;
    height: number;
    rotation: number;
    status: "ok" | "empty" | "failed" | "skipped";
    reason: string | null;
    characters: PageCharacters | null;
    tables?: string | null;
    confidence?: number | null;
    blocks: number;
    engine: string | null;
    attempts: number;
    has_image: boolean;
  }
  interface PageView {
    page: PageSummary;
    blocks: Block[];
    path: PageAttempt[];
    events: PageEvent[];
  }
  interface ReviewColumn {
    field: string;
    title: string;
  }
  interface ReviewDetail {
    id: string;
    document: string;
    pages: string;
    run: string;
    name: string;
    opened: number;
    ended: number | null;
    sample: boolean;
    open: Record<string, number>;
    states: Record<string, number>;
    items: ReviewedItem[];
    extraction: Record<string, any>;
  }
  interface ReviewEntry {
    path: string;
    version: number;
    action: string;
    decision: Decision | null;
    reviewer: string;
    at: number;
  }
  interface ReviewHistory {
    history: ReviewEntry[];
  }
  interface ReviewList {
    reviews: ReviewSummary[];
    next: string | null;
  }
  interface ReviewQueueView {
    total: number;
    doubts: Record<string, number>;
    fields: Record<string, number>;
    items: ReviewedItem[];
  }
  interface ReviewRequest {
    document: string;
    extraction?: Record<string, any> | null;
    schema?: Record<string, any> | string[] | string | null;
    doubts?: ("conflict" | "not_found" | "unverified" | "low")[];
    below?: number;
  }
  interface ReviewSummary {
    id: string;
    document: string;
    pages: string;
    run: string;
    name: string;
    opened: number;
    ended: number | null;
    sample: boolean;
    open: Record<string, number>;
    states: Record<string, number>;
  }
  interface ReviewedItem {
    review: string;
    path: string;
    field: string;
    part: string;
    title: string;
    description: string;
    type: string;
    kind: string | null;
    enum: any[];
    doubt: string;
    state: "open" | "confirmed" | "corrected" | "rejected" | "absent";
    version: number;
    reviewer: string;
    value: any;
    extracted: any;
    evidence: Evidence;
    conflict: Conflict | null;
    missing: Missing | null;
    decision: Decision | null;
  }
  interface Run {
    id: string;
    type: string;
    state: "waiting" | "running" | "interrupted" | "finished" | "failed" | "cancelled";
    submitted: number;
    finished: number | null;
    error: string | null;
    category: "input" | "usage" | "config" | "runtime" | "timeout" | "network" | "transient" | "unknown" | null;
    progress: RunProgress;
    documents: DocumentSummary[];
  }
  interface RunList {
    runs: Run[];
    next: string | null;
  }
  interface RunOptions {
    pages?: string | null;
    ocr?: "auto" | "always" | "never";
    effort?: "fast" | "balanced" | "accurate";
    engines?: string[];
    lang?: string[];
    figures?: boolean;
    redactions?: boolean;
    tables?: "auto" | "lines" | "words" | "none";
    areas?: AreaOption[];
    hints?: string[];
    retries?: number;
    retry_backoff_s?: number;
  }
  interface RunProgress {
    documents: Counts;
    pages: Counts;
  }
  interface RunRequest {
    sources?: UrlSource[];
    document?: string | null;
    options?: RunOptions | null;
  }
  interface SampleRequest {
    sample: boolean;
  }
  interface SearchResult {
    hits: TextMatch[];
    total: number;
  }
  interface ShownCell {
    text: string;
    marks: ([number, number])[];
  }
  interface ShownLine {
    kind: "text" | "header" | "row" | "gap";
    cells: ShownCell[];
  }
  interface SolveAlternative {
    number: number | null;
    document: string | null;
    page: number | null;
    bboxes: PageBox[];
    blocks: string[];
    quote: string;
    crop: string | null;
    value: any;
    confidence: number;
    extractor?: string;
  }
  interface SolveAttempt {
    role: "solver" | "reviewer";
    round: number;
    runner: string;
    number: number;
    outcome: "ok" | "hit" | "retryable" | "terminal" | "refused" | "over_budget" | "invalid_output" | null;
    reason: string;
    usage: SolveUsage;
  }
  interface SolveBudget {
    turns?: number;
    tokens?: number;
    seconds?: number;
    cost?: number | null;
  }
  interface SolveChoices {
    runners: SolveRunner[];
    max_bytes: number;
    max_file_bytes: number;
    max_template_bytes: number;
    max_documents: number;
    max_task: number;
    max_rounds: number;
    max_attempts: number;
  }
  interface SolveConflict {
    path: string;
    reason: string;
    values: SolveAlternative[];
  }
  interface SolveEvidence {
    number: number | null;
    document: string | null;
    page: number | null;
    bboxes: PageBox[];
    blocks: string[];
    quote: string;
    crop: string | null;
    status: "found" | "repaired" | "unverified" | "conflict" | "not_found" | "corrected" | "confirmed";
    probability: number | null;
    match: "exact" | "numeric" | "date" | "fuzzy" | "derived" | null;
    confidence: Record<string, number>;
    reason: string;
    label: string;
    extractor: string;
    crop_verified: boolean;
    derivation: Record<string, any> | null;
    alternatives: SolveAlternative[];
  }
  interface SolveFile {
    name: string;
    bytes: number;
    path: string;
  }
  interface SolveFinding {
    number: number | null;
    document: string | null;
    page: number | null;
    bboxes: PageBox[];
    blocks: string[];
    quote: string;
    crop: string | null;
    path: string;
    kind: "unsupported" | "invalid" | "contradiction" | "sum" | "footnote" | "version" | "missing" | "doubt";
    reason: string;
    open: boolean;
    value: any;
    other: any;
    by: string;
  }
  interface SolveMissing {
    path: string;
    pages: number[];
    reason: string;
  }
  interface SolvePhase {
    phase: string;
    state: "started" | "finished";
    started: number | null;
    finished: number | null;
  }
  interface SolvePlace {
    number: number | null;
    document: string | null;
    page: number | null;
    bboxes: PageBox[];
    blocks: string[];
    quote: string;
    crop: string | null;
  }
  interface SolveRunner {
    name: string;
    capabilities: ("files" | "tools" | "vision" | "json_schema" | "revises" | "reviews" | "extracts")[];
    context_tokens: number | null;
  }
  interface SolveSubmission {
    task: string;
    schema?: Record<string, any> | null;
    fields?: string[] | string;
    runners?: string[];
    requires?: ("files" | "tools" | "vision" | "json_schema" | "revises" | "reviews" | "extracts")[];
    reviewer?: string;
    rounds?: number;
    attempts?: number;
    budget?: SolveBudget;
    review?: "none" | "queue" | "wait";
    documents?: string[];
    sources?: UrlSource[];
    options?: RunOptions | null;
  }
  interface SolveUsage {
    turns?: number;
    input_tokens?: number;
    output_tokens?: number;
    tool_calls?: number;
    cost?: number | null;
    seconds?: number | null;
  }
  interface SolveView {
    run: string;
    state: "waiting" | "running" | "interrupted" | "finished" | "failed" | "cancelled";
    error: string | null;
    category: "input" | "usage" | "config" | "runtime" | "timeout" | "network" | "transient" | "unknown" | null;
    task: string;
    schema: Record<string, any>;
    runners: string[];
    reviewer: string;
    review: "none" | "queue" | "wait";
    template: string | null;
    phases: SolvePhase[];
    attempts: SolveAttempt[];
    usage: SolveUsage;
    reviews: string[];
    status: "complete" | "open" | null;
    values: any;
    evidence: Record<string, SolveEvidence>;
    conflicts: SolveConflict[];
    not_found: SolveMissing[];
    findings: SolveFinding[];
    rounds: number[];
    coverage: Record<string, any> | null;
    workspace: string | null;
    files: SolveFile[];
    trace: string | null;
  }
  interface StaleFault {
    detail: string;
    item: ReviewedItem;
  }
  interface TableSummary {
    block: string;
    page: number;
    rows: number;
    columns: number;
    caption: string | null;
    bbox: PageBox;
  }
  interface TextMatch {
    page: number;
    block: string;
    kind: string;
    bbox: PageBox;
    snippet: string;
    start: number;
    end: number;
  }
  interface UrlSource {
    url: string;
    headers?: Record<string, string>;
  }
}
