"""Tables as DataFrames of pandas or polars, which are imported when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.core.errors import ConfigurationError, UsageError
from quire.core.types import Table
from quire.output.export._grid import filled, header_rows

if TYPE_CHECKING:
    import pandas
    import polars


def dataframe(table: Table, library: str) -> pandas.DataFrame | polars.DataFrame:
    """The texts of the body; rows of header cells name the columns. Raises ConfigurationError without the library."""
    names, body = column_names(table), filled(table)[header_rows(table) :]
    try:
        if library == "polars":
            import polars

            return polars.DataFrame(body, schema=dict.fromkeys(_distinct(names, table), polars.String), orient="row")
        if library == "pandas":
            import pandas

            return pandas.DataFrame(body, columns=names or None)
    except ImportError as error:
        raise ConfigurationError(f"this DataFrame needs {library}: pip install {library}") from error
    raise UsageError(f"there is no DataFrame of {library!r}; choose from pandas, polars")


def _distinct(names: list[str], table: Table) -> list[str]:
    """Names that differ, as polars needs them: `column_3` where there is none, `Total_2` for the second of a name."""
    found: list[str] = []
    for number, name in enumerate(names or [""] * table.columns, start=1):
        title = own = name or f"column_{number}"
        again = 2
        while own in found:
            own, again = f"{title}_{again}", again + 1
        found.append(own)
    return found


def column_names(table: Table) -> list[str]:
    """The name of each column, from the rows of header cells at the top; none without such a row."""
    head = filled(table)[: header_rows(table)]
    return [column_name(column) for column in zip(*head, strict=True)]


def column_name(parts: tuple[str, ...]) -> str:
    """The texts above a column, from the top; one that spans several rows counts once."""
    return ".".join(part for part in dict.fromkeys(parts) if part)
