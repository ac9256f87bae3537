// Small pictures of the first pages of documents, fetched when their rows come into sight.

import { getJson, request } from "./api.js";
import { el, replace } from "./dom.js";

const DPI = 20; // as in the filmstrip, so that the server draws it once
const AT_ONCE = 2; // a browser has six connections to a server
const KEPT = 200;
const SOON_MS = 10_000; // an image may be loading it

export class Thumbnails {
  constructor() {
    this._known = new Map(); // document -> promise of a URL, or of null if its pages have no pictures
    this._waiting = []; // places for pictures, the latest last
    this._going = 0;
    this._observer = new IntersectionObserver((entries) => this._seen(entries), { rootMargin: "200px" });
  }

  close() {
    this._observer.disconnect();
    for (const id of [...this._known.keys()]) this._forget(id);
  }

  /** Put the first page of a document into an element, once that is in sight. */
  watch(/** @type {HTMLElement} */ place, /** @type {string} */ id) {
    place.dataset.thumbnail = id;
    this._observer.observe(place);
  }

  _seen(entries) {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) {
        this._observer.unobserve(target);
        this._waiting.push(target);
      }
    this._next();
  }

  async _next() {
    if (this._going >= AT_ONCE || !this._waiting.length) return;
    const place = this._waiting.pop();
    this._going++;
    const url = place.isConnected ? await this._url(place.dataset.thumbnail).catch(() => null) : null;
    this._going--;
    if (url) replace(place, el("img", { class: "thumbnail", alt: "", src: url }));
    this._next();
  }

  _url(/** @type {string} */ id) {
    if (!this._known.has(id)) {
      this._known.set(id, fetched(id));
      if (this._known.size > KEPT) this._forget(this._known.keys().next().value);
    }
    return this._known.get(id);
  }

  _forget(/** @type {string} */ id) {
    this._known.get(id).then((url) => url && setTimeout(() => URL.revokeObjectURL(url), SOON_MS), () => {});
    this._known.delete(id);
  }
}

async function fetched(/** @type {string} */ id) {
  const path = `api/documents/${encodeURIComponent(id)}`;
  /** @type {Api.DocumentDetail} */
  const { page_list: [first] } = await getJson(path);
  if (!first?.has_image) return null;
  return URL.createObjectURL(await (await request(`${path}/pages/${first.number}/image?dpi=${DPI}`)).blob());
}
