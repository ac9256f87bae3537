// Words that were searched for, marked in a text without changing its elements.

const NAME = "found";
const folded = (/** @type {string} */ text) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Mark a text in the blocks of an element that have a hit. Browsers that cannot do so show the list of hits alone. */
export function markHits(within, hits, /** @type {string} */ query) {
  if (!globalThis.Highlight) return;
  CSS.highlights.delete(NAME);
  const wanted = folded(query).split(/\s+/).filter(Boolean).join(" ");
  const blocks = new Set(hits.map((hit) => hit.block));
  if (!wanted || !blocks.size) return;
  const pieces = [...within.querySelectorAll("[data-block]")].filter((piece) => blocks.has(piece.dataset.block));
  const ranges = pieces.flatMap((piece) => rangesOf(piece, wanted));
  if (ranges.length) CSS.highlights.set(NAME, new Highlight(...ranges));
}

/** Where a text stands in an element: white space of any kind and length counts as one space. */
function rangesOf(piece, wanted) {
  /** @type {[Text, number][]} */
  const places = []; // of each character of `text`: its node and offset
  let text = "";
  const walk = document.createTreeWalker(piece, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = /** @type {Text} */ (walk.currentNode);
    for (let at = 0; at < node.length; at++) {
      const plain = /\s/.test(node.data[at]) ? " " : folded(node.data[at]);
      if (plain === " " && text.endsWith(" ")) continue;
      for (const letter of plain) {
        text += letter;
        places.push([node, at]);
      }
    }
  }
  const found = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const range = new Range();
    range.setStart(...places[at]);
    const [node, last] = places[at + wanted.length - 1];
    range.setEnd(node, last + 1);
    found.push(range);
  }
  return found;
}
