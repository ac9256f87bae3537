// The name under which decisions are recorded, kept in this browser.

const NAME = "quire-reviewer";

export const reviewerName = () => localStorage.getItem(NAME) ?? "";

export const setReviewerName = (/** @type {string} */ name) => localStorage.setItem(NAME, name.trim());
