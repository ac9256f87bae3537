"""Checks of values against what a document says: deterministic, and the same for every extractor."""
