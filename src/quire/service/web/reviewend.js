// The end of a queue: everything is reviewed, some values were passed over, or others have the rest.

import { el, icon } from "./dom.js";
import { count } from "./words.js";

/** Who has open values, as `{name: values}`, told to the reviewer of a name. */
function holders(held, /** @type {string} */ reviewer) {
  const others = Object.keys(held).filter((name) => name !== reviewer);
  if (!others.length) return reviewer ? "Another tab of yours has the rest" : "Another tab has the rest";
  if (others.length > 3 || others.includes("")) return "Other reviewers have the rest";
  return `${others.join(", ")} ${others.length > 1 ? "have" : "has"} the rest`;
}

/** `left` values are open; `again` begins anew with those that nobody has. */
export function endOf({ left, held, reviewer }, { again, actions }) {
  const taken = Object.values(held).reduce((sum, each) => sum + each, 0);
  const passed = left - taken;
  const [title, about] =
    passed > 0 ? [`${count(passed, "value is", "values are")} still open`, "This is the end of the queue; what was passed over is still there."]
    : taken ? [holders(held, reviewer), `${count(taken, "value is", "values are")} still open. What is given back appears here.`]
    : ["Everything is reviewed", "No value is left for these filters."];
  const told = [el("h1", { class: "lead" }, title), el("p", {}, about)];
  return el("div", { class: "empty" }, icon("check"), told, el("div", { class: "end-actions" }, passed > 0 && again, actions));
}
