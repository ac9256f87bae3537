"""Fields of papers and CVs: texts and lists of the section that they are named after."""

from quire.extract.sections.extractor import SectionExtractor

__all__ = ["SectionExtractor"]
