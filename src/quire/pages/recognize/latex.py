"""Whether LaTeX that an engine wrote can be typeset at all."""

from __future__ import annotations

import re

_PIECES = re.compile(r"\\[A-Za-z]+|\\.|[^\s\\]|\s+", re.S)


def is_balanced(latex: str) -> bool:
    r"""Whether braces, environments, and `\left` and `\right` come in pairs: what is not cannot be typeset."""
    depth = 0
    for piece in _PIECES.findall(latex):
        depth += (piece == "{") - (piece == "}")
        if depth < 0:
            return False
    commands = re.findall(r"\\(left|right|begin|end)(?![A-Za-z])", latex)
    return (
        depth == 0
        and commands.count("left") == commands.count("right")
        and commands.count("begin") == commands.count("end")
    )
