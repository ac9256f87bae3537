// A request for values: what it asks for, what is wrong with it, and where a refusal of the server belongs on the form.

import { adviceFor, size } from "./words.js";

export const EXAMPLE = "invoice number, date, total";
const PLACE_ADVICE = {
  files: "Divide the file, or send fewer at a time.",
  document: "Choose another one, or a file.",
  learned: "Choose another one, or none.",
  reviewer: "Choose another one, or none.",
};

/**
 * The fields that a text names, separated by commas or on lines of their own.
 * @returns {{ asked: { fields: string[] } } | { wrong: string }}
 */
export function fieldsAsked(/** @type {string} */ text) {
  const fields = text.split(/[,\n]/).map((name) => name.trim()).filter(Boolean);
  return fields.length ? { asked: { fields } } : { wrong: `Name at least one value, for example: ${EXAMPLE}` };
}

/**
 * The JSON Schema in a text.
 * @returns {{ asked: { schema: object } } | { wrong: string }}
 */
export function schemaAsked(/** @type {string} */ text) {
  if (!text.trim()) return { wrong: "Paste a JSON Schema, or load it from a file. For simple values, names of fields are enough." };
  try {
    const schema = JSON.parse(text);
    if (schema !== null && typeof schema === "object" && !Array.isArray(schema)) return { asked: { schema } };
    return { wrong: 'This is no JSON Schema of an object: write {"type": "object", "properties": {…}}.' };
  } catch (error) {
    return { wrong: `This is no JSON: ${error.message}. Correct it, or load the file again.` };
  }
}

/** What is wrong with files to send, of which the server takes so many bytes at once; "" if nothing is. */
export function filesProblem(/** @type {{ name: string, size: number }[]} */ files, /** @type {number} */ max) {
  const empty = files.find((file) => !file.size);
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const [one] = files;
  if (!one) return "Choose at least one file, or a document that was read.";
  if (empty) return `${empty.name} is empty. Remove it, or get the file again.`;
  if (total <= max) return "";
  const [subject, advice] = files.length === 1 ? [`${one.name} is`, "Divide the file"] : ["The files are together", "Send fewer at a time"];
  return `${subject} ${size(total)}, and this server takes ${size(max)} at once. ${advice}.`;
}

/** Where on the form a refusal of the server belongs, and what to say there: its message may name a part of the request. */
export function refusalOf(/** @type {{ message: string, status?: number, category?: string | null }} */ { message, status, category }) {
  const [, name, said] = /^(fields|schema|learned|task|runners|reviewer|template)(?:[.:]\S*)? (.*)$/s.exec(message) ?? [null, null, message];
  const place = name ?? (status === 413 ? "files" : status === 404 || status === 409 ? "document" : "form");
  const advice = PLACE_ADVICE[place] ?? (name || !status ? "" : adviceFor({ category }));
  return { place, text: [sentence(said), advice].filter(Boolean).join(" ") };
}

const sentence = (/** @type {string} */ text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
