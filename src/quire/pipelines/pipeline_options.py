"""The settings of a pipeline that are not stages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from quire.core.context import Store
from quire.core.errors import UsageError
from quire.core.events import Sink

ErrorPolicy = Literal["abort", "attach"]
"""The handling of a region that cannot be read: fail its page, or leave an empty recognition with an `error`."""

Cache: TypeAlias = Store | str | Path | None
"""The cache of the engine's answers: a store or the folder of one. None: only during the run."""


@dataclass(frozen=True, slots=True)
class Options:
    """`dpi` is the resolution of page pictures. `languages` and `hints` are sent with every question to the engine."""

    page_concurrency: int = 1
    error_policy: ErrorPolicy = "abort"
    on_event: Sink | None = None
    cache: Cache = None
    dpi: int = 200
    languages: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("page_concurrency", "dpi"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise UsageError(f"{name} is {value!r}; it must be a whole number of at least 1")
        if self.error_policy not in get_args(ErrorPolicy):
            raise UsageError(f"error_policy is {self.error_policy!r}; choose from {', '.join(get_args(ErrorPolicy))}")
        if self.cache is not None and not isinstance(self.cache, (str, Path)) and not hasattr(self.cache, "find"):
            raise UsageError(f"cache is {self.cache!r}; pass a folder or a store")
