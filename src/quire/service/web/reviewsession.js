// The values that a reviewer has: the one in work and the next, fetched ahead. Claims are kept alive, and given back.

import { ApiFailure, getJson, headers, postJson, request } from "./api.js";
import { Crops, cropBox } from "./crops.js";
import { DocumentModel } from "./model.js";
import { Claims } from "./reviewclaims.js";

const AT = "quire-review-at"; // where a reload returns to: the value of this address
const DOCUMENTS_KEPT = 6;

/** Emits `change` when there is another value, and `lost` when a claim could not be kept. */
export class ReviewSession extends EventTarget {
  constructor(filters, /** @type {string} */ reviewer) {
    super();
    this.filters = filters;
    this.reviewer = reviewer;
    this.current = /** @type {Claim | null} */ (null);
    this.left = 0; // open values that the filters let through
    /** @type {Record<string, number>} */
    this.held = {}; // how many of them others have, by their names
    /** @type {{ review: string, path: string, version: number }[]} */
    this.done = []; // decisions of this session, the latest last: for undo
    this._next = /** @type {Promise<Claim | null> | null} */ (null); // the next claim
    /** @type {Set<string>} */
    this._passed = new Set(); // what was given back without a decision
    this._claims = new Claims((claim) => (this.current?.claim === claim ? this._emit("lost") : (this._next = null)));
    /** @type {Map<string, Promise<DocumentModel>>} */
    this._documents = new Map();
    this._crops = new Crops();
  }

  async start() {
    await this._claims.takeOver();
    const [there, review, path] = JSON.parse(sessionStorage.getItem(AT) ?? "[]");
    this.current = (there === location.hash && (await this._claim({ review, path }))) || (await this._claim());
    this._prefetch();
    this._emit("change");
  }

  /** Go on to the next value, or to none if all were seen; the one in work is given back unless it is decided. */
  async advance() {
    const before = this.current;
    const next = before && (await (this._next ?? this._unseen(before)));
    this._next = null;
    if (before?.items.some((item) => item.state === "open")) this._passed.add(nameOf(before));
    const given = before && this._claims.giveBack(before.claim);
    if (!next) await given; // it is none of those that others have
    this.current = next || (await this._unseen()); // another reviewer may have given one back
    this._prefetch();
    this._emit("change");
  }

  /** Begin again with what was passed over. */
  lookAgain() {
    this._passed.clear();
    return this.advance();
  }

  /** The first value that nobody has and that was not passed over: behind another one, or of all. */
  async _unseen(after) {
    let claimed = await this._claim(after);
    while (claimed && this._passed.has(nameOf(claimed))) {
      await this._claims.giveBack(claimed.claim);
      claimed = await this._claim(claimed);
    }
    return claimed;
  }

  /** Decide about an item of the current claim. Raises ApiFailure; a 409 has put in how the item is by now. */
  async decide(/** @type {Item} */ item, decision) {
    const claim = this.current?.claim ?? "";
    const about = { path: item.path, version: item.version, claim, reviewer: this.reviewer };
    const made = await postDecision(item.review, { ...about, ...decision });
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
    const claim = here ? (this.current?.claim ?? "") : "";
    const sent = { path: last.path, action: "undo", version: last.version, claim, reviewer: this.reviewer };
    const made = await postDecision(last.review, sent);
    this.done.pop();
    const same = this.done.filter((other) => other.review === last.review && other.path === last.path);
    for (const other of same) other.version = made.version;
    this.left++;
    if (here) {
      Object.assign(here, made);
      this._emit("change");
      return true;
    }
    const returned = await this._claim({ review: last.review, path: last.path }, { exactly: true });
    if (!returned) return false;
    this._hold(returned);
    return true;
  }

  /** Go to an open value out of turn; says whether nobody else has it. */
  async goTo({ review, path }) {
    const claimed = await this._claim({ review, path }, { exactly: true });
    if (!claimed) return false;
    this._hold(claimed);
    return true;
  }

