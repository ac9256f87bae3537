"""Labels with their values anywhere on a page, for documents whose fields are not known."""

from quire.evidence.extract.pairs.label_pairs import LabelledValue, RoleInLine, find_pairs, find_roles

__all__ = ["LabelledValue", "RoleInLine", "find_pairs", "find_roles"]
