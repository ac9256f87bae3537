// Where files come in: dropped anywhere on the screen, chosen, or pasted.

import { button, el, icon, notify } from "./dom.js";

export class DropZone {
  /** `onFiles` gets the files as they come; `label` names the field for a screen reader. */
  constructor(onFiles, { lead, label }) {
    this.onFiles = onFiles;
    this.picker = el("input", {
      type: "file",
      multiple: true,
      class: "offscreen",
      id: "picker",
      tabIndex: -1,
      "aria-label": label,
      on: { change: () => this._picked() },
    });
    this.choose = button("Choose files", () => this.picker.click(), { class: "primary" });
    this.element = el(
      "div",
      { class: "drop" },
      icon("upload"),
      el("p", { class: "lead" }, lead),
      el("p", { class: "muted" }, "PDFs, scans, photos, office files"),
      this.choose,
      this.picker,
    );
    this._listeners = { dragover: this._over.bind(this), dragleave: this._leave.bind(this), drop: this._drop.bind(this), paste: this._paste.bind(this) };
    for (const [name, listener] of Object.entries(this._listeners)) window.addEventListener(name, listener);
  }

  close() {
    for (const [name, listener] of Object.entries(this._listeners)) window.removeEventListener(name, listener);
  }

  _picked() {
    this.onFiles([...(this.picker.files ?? [])]);
    this.picker.value = "";
  }

  _over(event) {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    this.element.classList.add("over");
  }

  _leave(event) {
    if (!event.relatedTarget) this.element.classList.remove("over");
  }

  _drop(event) {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    this.element.classList.remove("over");
    const folders = [...event.dataTransfer.items].some((item) => item.webkitGetAsEntry?.()?.isDirectory);
    if (folders) notify("A folder cannot be dropped. Choose the files in it.", "error");
    else this.onFiles([...event.dataTransfer.files]);
  }

  _paste(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length && !event.target.closest?.("input, textarea")) this.onFiles(files);
  }
}
