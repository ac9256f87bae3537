"""One scanned page beside a scan of 500 pages: how many times longer it takes than on an idle server.

Every picture is new, so that no answer of the OCR engine is in the store.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from itertools import pairwise
from statistics import median

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from benchmarks.httpclient import BOUNDARY
from benchmarks.report import Options, Report, Table, goal
from benchmarks.serverprocess import ServerProcess

PAGES, QUICK_PAGES = 500, 60
GOAL = 3.0
WORKERS = 2
BEGUN = 4
"""Pages of the long scan that are done before the short ones are sent."""
DPI, LINES = 120, 14
PATIENCE_S = 600.0
CASES = {"by the same tenant": ("one", "one"), "by another tenant": ("one", "two")}


def run(options: Options) -> Report:
    scans = _Scans()
    rounds, pages = options.rounds(9, 3), QUICK_PAGES if options.quick else PAGES
    rows, data = [], dict[str, object]()
    for name, (long_tenant, tenant) in CASES.items():
        with ServerProcess("--workers", str(WORKERS), "--tenants") as server:
            _read(server, scans.make(1), tenant)  # loads the engine
            idle = [_read(server, scans.make(1), tenant) for _ in range(rounds)]
            run = _sent(server, "/api/runs", scans.make(pages), long_tenant)["id"]
            _wait_for(server, run, long_tenant, BEGUN)
            _read(server, scans.make(1), tenant)  # starts the worker for urgent jobs
            beside, meanwhile = [], [_done(server, run, long_tenant)]
            for _ in range(rounds):
                beside.append(_read(server, scans.make(1), tenant))
                meanwhile.append(_done(server, run, long_tenant))
            if meanwhile[-1] >= pages:
                raise RuntimeError("the long scan ended too early: give it more pages")
        ratio, others = median(beside) / median(idle), median(b - a for a, b in pairwise(meanwhile))
        asked = goal(ratio, GOAL, most=True, digits=1)
        rows.append([name, median(idle), median(beside), max(beside), ratio, *asked, others])
        data[name] = {"idle_s": idle, "beside_s": beside, "long_pages_done": meanwhile}
    columns = ["one page", "idle, s", f"beside {pages} pages, s", "slowest, s", "times as long", "goal", "reached"]
    columns += ["pages of the long scan done meanwhile"]
    title = f"One scanned page beside a long scan, {WORKERS} workers, medians of {rounds}"
    notes = [
        "The pages go through `POST /v1/convert/file/async` one after the other, with RapidOCR. Both sides of the "
        "ratio are wall times of one run on one machine, so other programs disturb them alike."
    ]
    return Report("Fairness", [Table(columns, rows, title)], notes, data)


class _Scans:
    """Scans of which no two pages are alike."""

    def __init__(self) -> None:
        self._pictures = self._drawn()

    def make(self, pages: int) -> bytes:
        written = io.BytesIO()
        canvas = Canvas(written, pagesize=(595, 842))
        for _ in range(pages):
            canvas.drawImage(ImageReader(next(self._pictures)), 0, 0, 595, 842)
            canvas.showPage()
        canvas.save()
        return written.getvalue()

    def _drawn(self) -> Iterator[Image.Image]:
        size = (round(595 / 72 * DPI), round(842 / 72 * DPI))
        font = ImageFont.load_default(DPI * 12 / 72)
        number = 0
        while True:
            number += 1
            picture = Image.new("L", size, 250)
            pen = ImageDraw.Draw(picture)
            for line in range(LINES):
                text = f"Sheet {number}, row {line}: {number * 7919 % 9973} crates of harbour freight"
                pen.text((DPI, DPI * (1 + line * 0.5)), text, font=font, fill=30)
            yield picture


def _asked(server: ServerProcess, method: str, path: str, tenant: str, body: bytes | None = None) -> dict:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    headers = {"X-Tenant-Id": tenant}
    if body is not None:
        headers["Content-Type"] = f"multipart/form-data; boundary={BOUNDARY}"
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    if answer.status >= 400:
        raise RuntimeError(f"{path} was answered with {answer.status}: {text[:300]!r}")
    return json.loads(text)


def _sent(server: ServerProcess, path: str, data: bytes, tenant: str) -> dict:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="scan.pdf"\r\n\r\n'
    return _asked(server, "POST", path, tenant, head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode())


def _read(server: ServerProcess, data: bytes, tenant: str) -> float:
    """Seconds until a page is read and its result fetched."""
    begun = time.perf_counter()
    task = _sent(server, "/v1/convert/file/async", data, tenant)["task_id"]
    while (status := _asked(server, "GET", f"/v1/status/poll/{task}?wait=10", tenant))["task_status"] != "success":
        if status["task_status"] == "failure":
            raise RuntimeError(f"a page was not read: {status}")
    result = _asked(server, "GET", f"/v1/result/{task}", tenant)
    if "freight" not in result["document"]["md_content"]:
        raise RuntimeError(f"a page was not read: {result}")
    return time.perf_counter() - begun


def _done(server: ServerProcess, run: str, tenant: str) -> int:
    return int(_asked(server, "GET", f"/api/runs/{run}", tenant)["progress"]["pages"]["done"])


def _wait_for(server: ServerProcess, run: str, tenant: str, pages: int) -> None:
    until = time.perf_counter() + PATIENCE_S
    while _done(server, run, tenant) < pages:
        if time.perf_counter() > until:
            raise RuntimeError("the long scan does not begin")
        time.sleep(0.2)
