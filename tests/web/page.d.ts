// The JSON that the models of the API leave open: blocks as in the JSON export, extractions, events of a run.
declare namespace Api {
  interface Word {
    text: string;
    bbox: PageBox | null;
    confidence?: number;
  }
  interface Span {
    start: number;
    end: number;
    bold?: true;
    italic?: true;
    superscript?: true;
    subscript?: true;
    code?: true;
    link?: string;
    latex?: string;
  }
  interface Cell {
    row: number;
    column: number;
    row_span: number;
    column_span: number;
    header: boolean;
    text: string;
    page: number;
    bbox: PageBox | null;
    confidence?: number;
  }
  interface Table {
    rows: number;
    columns: number;
    cells: Cell[];
  }
  interface Source {
    engine: string;
    version: string;
    tier: string;
    similarity: number | null;
  }
  interface Block {
    id: string;
    page: number;
    kind: string;
    level: number | null;
    text: string;
    bbox: PageBox | null;
    parts?: { page: number; bbox: PageBox | null }[];
    confidence: number | null;
    engine: string;
    tier?: "semantic";
    source?: Source | null;
    marker?: string;
    spans?: Span[];
    words?: Word[];
    table?: Table;
  }
  type Value = string | number | boolean | null;
  /** Where a value stands: the page is 0 or null without a place. */
  interface Place {
    page: number | null;
    bboxes: PageBox[];
    blocks: string[];
    quote: string;
    /** Of a solve: the id of its document, and the name of that where there are several. */
    document?: string | null;
    name?: string;
  }
  interface Alternative extends Place {
    value: Value;
    confidence: number;
  }
  interface Evidence extends Place {
    status: string;
    probability?: number | null;
    confidence: Record<string, number>;
    label?: string;
    alternatives: Alternative[];
    extractor: string;
    reason: string;
    crop_verified?: boolean;
  }
  interface Conflict {
    path: string;
    values: Alternative[];
    reason: string;
  }
  interface Missing {
    path: string;
    pages: number[];
    reason: string;
  }
  interface Decision extends Place {
    action: string;
    value: Value;
    note: string;
  }
  interface Extraction {
    values: object;
    evidence: Record<string, Evidence>;
    coverage: { leaves: number; found: number; sure: number; not_found: number; threshold: number };
    conflicts: Conflict[];
    not_found: Missing[];
    failures: { extractor: string; reason: string }[];
  }
  interface RunEvent {
    stage: string;
    kind: string;
    document: string | null;
    page: number | null;
    payload: { pages?: number; reason?: string } & Record<string, any>;
    at: number;
  }
}

// Values of the page itself that several of its modules share.
type DocumentModel = import("../../src/quire/service/web/model.js").DocumentModel;
type PageProgress = import("../../src/quire/service/web/progress.js").PageProgress;
type Shown = ReturnType<typeof import("../../src/quire/service/web/documentrow.js").describe>;
type Child = Node | string | null | undefined | false | 0 | Child[];
type Point = { x: number; y: number };
/** A value of a review, or of an extraction that has no review. */
type Item = Omit<Api.ReviewedItem, "doubt"> & { doubt: string; added?: boolean; isLow?: boolean };
/** Values that this reviewer has. */
type Claim = Omit<Api.ClaimedItems, "claim" | "review" | "items"> & { claim: string; review: Api.ReviewSummary; items: Item[] };
type WordPlace = { text: string; bbox: Api.PageBox; block: string };
type Hit = { page: number; bbox: Api.PageBox | null; block: string };
type FilmPage = { number: number; status: string; reason: string | null; has_image: boolean } & Partial<Omit<Api.PageSummary, "status">>;
