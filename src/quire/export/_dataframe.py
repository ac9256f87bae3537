"""Tables as DataFrames of pandas, which is imported when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.errors import ConfigurationError
from quire.export._grid import filled, header_rows
from quire.types import Table

if TYPE_CHECKING:
    from pandas import DataFrame


def dataframe(table: Table) -> DataFrame:
    """The texts of the body; rows of header cells name the columns. Raises ConfigurationError without pandas."""
    try:
        from pandas import DataFrame
    except ImportError as error:
        raise ConfigurationError("to_dataframe() needs pandas: pip install pandas") from error
    return DataFrame(filled(table)[header_rows(table) :], columns=column_names(table) or None)


def column_names(table: Table) -> list[str]:
    """The name of each column, from the rows of header cells at the top; none without such a row."""
    head = filled(table)[: header_rows(table)]
    return [column_name(column) for column in zip(*head, strict=True)]


def column_name(parts: tuple[str, ...]) -> str:
    """The texts above a column, from the top; one that spans several rows counts once."""
    return ".".join(part for part in dict.fromkeys(parts) if part)
