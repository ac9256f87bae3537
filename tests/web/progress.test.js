import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";

import { ApiFailure, getJson, pause } from "../../src/quire/service/web/api.js";
import { follow } from "../../src/quire/service/web/events.js";
import { PageProgress } from "../../src/quire/service/web/progress.js";

const event = (stage, kind, page = null, payload = {}) => ({ stage, kind, document: "d", page, payload });
let reply;
let server;
const requests = [];
const { fetch: fetched } = globalThis;

/** A real server; the page's relative addresses begin there, and there is no key. */
before(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    reply(request, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  globalThis.fetch = (path, options) => fetched(`http://127.0.0.1:${server.address().port}/${path}`, options);
  globalThis.sessionStorage = { getItem: () => null, setItem() {}, removeItem() {} };
});
beforeEach(() => requests.splice(0));
after(() => {
  server.closeAllConnections();
  server.close();
});

test("the pages of a document are counted by their last state", () => {
  const pages = new PageProgress();
  const told = [
    event("read", "started", null, { pages: 3 }), event("recognize", "started", 1), event("page-blocks", "finished", 1),
    event("recognize", "failed", 1), event("recognize", "failed", 2, { reason: "no text" }), event("page-blocks", "hit", 3),
  ];
  for (const one of told) pages.add(one);
  assert.deepEqual([pages.total, pages.count("done"), pages.count("failed"), pages.count("running")], [3, 2, 1, 0]);
  assert.equal(pages.reasons.get(2), "no text");
});

test("a lost connection continues after the last event, and the end is the run", async () => {
  const answers = [
    `: alive\n\nid: 1\ndata: ${JSON.stringify(event("read", "started"))}\n\nid: 2\ndata: {"stage":\ndata: "render"}\n\nid: 3\nda`,
    'id: 3\ndata: {"stage": "document"}\n\nevent: end\ndata: {"id": "run", "state": "finished"}\n\n',
  ];
  reply = (_, response) => response.writeHead(200, { "Content-Type": "text/event-stream" }).end(answers.shift());
  const [stages, connections] = [[], []];
  const run = await follow("run/1", {
    signal: new AbortController().signal, onEvent: (one) => stages.push(one.stage), onConnection: (is) => connections.push(is),
  });
  assert.deepEqual(run, { id: "run", state: "finished" });
  assert.deepEqual(stages, ["read", "render", "document"]);
  assert.deepEqual(connections, [true, false, true]);
  assert.deepEqual(requests.map((one) => one.headers["last-event-id"]), [undefined, "2"]);
  assert.equal(requests[0].url, "/api/runs/run%2F1/events");
});

test("a run that is gone is not asked for again", async () => {
  reply = (_, response) => response.writeHead(404).end('{"detail": "there is no such run"}');
  const following = follow("run", { signal: new AbortController().signal, onEvent() {} });
  await assert.rejects(following, (error) => error instanceof ApiFailure && error.status === 404 && error.message === "there is no such run");
  assert.equal(requests.length, 1);
});

test("a fault of a proxy that is no JSON has a message all the same", async () => {
  reply = (_, response) => response.writeHead(502).end("<html>");
  await assert.rejects(getJson("api/runs"), /The server answered 502/);
});

test("a pause leaves nothing behind on its signal, and ends when that is aborted", async () => {
  const stop = new AbortController();
  await pause(1, stop.signal);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  const waiting = pause(3_600_000, stop.signal);
  stop.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
});
