"""Search over documents: terms, queries, indexes, ranking."""
