"""Pictures of hits: in the terminal where it can show them, else as files."""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from quire.core.errors import QuireError

if TYPE_CHECKING:
    from quire.durable.document_index import Index
    from quire.retrieval.search.hits import SearchHit

Protocol = Literal["kitty", "iterm2"]
PIECE = 4096
"""Characters of a picture in one message of the protocol of kitty."""


class HitPictures:
    """Pictures of hits: `of` gives the lines to print for one."""

    def __init__(self, index: Index, *, folder: Path | None, shown: bool) -> None:
        self._index = index
        self._protocol = terminal_protocol(os.environ) if shown and sys.stdout.isatty() else None
        self._folder = folder
        self._wanted = folder is not None or shown

    def of(self, number: int, hit: SearchHit) -> tuple[str, str]:
        """The picture for the terminal, and a line about its file or why there is none; both may be empty."""
        if not self._wanted:
            return "", ""
        try:
            png = self._index.crop(hit)
        except QuireError as error:  # the file is gone or has changed; the hit itself still stands
            return "", f"no picture: {error}"
        shown = "".join(_escapes(png, self._protocol)) if self._protocol else ""
        return shown, "" if shown and self._folder is None else f"picture: {self._saved(number, hit, png)}"

    def _saved(self, number: int, hit: SearchHit, png: bytes) -> Path:
        from quire.core.names import file_stem
        from quire.system.atomic_files import write_files

        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="quire-search-"))
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{number:02}-{file_stem(hit.name)}-p{hit.page}.png"
        write_files({path: png})
        return path


def terminal_protocol(environment: Mapping[str, str]) -> Protocol | None:
    """The protocol by which the terminal shows pictures, from its environment; None for an unknown terminal."""
    program, terminal = environment.get("TERM_PROGRAM", ""), environment.get("TERM", "")
    if environment.get("TMUX") or terminal.startswith(("screen", "tmux")):
        return None  # they pass no pictures on
    if environment.get("KITTY_WINDOW_ID") or "kitty" in terminal or program == "ghostty" or "ghostty" in terminal:
        return "kitty"
    if program in ("iTerm.app", "WezTerm", "vscode", "mintty") or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm2"
    return None


def _escapes(png: bytes, protocol: Protocol) -> Iterator[str]:
    encoded = base64.b64encode(png).decode("ascii")
    if protocol == "iterm2":
        yield f"\x1b]1337;File=inline=1;size={len(png)};preserveAspectRatio=1:{encoded}\a\n"
        return
    pieces: Sequence[str] = [encoded[begin : begin + PIECE] for begin in range(0, len(encoded), PIECE)]
    for at, piece in enumerate(pieces):
        head = "f=100,a=T," if at == 0 else ""
        yield f"\x1b_G{head}m={int(at < len(pieces) - 1)};{piece}\x1b\\"
    yield "\n"
