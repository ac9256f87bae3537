// The address of the page: which screen it names, of which document or run, and what is asked for there.

/**
 * The parts of a hash like `#/documents/ID?page=3`: `path` is that of the screen, with a slash at its end where an id follows.
 * @returns {{ path: string, id: string, asked: URLSearchParams }}
 */
export function parsedAddress(/** @type {string} */ hash) {
  const [path, query] = hash.replace(/^#/, "").split("?");
  const asked = new URLSearchParams(query ?? "");
  const [, kind, encoded] = /^\/(documents|extract|solve)\/([^/]+)$/.exec(path) ?? [];
  return kind ? { path: `/${kind}/`, id: decoded(encoded), asked } : { path, id: "", asked };
}

/** The name of a document in an address; one that is written wrongly is the name of none. */
function decoded(/** @type {string} */ text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
