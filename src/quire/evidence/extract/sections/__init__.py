"""Fields of papers and CVs: texts and lists of the section that they are named after."""

from quire.evidence.extract.sections.section_extractor import SectionExtractor

__all__ = ["SectionExtractor"]
