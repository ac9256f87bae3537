// The grid of a table as an HTML table, and as text for a spreadsheet.

import { el } from "./dom.js";

/** Rows of cells; null where the cell of another row or column reaches. */
export function rowsOf(/** @type {Api.Table} */ table) {
  const rows = Array.from({ length: table.rows }, () => new Array(table.columns).fill(undefined));
  for (const cell of table.cells) {
    for (let row = cell.row; row < Math.min(cell.row + cell.row_span, table.rows); row++)
      for (let column = cell.column; column < Math.min(cell.column + cell.column_span, table.columns); column++) rows[row][column] = null;
    rows[cell.row][cell.column] = cell;
  }
  return rows;
}

/**
 * The table as HTML; `onCell` is called for a cell that is clicked.
 * @param {Api.Table} table
 * @param {{ caption?: string, onCell?: ((cell: Api.Cell) => void) | null }} about
 */
export function gridOf(table, { caption = "", onCell = null } = {}) {
  const numeric = numericColumns(table);
  const rows = rowsOf(table).map((row) => {
    const cells = row.filter((cell) => cell !== null).map((cell) => {
      if (!cell) return el("td");
      const about = { class: numeric.has(cell.column) && cell.column_span === 1 ? "number" : null };
      const made = el(cell.header ? "th" : "td", cell.header ? { scope: "col", ...about } : about, cell.text);
      made.rowSpan = cell.row_span;
      made.colSpan = cell.column_span;
      if (onCell) made.addEventListener("click", () => onCell(cell));
      return made;
    });
    return el("tr", {}, cells);
  });
  return el("table", {}, caption && el("caption", {}, caption), el("tbody", {}, rows));
}

const NUMBER = /^[\s(+\-\u2212\u2013$€£¥]*[\d.,]*\d[\d\s.,'’]*(?:[%‰€$£¥]|\p{Lu}{3})?\)?$/u;

/** The columns in which most cells are numbers: these stand below each other to the right. */
function numericColumns(/** @type {Api.Table} */ table) {
  const counts = new Map(); // column -> [numbers, texts]
  for (const { column, header, text } of table.cells) {
    if (header || !text.trim()) continue;
    const known = counts.get(column) ?? [0, 0];
    known[NUMBER.test(text.trim()) ? 0 : 1]++;
    counts.set(column, known);
  }
  return new Set([...counts].filter(([, [numbers, texts]]) => numbers > texts).map(([column]) => column));
}

/** Tabs between cells, as spreadsheets paste it; a text that begins like a formula stays a text. */
export function tabbedOf(/** @type {Api.Table} */ table) {
  const written = (cell) => {
    const text = (cell?.text ?? "").replaceAll(/\s+/g, " ");
    return /^[=+\-@]/.test(text) && !/^[-+]?[\d.,\s%]+$/.test(text) ? `'${text}` : text;
  };
  return rowsOf(table).map((row) => row.map(written).join("\t")).join("\n");
}
