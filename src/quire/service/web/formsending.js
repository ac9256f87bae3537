// The end of a form: the button that sends it, how much was sent, and the button that stops that.

import { onceKey, upload } from "./api.js";
import { button, el } from "./dom.js";

export class FormSending {
  constructor(/** @type {string} */ label, /** @type {HTMLElement} */ trouble) {
    this.stop = /** @type {AbortController | null} */ (null);
    this.go = button(label, () => {}, { type: "submit", class: "primary" });
    this.stopper = button("Stop", () => this.stop?.abort(), { class: "secondary", hidden: true });
    this.sent = el("progress", { max: 1, value: 0, "aria-label": "Upload", hidden: true });
    this.element = el("div", { class: "extract-go" }, this.go, this.stopper, this.sent, trouble);
  }

  get busy() {
    return this.stop !== null;
  }

  close() {
    this.stop?.abort();
  }

  /** Send files with further parts, and show the progress; resolves to the run. */
  upload(/** @type {string} */ path, /** @type {File[]} */ files, parts) {
    this.stopper.hidden = this.sent.hidden = false;
    return this.during((signal) => upload(path, files, parts, { once: onceKey(), signal, onProgress: (part) => (this.sent.value = part) }));
  }

  /** Do something during which the form is not sent again. */
  async during(work) {
    this.stop = new AbortController();
    this.go.disabled = true;
    try {
      return await work(this.stop.signal);
    } finally {
      this.stop = null;
      this.go.disabled = false;
      this.stopper.hidden = this.sent.hidden = true;
      this.sent.value = 0;
    }
  }
}
