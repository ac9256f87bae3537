"""The answers of docling-serve about documents: contents, errors, confidence and counts."""
