// Where words stand on a page, as fractions of it: which of them a point or a box holds, and the lines they make.

export const holds = (/** @type {Api.PageBox} */ box, /** @type {Point} */ { x, y }) =>
  x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height;

export const middle = (/** @type {Api.PageBox} */ box) => ({ x: box.left + box.width / 2, y: box.top + box.height / 2 });

/** The box between two corners; never without an area. */
export function boxOf(/** @type {Point} */ one, /** @type {Point} */ other) {
  const [left, top] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  return { left, top, width: Math.max(Math.abs(one.x - other.x), 0.001), height: Math.max(Math.abs(one.y - other.y), 0.001) };
}

/** The words in reading order from the one at a point to the one that is nearest to another point. */
export function wordsBetween(/** @type {WordPlace[]} */ words, /** @type {Point} */ start, /** @type {Point} */ end) {
  const from = words.findIndex((word) => holds(word.bbox, start));
  const to = nearest(words, end);
  return words.slice(Math.min(from, to), Math.max(from, to) + 1);
}

function nearest(/** @type {WordPlace[]} */ words, /** @type {Point} */ place) {
  const distance = (/** @type {WordPlace} */ { bbox }) => {
    const across = Math.max(bbox.left - place.x, 0, place.x - bbox.left - bbox.width);
    const down = Math.max(bbox.top - place.y, 0, place.y - bbox.top - bbox.height);
    return across * across + 9 * down * down; // the same line is nearer than the next
  };
  return words.reduce((best, word, at) => (distance(word) < distance(words[best]) ? at : best), 0);
}

/** The index of the word that stands below (`by` 1) or above (-1) another one, on the next line; -1 if none does. */
export function wordBeside(/** @type {{ bbox: Api.PageBox }[]} */ words, /** @type {number} */ at, /** @type {number} */ by) {
  const here = middle(words[at].bbox);
  const { height } = words[at].bbox;
  const beyond = words.map((word, index) => ({ index, ...middle(word.bbox) })).filter((word) => (word.y - here.y) * by > height / 2);
  const line = beyond.reduce((best, word) => Math.min(best, (word.y - here.y) * by), Infinity) + height / 2;
  const onLine = beyond.filter((word) => (word.y - here.y) * by <= line);
  return onLine.sort((one, other) => Math.abs(one.x - here.x) - Math.abs(other.x - here.x))[0]?.index ?? -1;
}

/** One box for the words of each line. */
export function linesOf(/** @type {{ bbox: Api.PageBox }[]} */ words) {
  /** @type {Api.PageBox[]} */
  const lines = [];
  for (const { bbox } of words) {
    const last = lines.at(-1);
    if (!last || middle(bbox).y <= last.top || middle(bbox).y >= last.top + last.height || bbox.left < last.left) {
      lines.push({ ...bbox });
      continue;
    }
    const right = Math.max(last.left + last.width, bbox.left + bbox.width);
    const bottom = Math.max(last.top + last.height, bbox.top + bbox.height);
    const [left, top] = [Math.min(last.left, bbox.left), Math.min(last.top, bbox.top)];
    Object.assign(last, { left, top, width: right - left, height: bottom - top });
  }
  return lines;
}