  /** Take up a claim, and the one in work after it. */
  _hold(/** @type {Claim} */ claim) {
    const waiting = this._next;
    this._next = Promise.resolve(this.current);
    waiting?.then((other) => other && this._claims.giveBack(other.claim));
    this.current = claim;
    this._emit("change");
  }

  /** The reviews that were decided about in this session. */
  reviews() {
    return [...new Set(this.done.map((decision) => decision.review))];
  }

  /** Say whether a review is a sample to learn from; resolves to the review as it is then. */
  async mark(/** @type {string} */ review, sample) {
    const sent = { method: "PUT", body: JSON.stringify({ sample }), headers: { "Content-Type": "application/json" } };
    return (await request(`api/review/${encodeURIComponent(review)}/sample`, sent)).json();
  }

  /** The model of a document, kept for the latest ones. */
  document(/** @type {string} */ id) {
    let known = this._documents.get(id);
    if (!known) {
      known = getJson(`api/documents/${encodeURIComponent(id)}`).then((detail) => new DocumentModel(detail));
      known.catch(() => this._documents.delete(id));
    }
    this._documents.delete(id);
    this._documents.set(id, known);
    if (this._documents.size > DOCUMENTS_KEPT) this._documents.delete([...this._documents.keys()][0]);
    return known;
  }

  crop(/** @type {string} */ document, /** @type {number} */ page, /** @type {Api.PageBox} */ box) {
    return this._crops.url(document, page, box);
  }

  end() {
    this.current = null;
    this._claims.end();
    this._crops.close();
  }

  async _claim(after, { exactly = false } = {}) {
    const item = after?.items?.at(-1) ?? after;
    const behind = item ? { after_review: item.review, after_path: item.path, again: false } : {};
    const place = after?.path ? { review: after.review, path: after.path } : behind;
    const wanted = exactly ? {} : this.filters;
    const claim = this._claims.ask();
    /** @type {Api.ClaimedItems} */
    const claimed = await postJson("api/review/claims", { reviewer: this.reviewer, claim, ...wanted, ...place });
    this._claims.answered(claim, claimed.claim && claimed.lease_s);
    if (!after?.path) Object.assign(this, { left: claimed.left, held: claimed.held });
    return isHeld(claimed) ? claimed : null;
  }

  /** The next value, with its document, the words of its page and its pictures: shown without waiting for them. */
  _prefetch() {
    if (!this.current) return;
    sessionStorage.setItem(AT, JSON.stringify([location.hash, this.current.review.id, this.current.items[0].path]));
    this._next ??= this._unseen(this.current).then((claim) => {
      if (claim) this._warm(claim).catch(() => {}); // it is tried again when it is shown
      return claim;
    });
    this._next.catch(() => (this._next = null));
  }

  async _warm(/** @type {Claim} */ claim) {
    const document = claim.review.pages;
    const model = await this.document(document);
    const item = claim.items.find((each) => each.doubt && each.state === "open") ?? claim.items[0];
    for (const { page, bboxes } of placesOf(item)) {
      this.crop(document, page, cropBox(bboxes));
      model.view(page);
    }
  }

  _emit(/** @type {string} */ name) {
    this.dispatchEvent(new CustomEvent(name));
  }
}

/**
 * Whether there was something to claim.
 * @returns {claimed is Claim}
 */
const isHeld = (/** @type {Api.ClaimedItems} */ claimed) => claimed.claim !== null;

const nameOf = (/** @type {Claim} */ claim) => `${claim.review.id}/${claim.part}`;

/** Where the values of an item stand: the extracted one, those of a conflict, the alternatives. */
export function placesOf(/** @type {Item} */ item) {
  const own = item.decision?.bboxes.length ? item.decision : item.evidence;
  const places = [own, ...(item.conflict?.values ?? []), ...item.evidence.alternatives];
  return places.flatMap(({ page, bboxes, blocks }) => (page && bboxes.length ? [{ page, bboxes, blocks }] : []));
}

async function postDecision(/** @type {string} */ review, decision) {
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
