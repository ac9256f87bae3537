// Follows the events of a run: server-sent events over fetch, since EventSource cannot send the key.

import { ApiFailure, currentKey, failureOf, headers, pause, renewKey } from "./api.js";

const LONGEST_PAUSE_MS = 10_000;

/**
 * Call `onEvent` for every event and resolve to the run when it has ended. A lost connection continues after the last
 * event that was seen. `onConnection(true | false)` says whether there is one.
 * @param {string} run
 * @param {{ onEvent: (event: Api.RunEvent) => void, onConnection?: (connected: boolean) => void, signal: AbortSignal }} about
 * @returns {Promise<Api.Run>}
 */
export async function follow(run, { onEvent, onConnection = () => {}, signal }) {
  let last = null;
  let wait = 500;
  for (;;) {
    const used = currentKey();
    try {
      const more = last === null ? {} : { "Last-Event-ID": last };
      const response = await fetch(`api/runs/${encodeURIComponent(run)}/events`, { headers: headers(more), signal, cache: "no-store" });
      if (response.status === 401) {
        await renewKey(used);
        continue;
      }
      if (!response.ok) throw await failureOf(response);
      onConnection(true);
      for await (const message of messages(response.body)) {
        wait = 500;
        if (message.event === "end") return JSON.parse(message.data);
        if (message.id !== null) last = message.id;
        onEvent(JSON.parse(message.data));
      }
    } catch (error) {
      if (error.name === "AbortError" || [401, 404].includes(error.status)) throw error;
      if (!(error instanceof ApiFailure) && !(error instanceof TypeError)) throw error;
    }
    onConnection(false);
    await pause(wait, signal);
    wait = Math.min(2 * wait, LONGEST_PAUSE_MS);
  }
}

async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const message = parsed(part);
        if (message) yield message;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parsed(part) {
  const message = { event: "message", id: null, data: "" };
  for (const line of part.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue; // a comment keeps the connection alive
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") message.data += message.data ? `\n${value}` : value;
    else if (name === "event" || name === "id") message[name] = value;
  }
  return message.data ? message : null;
}
