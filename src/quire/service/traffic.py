"""Metrics about HTTP (requests, their times and sizes) and about restarts of threads, for all processes of one server.

Each process counts its own. Where there are several, each writes its counts to a file of its own every second, and the
one that is asked adds up the files: what a process has counted outlives it.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from quire.core.event_metrics import sample
from quire.system.atomic_files import write_files
from quire.system.supervisor import restarts

SHARE_S = 1.0
DURATIONS_MS = (5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000, 60_000)
SIZES = (0, 1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 24, 1 << 28)
FAMILIES = {
    "http_server_duration_milliseconds": DURATIONS_MS,
    "http_server_request_size_bytes": SIZES,
    "http_server_response_size_bytes": SIZES,
}
"""The histograms, as docling-serve names them, with the upper bounds of their buckets."""


class Traffic:
    """The counts of this process, and with a folder those of the processes beside it. Belongs to one event loop."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._active = 0
        self._histograms: dict[str, list[float]] = {}
        """By family and labels: the number of values in each bucket and above the last, then their sum."""
        self._shared: str = ""

    def began(self) -> None:
        self._active += 1

    def ended(self, method: str, route: str, status: int, *, ms: float, received: int, sent: int) -> None:
        self._active -= 1
        labels = {"http_method": method, "http_route": route, "http_status_code": str(status)}
        for (family, bounds), value in zip(FAMILIES.items(), (ms, received, sent), strict=True):
            counts = self._histograms.setdefault(sample(family, **labels), [0.0] * (len(bounds) + 2))
            counts[bisect_left(bounds, value)] += 1
            counts[-1] += value

    def share(self) -> None:
        """Write the counts for the other processes. Blocks."""
        text = json.dumps({"active": self._active, "histograms": self._histograms, "restarts": restarts()})
        if self._folder is not None and text != self._shared:
            write_files({self._folder / f"{os.getpid()}.json": text.encode()})
            self._shared = text

    def processes(self) -> list[int]:
        """The processes of this server that are alive."""
        return [os.getpid(), *(pid for pid, _ in self._others() if _is_alive(pid))]

    def samples(self) -> Iterator[tuple[str, float]]:
        """The metrics of all processes of this server. Blocks."""
        active, histograms = self._active, {name: list(counts) for name, counts in self._histograms.items()}
        restarted = Counter(restarts())
        for pid, told in self._others():
            active += told["active"] if _is_alive(pid) else 0
            restarted.update(told["restarts"])
            for name, counts in told["histograms"].items():
                known = histograms.get(name, [0.0] * len(counts))
                histograms[name] = [a + b for a, b in zip(known, counts, strict=True)]
        yield from ((sample("thread_restarts_total", thread=name), count) for name, count in sorted(restarted.items()))
        yield "http_server_active_requests", active
        for name, counts in sorted(histograms.items()):
            family, _, labels = name.removesuffix("}").partition("{")
            total = 0.0
            for bound, count in zip((*FAMILIES[family], "+Inf"), counts[:-1], strict=True):
                total += count
                yield f'{family}_bucket{{{labels},le="{bound}"}}', total
            yield f"{family}_sum{{{labels}}}", counts[-1]
            yield f"{family}_count{{{labels}}}", total

    def _others(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for path in sorted(self._folder.glob("*.json")) if self._folder is not None else ():
            with suppress(OSError, ValueError):
                if int(path.stem) != os.getpid():
                    yield int(path.stem), json.loads(path.read_bytes())


def _is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
