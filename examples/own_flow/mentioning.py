"""The component of the flow `mentions`, beside its file."""

from __future__ import annotations

import quire


@quire.component(unit="page", version="1")
def mentions(page: quire.PageResult, *, words: list[str]) -> list[dict[str, object]]:
    """The blocks of a page that hold one of the words: which word, which block, where on the page."""
    return [
        {
            "word": word,
            "block": block.id,
            "at": [block.bbox.left, block.bbox.top],
            "text": " ".join(block.text.split())[:80],
        }
        for block in page.blocks
        for word in words
        if word.lower() in block.text.lower()
    ]
