"""Samples, what is learnt from them, and the extractor that uses it."""
