"""The pages of the documentation and the blocks of code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "native" / "README.md"]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class CodeBlock:
    """A fenced block: its language, its code and the line it begins on."""

    language: str
    code: str
    line: int


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def code_blocks(page: Path, language: str) -> Iterator[CodeBlock]:
    text = page.read_text()
    for match in _FENCE.finditer(text):
        if match[1] == language:
            yield CodeBlock(match[1], match[2], text[: match.start(2)].count("\n") + 1)


def without_code(page: Path) -> str:
    """The text of a page less its fenced blocks."""
    return _FENCE.sub("", page.read_text())
