"""Labels with their values anywhere on a page, for documents whose fields are not known."""

from quire.extract.pairs.finding import LabelledValue, find_pairs

__all__ = ["LabelledValue", "find_pairs"]
