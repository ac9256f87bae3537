// How far a solve is, from its events: phases, attempts of runners, and what each of them does.

const MOST_ENTRIES = 500; // of an attempt: the trace has all of them
const PLACE = ["role", "round", "runner", "attempt"];

/**
 * @typedef {{ kind: string, at: number, payload: Record<string, unknown> }} TimelineEntry
 * @typedef {{ phase: string, state: "started" | "finished", started: number | null, finished: number | null, open?: number }} Phase
 * @typedef {{ role: string, round: number, runner: string, number: number, outcome: string | null, reason: string,
 *   usage: Partial<Api.SolveUsage>, started: number, entries: TimelineEntry[], left: number }} Attempt
 */

/** Collects events. After a crash of the server some are sent again: the first counts. */
export class SolveState {
  constructor() {
    /** @type {Map<string, Phase>} */
    this.phases = new Map();
    /** @type {Map<string, Attempt>} */
    this.attempts = new Map();
    /** @type {string[]} */
    this.reviews = [];
    this.files = 0; // of the workspace
  }

  /** Says whether it was about the solve. */
  add(/** @type {Api.RunEvent} */ event) {
    if (event.stage !== "solve") return false;
    if (event.payload.phase === "workspace") this.files = Number(event.payload.files) || 0;
    if (event.payload.entry !== undefined) this._entry(event);
    else if (event.payload.phase === undefined) return false; // about a call of a model, which has an entry of its own
    else if (event.payload.runner === undefined) this._phase(event);
    else this._attempt(event);
    return true;
  }

  /** The phases in their order. */
  list() {
    return [...this.phases.values()];
  }

  _phase({ kind, payload, at }) {
    const name = String(payload.phase);
    const known = this.phases.get(name) ?? { phase: name, state: "started", started: null, finished: null };
    this.phases.set(name, known);
    if (kind === "started") known.started ??= at;
    if (kind === "finished") Object.assign(known, { state: "finished", finished: known.finished ?? at, open: payload.open });
    if (Array.isArray(payload.reviews)) this.reviews = payload.reviews;
  }

  _of({ payload, at }) {
    const key = PLACE.map((name) => payload[name]).join("/");
    /** @type {Attempt} */
    const made = {
      role: payload.role, round: payload.round, runner: payload.runner, number: payload.attempt,
      outcome: null, reason: "", usage: {}, started: at, entries: [], left: 0,
    };
    const known = this.attempts.get(key) ?? made;
    this.attempts.set(key, known);
    return known;
  }

  _attempt(event) {
    const attempt = this._of(event);
    const { outcome, reason, usage } = event.payload;
    if (event.kind === "attempt" && attempt.outcome === null)
      Object.assign(attempt, { outcome, reason, usage: { ...usage, seconds: Math.max(0, event.at - attempt.started) } });
  }

  _entry(event) {
    const attempt = this._of(event);
    const { role, round, runner, attempt: _, entry, entry_kind: kind, ...payload } = event.payload;
    if (entry < attempt.entries.length) return;
    if (attempt.entries.length >= MOST_ENTRIES) attempt.left++;
    else attempt.entries.push({ kind, at: event.at, payload });
  }
}

const PHASES = { workspace: "Workspace is made", review: "People decide", finish: "Files are written" };
const OUTCOMES = {
  ok: "answered", hit: "answered before", retryable: "failed, may pass", terminal: "failed", refused: "refused",
  over_budget: "over its budget", invalid_output: "no usable answer",
};

export const phaseName = (/** @type {string} */ phase) =>
  PHASES[phase] ?? phase.replace(/^round (\d+)$/, (_, number) => (number === "0" ? "First answer" : `Round ${number}: findings are answered`));

export const outcomeName = (/** @type {string | null} */ outcome) => (outcome === null ? "at work" : (OUTCOMES[outcome] ?? outcome));

/** What was used, as `12 turns · 3,400 tokens · 0.0123 US dollars`. */
export function usageText(/** @type {Partial<Api.SolveUsage>} */ usage) {
  const tokens = (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0);
  const said = (number, one, many = `${one}s`) => number && `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
  return [
    said(usage.turns ?? 0, "turn"),
    said(usage.tool_calls ?? 0, "tool call"),
    said(tokens, "token"),
    usage.cost !== null && usage.cost !== undefined && `${usage.cost.toFixed(4)} US dollars`,
  ].filter(Boolean).join(" · ");
}

/** What an entry of a timeline says, on one line. */
export function entryText(/** @type {TimelineEntry} */ { payload }) {
  const { name, tool, text, arguments: given, error, ...rest } = payload;
  const called = name ?? tool;
  const shown = [
    called,
    given !== undefined && (typeof given === "string" ? given : JSON.stringify(given)),
    text,
    error !== undefined && `error: ${typeof error === "string" ? error : JSON.stringify(error)}`,
    !called && text === undefined && Object.keys(rest).length > 0 && JSON.stringify(rest),
  ];
  return shown.filter((one) => one !== undefined && one !== false && one !== "").map(String).join(" ");
}
