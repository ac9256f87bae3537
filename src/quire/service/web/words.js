// What things are called: kinds, states, times, and what to do about errors.

export const KINDS = [
  "title", "heading", "paragraph", "list_item", "table", "figure", "caption", "formula", "code", "field", "footnote",
  "header", "footer", "page_number",
];

export const kindName = (kind) => {
  const text = kind.replaceAll("_", " ");
  return text[0].toUpperCase() + text.slice(1);
};

export const engineName = (engine) => (engine === "native" ? "the file itself" : engine);

export const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export const percent = (fraction) => `${Math.round(1000 * fraction) / 10} %`;

export function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}

export function duration(/** @type {number} */ ms) {
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function ago(seconds, now = Date.now() / 1000) {
  const passed = Math.max(0, now - seconds);
  if (passed < 60) return "just now";
  if (passed < 3600) return `${count(Math.floor(passed / 60), "minute")} ago`;
  if (passed < 86_400) return `${count(Math.floor(passed / 3600), "hour")} ago`;
  return new Date(1000 * seconds).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

/** What to do about an error of a class; the message itself says what happened. */
export const ADVICE = {
  input: "The document is the cause. Get the file again, or save it anew with the program that made it.",
  usage: "Change the options as the message says, and read it again.",
  config: "Something is not installed on the server. The message names it.",
  runtime: "The server could not do this work. Try fewer pages, or another engine.",
  timeout: "It took too long, mostly because the server is busy. Read it again.",
  network: "The connection failed. Check the address, and try again.",
  transient: "This passes by itself, or the operator of the server can fix it. Read it again.",
  unknown: "This was not expected. Please report it with the message.",
};

/** What to do about a document that was not read. */
export function adviceFor(/** @type {{ state?: string, category?: string | null, error?: string | null }} */ { state, category, error }) {
  if (state === "cancelled") return "Read it again to go on: pages that are done are not read twice.";
  if (/password/i.test(error ?? "")) return "Save a copy of the document without its password, and add that.";
  if (/^cannot read /.test(error ?? "")) return "Save it as a PDF, or in another format that can be read, and add that.";
  if (/file is empty/.test(error ?? "")) return "Get the file again: nothing is in it.";
  return ADVICE[category] ?? "";
}

export const STATES = {
  waiting: "Waiting",
  running: "Reading",
  interrupted: "Interrupted, continues",
  finished: "Read",
  failed: "Failed",
  cancelled: "Cancelled",
};

export const isActive = (/** @type {string} */ state) => state === "waiting" || state === "running" || state === "interrupted";
