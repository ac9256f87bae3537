"""Passwords of encrypted documents: one for all, or one per path pattern. Never stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TypeAlias

from quire.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Passwords:
    """A password for each pattern, and a default for documents that match none.

    A pattern without `/` matches the file name, others the end of the path: `contracts/*.pdf`. The first match wins.
    """

    default: str | None = field(default=None, repr=False)
    patterns: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @classmethod
    def parse(cls, default: str | None, texts: Iterable[str]) -> Passwords:
        """From texts like `contracts/*.pdf=secret`. The UsageError for a malformed one does not quote it."""
        pairs = [text.partition("=") for text in texts]
        if any(not pattern or not sign for pattern, sign, _ in pairs):
            raise UsageError("--password-for (password_for) takes PATTERN=PASSWORD, like 'contracts/*.pdf=secret'")
        return cls(default, tuple((pattern, password) for pattern, _, password in pairs))

    def __bool__(self) -> bool:
        return bool(self.default or self.patterns)

    def of(self, path: str | PurePath) -> str | None:
        where = PurePath(path)
        return next((password for pattern, password in self.patterns if where.match(pattern)), self.default)


Password: TypeAlias = "str | Passwords | None"
"""A password for all documents, or one that depends on their path."""


def password_of(password: Password, path: str | PurePath) -> str | None:
    """The password for the document at a path."""
    return password.of(path) if isinstance(password, Passwords) else password
