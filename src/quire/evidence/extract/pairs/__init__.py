"""Labels with their values anywhere on a page, for documents whose fields are not known."""

from quire.evidence.extract.pairs.label_pairs import LabelledValue, LinePart, find_line_parts, find_pairs

__all__ = ["LabelledValue", "LinePart", "find_line_parts", "find_pairs"]
