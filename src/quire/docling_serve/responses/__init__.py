"""What docling-serve answers about documents: contents, errors, confidence, counts, and its callbacks."""
