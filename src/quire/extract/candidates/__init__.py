"""Candidates: the spans of a page that may be a value, typed, with what stands around them."""
