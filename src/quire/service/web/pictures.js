// Pictures of pages as blob URLs, since an <img> cannot send the key. A few are kept, and few are fetched at a time.

import { request } from "./api.js";

const AT_ONCE = 3; // a browser has six connections to a server

export class Pictures {
  constructor(/** @type {DocumentModel} */ model, kept) {
    this.model = model;
    this.kept = kept;
    /** @type {Map<string, { url: Promise<string>, ready: boolean, signal: AbortSignal }>} */
    this.urls = new Map(); // by "page@dpi"
    this.waiting = [];
    this.going = 0;
  }

  /** The URL of a picture. Aborted through `signal` when it is not needed any more. */
  get(/** @type {number} */ page, dpi, /** @type {AbortSignal} */ signal) {
    const key = `${page}@${dpi}`;
    const known = this.urls.get(key);
    if (known && (known.ready || !known.signal.aborted)) {
      this.urls.delete(key);
      this.urls.set(key, known);
      return known.url;
    }
    const made = { ready: false, signal, url: this._fetch(page, dpi, signal) };
    this.urls.set(key, made);
    made.url.then(
      () => (made.ready = true),
      () => this.urls.get(key) === made && this.urls.delete(key),
    );
    while (this.urls.size > this.kept) this._forget(this.urls.keys().next().value);
    return made.url;
  }

  async _fetch(/** @type {number} */ page, dpi, /** @type {AbortSignal} */ signal) {
    await this._turn(signal);
    try {
      const response = await request(this.model.path(`/pages/${page}/image?dpi=${dpi}`), { signal });
      return URL.createObjectURL(await response.blob());
    } finally {
      this.going--;
      this.waiting.shift()?.();
    }
  }

  close() {
    for (const key of [...this.urls.keys()]) this._forget(key);
  }

  _forget(key) {
    this.urls.get(key)?.url.then((url) => URL.revokeObjectURL(url), () => {});
    this.urls.delete(key);
  }

  /** Wait for a free connection; the latest request comes first, it is what the reader looks at. */
  async _turn(/** @type {AbortSignal} */ signal) {
    while (this.going >= AT_ONCE) {
      await new Promise((resolve) => this.waiting.unshift(resolve));
      if (signal?.aborted) {
        this.waiting.shift()?.();
        throw new DOMException("cancelled", "AbortError");
      }
    }
    if (signal?.aborted) throw new DOMException("cancelled", "AbortError");
    this.going++;
  }
}
