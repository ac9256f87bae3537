"""The environment of programs that are started: they load no libraries from the current folder."""

from __future__ import annotations

import os
from collections.abc import Mapping

_LIBRARIES = "LD_LIBRARY_PATH"


def child_environment(parent: Mapping[str, str]) -> dict[str, str]:
    """The variables of the parent, without empty entries in the search path of libraries.

    OpenCV appends one when it is imported, which means the current folder: perhaps that of a stranger's documents.
    """
    made = dict(parent)
    if places := list(filter(None, made.pop(_LIBRARIES, "").split(os.pathsep))):
        made[_LIBRARIES] = os.pathsep.join(places)
    return made
