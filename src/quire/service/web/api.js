// Calls of the server's public API. The key, where the server has one, is asked for once and kept for this tab.

const KEY = "quire-api-key";
const RETRIES = 3;

/** Why a request failed: `status` 0 means that the server was not reached; `item` is what a decision was refused for. */
export class ApiFailure extends Error {
  /**
   * @param {number} status
   * @param {string} detail
   * @param {{ category?: string | null, retryAfter?: number, item?: Api.ReviewedItem | null }} about
   */
  constructor(status, detail, { category = null, retryAfter = 0, item = null } = {}) {
    super(detail);
    this.status = status;
    this.category = category;
    this.retryAfter = retryAfter;
    this.item = item;
  }
}

/** @type {(wrong: boolean) => Promise<string | null>} */
let askForKey = async () => null;
/** @type {Promise<string | null> | null} */
let asking = null;

/** `ask(wrong)` resolves to a key, or to null when the reader gives none. */
export function onKeyNeeded(ask) {
  askForKey = ask;
}

export const hasKey = () => sessionStorage.getItem(KEY) !== null;
export const forgetKey = () => sessionStorage.removeItem(KEY);

export function headers(more = {}) {
  const key = sessionStorage.getItem(KEY);
  return key === null ? more : { ...more, "X-Api-Key": key };
}

/** Ask for the key again after a 401; requests that fail meanwhile wait for the same answer. */
export async function renewKey(used) {
  const known = sessionStorage.getItem(KEY);
  if (known !== null && known !== used) return; // another request has got it meanwhile
  asking ??= askForKey(used !== null).finally(() => (asking = null));
  const key = await asking;
  if (key === null) throw new ApiFailure(401, "This server needs an API key.", { category: "usage" });
  sessionStorage.setItem(KEY, key);
}

export const currentKey = () => sessionStorage.getItem(KEY);

/**
 * A response with a good status. Raises ApiFailure; a busy server is asked again a few times.
 * @param {string} path
 * @param {{ method?: string, body?: BodyInit, signal?: AbortSignal, headers?: Record<string, string>, retry?: boolean }} options
 */
