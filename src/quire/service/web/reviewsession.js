// The values that a reviewer has: the one in work and the next, fetched ahead. Claims are kept alive, and given back.

import { ApiFailure, getJson, headers, postJson, request } from "./api.js";
import { Crops, cropBox } from "./crops.js";
import { DocumentModel } from "./model.js";

const CLAIMS = "quire-review-claims"; // of this tab: a reload gives them back
const AT = "quire-review-at"; // and returns to the value of this address
const DOCUMENTS_KEPT = 6;

/** Emits `change` when there is another value, and `lost` when a claim could not be kept. */
export class ReviewSession extends EventTarget {
  constructor(filters, reviewer) {
    super();
    this.filters = filters;
    this.reviewer = reviewer;
    this.current = null; // a claim of the API, with the documents it needs
    this.left = 0;
    this.done = []; // decisions of this session, the latest last: for undo
    this._next = null; // the promise of the next claim
    this._asking = new Set(); // claims without an answer yet
    this._documents = new Map();
    this._crops = new Crops();
    this._closing = () => this.close();
    window.addEventListener("pagehide", this._closing);
  }

  async start() {
    for (const claim of remembered()) await release(claim);
    remember([]);
    const [there, review, path] = JSON.parse(sessionStorage.getItem(AT) ?? "[]");
    this.current = (there === location.hash && (await this._claim({ review, path }))) || (await this._claim());
    this._prefetch();
    this._emit("change");
  }

  /** Go on to the next value; the one in work is given back unless it is decided. */
  async advance() {
    const before = this.current;
    const next = await (this._next ?? this._claim(before));
    this._next = null;
    const given = before && this._giveBack(before);
    if (!next) await given; // it may be the only one that is left
    this.current = next ?? (await this._claim(before));
    this._prefetch();
    this._emit("change");
  }

  /** Decide about an item of the current claim. Raises ApiFailure; a 409 has put in how the item is by now. */
  async decide(item, decision) {
    const sent = { path: item.path, version: item.version, claim: this.current?.claim ?? "", reviewer: this.reviewer, ...decision };
    const made = await postDecision(item.review, sent);
    this.done.push({ review: item.review, path: item.path, version: made.version });
    Object.assign(item, made);
    if (item.doubt) this.left = Math.max(0, this.left - 1);
    return made;
  }

  /** Withdraw the latest decision of this session, and return to its value. */
  async undo() {
    const last = this.done.at(-1);
    if (!last) return false;
    const here = this.current?.items.find((item) => item.review === last.review && item.path === last.path);
    const made = await postDecision(last.review, { path: last.path, action: "undo", version: last.version, claim: here ? this.current.claim : "", reviewer: this.reviewer });
    this.done.pop();
    for (const other of this.done) if (other.review === last.review && other.path === last.path) other.version = made.version;
    this.left++;
    if (here) {
      Object.assign(here, made);
      this._emit("change");
      return true;
    }
    const returned = await this._claim({ review: last.review, path: last.path }, { exactly: true });
    if (!returned) return false;
    const waiting = this._next;
    this._next = Promise.resolve(this.current);
    waiting?.then((claim) => claim && this._giveBack(claim));
    this.current = returned;
    this._emit("change");
    return true;
  }

  /** The reviews that were decided about in this session. */
  reviews() {
    return [...new Set(this.done.map((decision) => decision.review))];
  }

  /** Say whether a review is a sample to learn from; resolves to the review as it is then. */
  async mark(review, sample) {
    const answer = await request(`api/review/${encodeURIComponent(review)}/sample`, { method: "PUT", body: JSON.stringify({ sample }), headers: { "Content-Type": "application/json" } });
    return answer.json();
  }

  /** The model of a document, kept for the latest ones. */
  document(id) {
    let known = this._documents.get(id);
    if (!known) {
      known = getJson(`api/documents/${encodeURIComponent(id)}`).then((detail) => new DocumentModel(detail));
      known.catch(() => this._documents.delete(id));
    }
    this._documents.delete(id);
    this._documents.set(id, known);
    if (this._documents.size > DOCUMENTS_KEPT) this._documents.delete(this._documents.keys().next().value);
    return known;
  }

