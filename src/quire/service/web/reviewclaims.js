// The claims of this tab: kept alive, and given back when it is left. They are remembered in the browser, so that what
// a tab had that crashed is given back by the next one.

import { headers, request } from "./api.js";

const KEPT = "quire-review-claims-"; // and the name of a tab's session
const MINE = "quire-review-session"; // the last one of this tab

/** `onLost(claim)` is called for a claim that could not be kept. */
export class Claims {
  /** @type {number | undefined} */
  _beat;

  constructor(onLost) {
    this.onLost = onLost;
    this._session = unguessable();
    this._unanswered = new Set();
    /** @type {Promise<void>} */
    const open = new Promise((resolve) => (this._close = resolve));
    navigator.locks?.request(KEPT + this._session, () => open); // the others see by it that this tab is alive
    this._leaving = () => this.leave();
    this._returning = (event) => event.persisted && location.reload();
    window.addEventListener("pagehide", this._leaving);
    window.addEventListener("pageshow", this._returning);
  }

  /** Give back what tabs had that are gone: this one before it was loaded again, and those that crashed. */
  async takeOver() {
    const { held = [], pending = [] } = (await navigator.locks?.query()) ?? {};
    const before = sessionStorage.getItem(MINE);
    sessionStorage.setItem(MINE, this._session);
    const alive = new Set([...held, ...pending].map((lock) => lock.name));
    const isGone = (session) => (navigator.locks ? !alive.has(KEPT + session) : session === before);
    const sessions = Object.keys(localStorage).filter((key) => key.startsWith(KEPT)).map((key) => key.slice(KEPT.length));
    for (const session of sessions.filter((each) => each !== this._session && isGone(each))) {
      await Promise.all(kept(session).map((claim) => release(claim)));
      localStorage.removeItem(KEPT + session);
    }
  }

  /** A name for a claim that is about to be sent: the page may be left before the answer comes. */
  ask() {
    const claim = unguessable();
    this._unanswered.add(claim);
    this._keep([...kept(this._session), claim]);
    return claim;
  }

  /** The claim was answered; `lease` is how long it holds in seconds, null if there is nothing to claim. */
  answered(/** @type {string} */ claim, lease) {
    this._unanswered.delete(claim);
    if (lease === null) this._forget(claim);
    else this._beat ??= setInterval(() => this._renew(), 250 * lease);
  }

  giveBack(/** @type {string} */ claim) {
    this._forget(claim);
    return release(claim);
  }

  /** The page is left. What is remembered is given back again by the next one, should this be lost. */
  leave() {
    clearInterval(this._beat);
    return Promise.all(kept(this._session).map((claim) => release(claim, { keepalive: true })));
  }

  /** The desk is closed, and the page stays. */
  async end() {
    window.removeEventListener("pagehide", this._leaving);
    window.removeEventListener("pageshow", this._returning);
    await this.leave();
    localStorage.removeItem(KEPT + this._session);
    this._close();
  }

  async _renew() {
    for (const claim of kept(this._session).filter((each) => !this._unanswered.has(each))) {
      try {
        await request(`api/review/claims/${claim}`, { method: "PUT" });
      } catch (error) {
        if (error.status !== 404) continue; // the server is away: the lease outlasts that
        this._forget(claim);
        this.onLost(claim);
      }
    }
  }

  _forget(/** @type {string} */ claim) {
    this._keep(kept(this._session).filter((each) => each !== claim));
  }

  _keep(claims) {
    localStorage.setItem(KEPT + this._session, JSON.stringify(claims));
  }
}

function release(claim, options = {}) {
  const sent = { method: "DELETE", headers: headers(), ...options };
  return fetch(`api/review/claims/${claim}`, { ...sent, credentials: "omit" }).catch(() => {});
}

const kept = (session) => JSON.parse(localStorage.getItem(KEPT + session) ?? "[]");
const hex = (byte) => byte.toString(16).padStart(2, "0");
const unguessable = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), hex).join("");
