"""What of the layout is part of the key of its blocks."""

from __future__ import annotations

from dataclasses import dataclass

from quire.keys import Profile


@dataclass(frozen=True, slots=True)
class LayoutProfile(Profile):
    """The settings of the layout that change its blocks."""

    tables: bool = True
