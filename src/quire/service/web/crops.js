// Pictures of parts of pages: the place of a value, with what stands around it.

import { request } from "./api.js";

const DPI = 200;
const KEPT = 60;
const MARGINS = { left: 0.14, top: 0.009, right: 0.06, bottom: 0.009 }; // around a value, of the page: its label stands before it
const SOON_MS = 10_000;

/** The latest crops, kept by their paths. */
export class Crops {
  constructor() {
    this._known = new Map();
  }

  /** The URL of the picture of a part of a page (`cropBox`). */
  url(/** @type {string} */ document, /** @type {number} */ page, /** @type {Api.PageBox} */ box) {
    const part = [box.left, box.top, box.width, box.height].map((value) => value.toFixed(5)).join(",");
    const path = `api/documents/${encodeURIComponent(document)}/pages/${page}/crop?box=${part}&dpi=${DPI}`;
    let known = this._known.get(path);
    if (!known) {
      known = request(path).then(async (response) => URL.createObjectURL(await response.blob()));
      known.catch(() => this._known.delete(path));
      this._known.set(path, known);
      if (this._known.size > KEPT) this._forget(this._known.keys().next().value);
    }
    return known;
  }

  close() {
    for (const path of [...this._known.keys()]) this._forget(path);
  }

  _forget(/** @type {string} */ path) {
    this._known.get(path).then((url) => setTimeout(() => URL.revokeObjectURL(url), SOON_MS), () => {}); // an image may be loading it
    this._known.delete(path);
  }
}

/** The part of a page to show for some boxes: with what stands around them, unless `around` is 0. */
export function cropBox(/** @type {Api.PageBox[]} */ boxes, around = 1) {
  const left = Math.max(0, Math.min(...boxes.map((box) => box.left)) - around * MARGINS.left);
  const top = Math.max(0, Math.min(...boxes.map((box) => box.top)) - around * MARGINS.top);
  const right = Math.min(1, Math.max(...boxes.map((box) => box.left + box.width)) + around * MARGINS.right);
  const bottom = Math.min(1, Math.max(...boxes.map((box) => box.top + box.height)) + around * MARGINS.bottom);
  return { left, top, width: right - left, height: bottom - top };
}
