"""Numbers, durations, rates and times formatted for display."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping

KINDS, NAMES = 4, 3
"""The number of kinds of files that are counted, the most frequent first, and of files that are named."""


def spell(count: int, noun: str) -> str:
    """`1 document`, `3 documents`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def left_out_files(kinds: Mapping[str, str]) -> str:
    """`5 files (3 .zip, 2 .mp4): a.zip, b.zip, c.zip, …`, from the kind of each file by its name."""
    counts = sorted(Counter(kinds.values()).items(), key=lambda pair: (-pair[1], pair[0]))
    parts = [spell(count, kind) if kind == "output" else f"{count} {kind}" for kind, count in counts]
    counted = ", ".join([*parts[:KINDS], *(["…"] if len(parts) > KINDS else [])])
    named = ", ".join([*list(kinds)[:NAMES], *(["…"] if len(kinds) > NAMES else [])])
    return f"{spell(len(kinds), 'file')} ({counted}): {named}"


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 20 s`, `2 h 05 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 2 * 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours} h {minutes:02} min"


def rate(per_second: float, noun: str) -> str:
    """`2.4 documents/s`, `12 documents/min`."""
    if per_second >= 0.95:
        return f"{per_second:.1f} {noun}/s"
    return f"{per_second * 60:.1f} {noun}/min"


def moment(at: float) -> str:
    """A wall-clock time in the local time zone."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