  crop(document, page, box) {
    return this._crops.url(document, page, box);
  }

  close() {
    window.removeEventListener("pagehide", this._closing);
    clearInterval(this._beat);
    for (const claim of remembered()) release(claim, { keepalive: true });
    this.current = null;
  }

  end() {
    this.close();
    remember([]);
    this._crops.close();
  }

  async _claim(after, { exactly = false } = {}) {
    const item = after?.items?.at(-1) ?? after;
    const place = after?.path ? { review: after.review, path: after.path } : item ? { after_review: item.review, after_path: item.path } : {};
    const wanted = exactly ? {} : this.filters;
    const claim = unguessable();
    remember([...remembered(), claim]); // before it is sent: the page may be left before the answer comes
    this._asking.add(claim);
    const claimed = await postJson("api/review/claims", { reviewer: this.reviewer, claim, ...wanted, ...place }).finally(() => this._asking.delete(claim));
    if (!after?.path) this.left = claimed.left;
    if (claimed.claim === null) {
      remember(remembered().filter((each) => each !== claim));
      return null;
    }
    this._keepAlive(claimed.lease_s);
    return claimed;
  }

  /** The next value, with its document, the words of its page and its pictures: shown without waiting for them. */
  _prefetch() {
    if (!this.current) return;
    sessionStorage.setItem(AT, JSON.stringify([location.hash, this.current.review.id, this.current.items[0].path]));
    this._next ??= this._claim(this.current).then((claim) => {
      if (claim) this._warm(claim).catch(() => {}); // it is tried again when it is shown
      return claim;
    });
    this._next.catch(() => (this._next = null));
  }

  async _warm(claim) {
    const document = claim.review.pages;
    const model = await this.document(document);
    const item = claim.items.find((each) => each.doubt && each.state === "open") ?? claim.items[0];
    for (const place of placesOf(item)) {
      this.crop(document, place.page, cropBox(place.bboxes));
      model.view(place.page);
    }
  }

  _giveBack(claim) {
    remember(remembered().filter((each) => each !== claim.claim));
    return release(claim.claim);
  }

  _keepAlive(lease) {
    this._beat ??= setInterval(() => this._renew(), 250 * lease);
  }

  async _renew() {
    for (const claim of remembered().filter((each) => !this._asking.has(each))) {
      try {
        await request(`api/review/claims/${claim}`, { method: "PUT" });
      } catch (error) {
        if (error.status !== 404) continue; // the server is away: the lease outlasts that
        remember(remembered().filter((each) => each !== claim));
        if (this.current?.claim === claim) this._emit("lost");
        else this._next = null;
      }
    }
  }

  _emit(name) {
    this.dispatchEvent(new CustomEvent(name));
  }
}

/** Where the values of an item stand: the extracted one, those of a conflict, the alternatives. */
export function placesOf(item) {
  const own = item.decision?.bboxes.length ? item.decision : item.evidence;
  return [own, ...(item.conflict?.values ?? []), ...item.evidence.alternatives].filter((place) => place.page && place.bboxes.length);
}

async function postDecision(review, decision) {
  const response = await fetch(`api/review/${encodeURIComponent(review)}/decisions`, {
    method: "POST", body: JSON.stringify(decision), headers: headers({ "Content-Type": "application/json" }), credentials: "omit",
  }).catch(() => {
    throw new ApiFailure(0, "The server cannot be reached. Nothing was saved; try again when it is back.", { category: "network" });
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const failure = new ApiFailure(response.status, typeof answer.detail === "string" ? answer.detail : `The server answered ${response.status}.`);
  failure.item = answer.item ?? null;
  throw failure;
}

function release(claim, options = {}) {
  return fetch(`api/review/claims/${claim}`, { method: "DELETE", headers: headers(), credentials: "omit", ...options }).catch(() => {});
}

const unguessable = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
const remembered = () => JSON.parse(sessionStorage.getItem(CLAIMS) ?? "[]");
const remember = (claims) => sessionStorage.setItem(CLAIMS, JSON.stringify(claims));
