"""Figures of financial statements: the row that a field names, and a value for each period of its columns."""

from quire.evidence.extract.statements.statement_extractor import StatementExtractor

__all__ = ["StatementExtractor"]
