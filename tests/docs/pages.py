"""The pages of the documentation and the blocks of code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "native" / "README.md",
    ROOT / "deploy" / "README.md",
]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

_FENCE = re.compile(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class CodeBlock:
    """A fenced block: its language, its code, the line it begins on, and the file that it shows, if it is one."""

    language: str
    code: str
    line: int
    file: str = ""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def code_blocks(page: Path, language: str | None = None) -> Iterator[CodeBlock]:
    """The blocks of a page in order; those in one language, if one is named."""
    text = page.read_text()
    for match in _FENCE.finditer(text):
        if language in (None, match[1]):
            yield CodeBlock(match[1], match[3], text[: match.start(3)].count("\n") + 1, match[2].strip())


def without_code(page: Path) -> str:
    """The text of a page less its fenced blocks."""
    return _FENCE.sub("", page.read_text())
