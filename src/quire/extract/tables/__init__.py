"""Lists of a schema from tables: the columns are the properties, the rows the items."""

from quire.extract.tables.extractor import TableExtractor

__all__ = ["TableExtractor"]
