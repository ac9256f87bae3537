"""The arguments of the tools: their JSON Schemas are what models see, and wrong ones are refused by name."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from quire.mcp.answers.answer import BoxNumbers

DOCUMENT = "The id of a document, from the tool documents or search."
CURSOR = "`next` of the answer before, for what follows it."
PAGES = "Pages like 1-3,7 or 5-; all by default."


class Arguments(BaseModel):
    """Refuses arguments that it does not know, so that a misspelt one is not ignored."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class DocumentsArguments(Arguments):
    """Of `documents`."""

    action: Literal["list", "get", "add"] = Field(
        default="list",
        description="list: the latest first. get: one by its id, also to see whether it is read. add: a file.",
    )
    document: str | None = Field(default=None, description="get: the id.")
    path: str | None = Field(default=None, description="add: the path of a file in an allowed folder of the server.")
    name: str | None = Field(
        default=None,
        max_length=200,
        description="add without a path: the name of the file for which you want an upload URL.",
    )
    limit: int = Field(default=20, ge=1, le=100, description="list: documents of an answer.")
    cursor: str | None = Field(default=None, description=CURSOR)


class MapArguments(Arguments):
    """Of `map`."""

    document: str = Field(description=DOCUMENT)
    pages: str | None = Field(default=None, description=PAGES)
    cursor: str | None = Field(default=None, description=CURSOR)


class ReadPagesArguments(Arguments):
    """Of `read_pages`."""

    document: str = Field(description=DOCUMENT)
    pages: str | None = Field(default=None, description=PAGES)
    cursor: str | None = Field(default=None, description=CURSOR)


class SearchArguments(Arguments):
    """Of `search`."""

    query: str = Field(min_length=1, max_length=500, description='Words, "phrases", -not.')
    document: str | None = Field(
        default=None, description="Look for the text, as it is written, in this document only, in reading order."
    )
    limit: int = Field(default=10, ge=1, le=50)
    cursor: str | None = Field(default=None, description=CURSOR)


class TableArguments(Arguments):
    """Of `table`."""

    document: str = Field(description=DOCUMENT)
    table: str = Field(description="The id of a table, from map: p3-b12.")
    cursor: str | None = Field(default=None, description=CURSOR)


class CropArguments(Arguments):
    """Of `crop`."""

    document: str = Field(description=DOCUMENT)
    page: int | None = Field(default=None, ge=1, description="The page, with `box` or `whole_page`.")
    box: BoxNumbers | None = Field(default=None, description="left, top, width, height as fractions of the page.")
    block: str | None = Field(default=None, description="Instead of a box: the id of a block, p3-b12.")
    whole_page: bool = Field(default=False, description="The whole page: large; ask for a part if that is enough.")


class ExtractArguments(Arguments):
    """Of `extract`."""

    document: str = Field(description=DOCUMENT)
    fields: list[str] = Field(default_factory=list, max_length=100, description="Names of values, like invoice number.")
    schema_: dict[str, Any] | None = Field(
        default=None, alias="schema", description="Instead of fields: a JSON Schema of an object, for types and lists."
    )
    cursor: str | None = Field(default=None, description=CURSOR)


class CheckQuoteArguments(Arguments):
    """Of `check_quote`."""

    document: str = Field(description=DOCUMENT)
    quote: str = Field(min_length=1, max_length=5000, description="The text, letter by letter.")
    page: int | None = Field(default=None, ge=1, description="The page that it should be on.")
