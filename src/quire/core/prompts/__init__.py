"""Versioned prompts, by language: `page.en.md`, `page_strict.de.md`. To add a language, add a file.

What a document says goes into a prompt through `as_data` alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from quire.core.errors import ConfigurationError
from quire.core.keys import Digest, digest_bytes

_MARK = 16  # digits of a digest: enough that no text holds its own


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt. Its digest is its version: a changed text invalidates cached answers."""

    name: str
    language: str
    text: str

    @property
    def digest(self) -> Digest:
        return digest_bytes(self.text.encode())


def as_data(name: str, text: str) -> str:
    """Text of documents between marks that it cannot contain: they have the digest of the text itself, so that no
    document can end what it is in. The same text has the same marks."""
    mark = digest_bytes(text.encode("utf-8", "replace"))[:_MARK]
    return f"<{name} {mark}>\n{text}\n</{name} {mark}>"


@cache
def load(name: str, language: str = "en") -> Prompt:
    """The prompt in that language. Raises ConfigurationError, naming the available languages."""
    known = languages(name)
    if language not in known:
        there = ", ".join(known) or "none"
        raise ConfigurationError(f"there is no prompt {name!r} in the language {language!r}; available: {there}")
    text = files(__package__).joinpath(f"{name}.{language}.md").read_text(encoding="utf-8")
    return Prompt(name, language, text.strip())


@cache
def languages(name: str) -> tuple[str, ...]:
    """The languages in which a prompt of that name exists."""
    parts = [file.name.split(".") for file in files(__package__).iterdir()]
    return tuple(sorted(part[1] for part in parts if len(part) == 3 and part[0] == name and part[2] == "md"))
