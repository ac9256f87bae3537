"""Layout: turns the words and rulings of a page, native or from OCR, into blocks and tables, in one implementation.

The values import quickly; the function imports the layout code lazily, when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.core.pagetext import PageText
    from quire.core.table_areas import TableOptions
    from quire.core.types import PageResult
    from quire.pages.layout.quality import Quality

__all__ = ["page_blocks"]


def page_blocks(text: PageText, quality: Quality | None = None, tables: TableOptions | None = None) -> PageResult:
    """The blocks of a page in reading order, with its ledger entry.

    `quality` is the verdict on its text; `tables` is how the tables of this page are found.
    """
    from quire.pages.layout.page import page_blocks

    return page_blocks(text, quality, tables)
