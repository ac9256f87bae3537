"""Words and rulings of a page, native or recognised, to blocks and tables: one implementation for both."""

from quire.layout.page import LayoutProfile, page_blocks

VERSION = "3"
"""Changed whenever the blocks of a page may change."""

__all__ = ["VERSION", "LayoutProfile", "page_blocks"]
