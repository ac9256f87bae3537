"""Regular expressions that are compiled when they are first used.

Those with words of many languages take milliseconds each, and most processes use few of them.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast


class _LazyPattern:
    """Takes the place of a pattern. A method of the pattern that was asked for once is an attribute."""

    def __init__(self, pattern: str, flags: re.RegexFlag) -> None:
        self._pattern, self._flags = pattern, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._compiled, name)
        setattr(self, name, method)
        return method


def lazy_pattern(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Like `re.compile`, which is called by the first use of the pattern. Errors of a pattern are raised there too."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))
