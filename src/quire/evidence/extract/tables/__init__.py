"""Lists of a schema from tables: the columns are the properties, the rows the items."""

from quire.evidence.extract.tables.table_extractor import TableExtractor

__all__ = ["TableExtractor"]
