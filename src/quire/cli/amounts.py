"""Numbers, durations, rates and times formatted for display."""

from __future__ import annotations

import time


def spell(count: int, noun: str) -> str:
    """`1 document`, `3 documents`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


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