export async function request(path, { method = "GET", body, signal, headers: more, retry = method === "GET" } = {}) {
  for (let attempt = 0; ; attempt++) {
    const used = currentKey();
    let response;
    try {
      response = await fetch(path, { method, body, signal, headers: headers(more), credentials: "omit" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ApiFailure(0, "The server cannot be reached. Is it still running?", { category: "network" });
    }
    if (response.ok) return response;
    if (response.status === 401) {
      await renewKey(used);
      continue;
    }
    const failure = await failureOf(response);
    if (response.status !== 503 || !retry || attempt >= RETRIES) throw failure;
    await pause(1000 * failure.retryAfter, signal);
  }
}

export async function failureOf(response) {
  const retryAfter = Number(response.headers.get("Retry-After")) || 2;
  const fault = await response.json().catch(() => ({}));
  const detail = typeof fault.detail === "string" ? fault.detail : `The server answered ${response.status}.`;
  return new ApiFailure(response.status, detail, { category: fault.category ?? null, retryAfter });
}

/**
 * The JSON of a path; the caller says what it is.
 * @template T
 * @param {string} path
 * @param {Parameters<typeof request>[1]} options
 * @returns {Promise<T>}
 */
export async function getJson(path, options = {}) {
  return (await request(path, options)).json();
}

export const getText = async (/** @type {string} */ path, options = {}) => (await request(path, options)).text();

/**
 * What the server says to a JSON that is sent to it; the caller says what it is.
 * @template T
 * @param {string} path
 * @param {object} value
 * @param {Record<string, string>} more headers
 * @returns {Promise<T>}
 */
export async function postJson(path, value, more = {}) {
  const sent = { method: "POST", body: JSON.stringify(value), headers: { "Content-Type": "application/json", ...more } };
  return (await request(path, sent)).json();
}

/** Fetch a file, since a link cannot send the key, and hand it to the browser as a download. */
export async function download(/** @type {string} */ path, fallback) {
  const response = await request(path);
  const disposition = response.headers.get("Content-Disposition") ?? "";
  const written = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = written ? decodeURIComponent(written) : fallback;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A name for a request that may be sent twice: the server does its work once. */
export const onceKey = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

/** Send files, and other parts of the form, a file or a value as JSON each, with the progress, which `fetch` cannot tell. */
export async function upload(path, files, parts, { onProgress, signal, once }) {
  for (;;) {
    const used = currentKey();
    try {
      return await sendFiles(path, files, parts, { onProgress, signal, once });
    } catch (error) {
      if (error.status === 0) throw new ApiFailure(0, await whyInterrupted(files), { category: "network" });
      if (error.status !== 401) throw error;
      await renewKey(used);
    }
  }
}

/** Why files were not sent, which the browser does not tell: a file is gone, the server is, or it hung up. */
async function whyInterrupted(/** @type {File[]} */ files) {
  for (const file of files) if (!(await isReadable(file))) return `${file.name}: ${UNREADABLE}`;
  const answers = await fetch("api/extract", { headers: headers(), credentials: "omit" }).then(() => true, () => false);
  if (!answers) return "The server cannot be reached. Try again when it is back.";
  return "The server hung up before it had the whole file. Try again; a proxy in front of the server may take smaller files only.";
}

/** Whether a file that was chosen is still there: one that is not may seem to be empty, as may its parts. */
export const isReadable = (/** @type {File} */ file) => (file.size ? file.slice(0, 1) : file).arrayBuffer().then(() => true, () => false);
export const UNREADABLE = "The file cannot be read any more: it was moved, deleted or changed since it was chosen. Choose it again.";

/** @type {Promise<Partial<Api.ExtractChoices>> | null} */
let limits = null;

/** How large a request and a file may be; empty if the server does not say. */
export const limitsOf = () => (limits ??= getJson("api/extract").catch(() => ((limits = null), {})));

function sendFiles(path, files, parts, { onProgress, signal, once }) {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  for (const [name, value] of Object.entries(parts)) {
    if (value instanceof File) form.append(name, value, value.name);
    else form.append(name, JSON.stringify(value));
  }
  const sending = new XMLHttpRequest();
  sending.open("POST", path);
  for (const [name, value] of Object.entries(headers({ "Idempotency-Key": once }))) sending.setRequestHeader(name, value);
  sending.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
  const abort = () => sending.abort();
  signal.addEventListener("abort", abort);
  sending.onloadend = () => signal.removeEventListener("abort", abort);
  return new Promise((resolve, reject) => {
    sending.onload = () => (sending.status === 201 ? resolve(JSON.parse(sending.responseText)) : reject(uploadFailure(sending)));
    sending.onabort = () => reject(new DOMException("cancelled", "AbortError"));
    sending.onerror = () => reject(new ApiFailure(0, "The upload was interrupted."));
    sending.send(form);
  });
}

function uploadFailure(sending) {
  let fault = {};
  try {
    fault = JSON.parse(sending.responseText);
  } catch {
    // not JSON: a proxy answered
  }
  const answered = UNTOLD[sending.status] ?? `The server answered ${sending.status}.`;
  const detail = typeof fault.detail === "string" ? fault.detail : answered;
  return new ApiFailure(sending.status, detail, { category: fault.category ?? null });
}

const AWAY = "The server is not available at the moment. Try again in a while.";
const UNTOLD = {
  413: "The file is larger than a proxy in front of the server takes. Divide it, or ask the operator of the server.",
  502: AWAY,
  503: AWAY,
  504: AWAY,
};

export function pause(/** @type {number} */ ms, /** @type {AbortSignal | undefined} */ signal = undefined) {
  return new Promise((resolve, reject) => {
    const cancelled = () => {
      clearTimeout(timer);
      reject(new DOMException("cancelled", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", cancelled);
      resolve(undefined);
    }, ms);
    signal?.addEventListener("abort", cancelled, { once: true });
  });
}
