"""Puts a picture before the user of a script: on the screen, or as a file where there is none."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image


def present(picture: Image, name: str) -> None:
    """Open a picture in the viewer of the system; without a screen, write it to a temporary folder and say where.

    In a notebook this does nothing: it displays what a cell returns.
    """
    if "ipykernel" in sys.modules:
        return
    from PIL import ImageShow

    screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if screen and ImageShow.show(picture, name):
        return
    file = Path(tempfile.mkdtemp(prefix="quire-show-")) / name
    picture.save(file)
    print(f"quire: there is no screen to show it on: {file}", file=sys.stderr)
