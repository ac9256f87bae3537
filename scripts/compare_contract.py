"""Compares a running server with recorded answers of docling-serve: scripts/compare_contract.py URL FOLDER

The folder holds requests and answers as JSON (`errors.json`: a list of cases with `request`, `status_code` and `body`)
and single answers (`*.response.json`, `version.json`, `capabilities.json`). Recorded answers are not part of this
project; the shapes that they have are in tests/service/test_contract_samples.py. Ends with 1 if anything differs.
"""

from __future__ import annotations

import base64
import json
import sys
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FREE = frozenset(
    {"processing_time", "binary_hash", "error_message", "task_id", "confidence", "versions", "bbox", "charspan"}
)
"""Values of these keys may differ in anything but their type; a confidence may be missing altogether."""


def main(url: str, folder: Path) -> int:
    found = [*_errors(url, folder), *_answers(url, folder)]
    for line in found:
        print(line)
    print(f"{len(found)} differences")
    return bool(found)


def _errors(url: str, folder: Path) -> Iterator[str]:
    for case in json.loads((folder / "errors.json").read_text()):
        asked = case["request"]
        status, body = _ask(url, asked)
        if status != case["status_code"]:
            yield f"{case['case']}: status {status}, not {case['status_code']}: {body}"
        else:
            yield from (f"{case['case']}: {line}" for line in differences(case["body"], body))


def _answers(url: str, folder: Path) -> Iterator[str]:
    text = base64.b64encode((folder / "doc.md").read_bytes()).decode()
    pdf = base64.b64encode((folder / "two-page.pdf").read_bytes()).decode()
    everything = ["md", "json", "html", "text", "doctags"]
    asked: dict[str, dict[str, Any]] = {
        "version.json": {"method": "GET", "path": "/version"},
        "capabilities.json": {"method": "GET", "path": "/v1/capabilities"},
        "convert-source-md.response.json": _posted(
            "/v1/convert/source", text, "doc.md", options={"to_formats": everything}
        ),
        "convert-file-pdf.response.json": _posted(
            "/v1/convert/source", pdf, "two-page.pdf", options={"to_formats": everything}
        ),
        "chunk-hierarchical.response.json": _posted("/v1/chunk/hierarchical/source", text, "doc.md"),
    }
    for name, request in asked.items():
        recorded = json.loads((folder / name).read_text())
        recorded = recorded.get("body", recorded)
        _, body = _ask(url, request)
        yield from (f"{name}: {line}" for line in differences(recorded, body, shape=True))


def _posted(path: str, content: str, name: str, **more: Any) -> dict[str, Any]:
    source = {"kind": "file", "base64_string": content, "filename": name}
    return {"method": "POST", "path": path, "json": {"sources": [source], **more}}


def differences(recorded: Any, answered: Any, path: str = "", *, shape: bool = False) -> Iterator[str]:
    """What differs between two JSON values; with `shape`, only in keys and types."""
    key = path.rpartition(".")[2]
    if isinstance(recorded, dict) and isinstance(answered, dict):
        for name in recorded.keys() - answered.keys():
            yield f"{path}.{name} is missing"
        for name in recorded.keys() & answered.keys():
            yield from differences(recorded[name], answered[name], f"{path}.{name}", shape=shape)
    elif isinstance(recorded, list) and isinstance(answered, list):
        if shape:
            if recorded and answered:
                yield from differences(recorded[0], answered[0], f"{path}[0]", shape=True)
        elif len(recorded) != len(answered):
            yield f"{path} has {len(answered)} entries, not {len(recorded)}: {answered}"
        else:
            for at, (one, other) in enumerate(zip(recorded, answered, strict=True)):
                yield from differences(one, other, f"{path}[{at}]")
    elif shape or key in FREE:
        if _kind(recorded) != _kind(answered) and None not in (recorded, answered):
            yield f"{path} is {answered!r:.80}, not like {recorded!r:.80}"
    elif recorded != answered:
        yield f"{path} is {answered!r}, not {recorded!r}"


def _kind(value: Any) -> str:
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def _ask(url: str, request: dict[str, Any]) -> tuple[int, Any]:
    headers, data = {}, None
    if "json" in request:
        headers, data = {"Content-Type": "application/json"}, json.dumps(request["json"]).encode()
    elif "form" in request:
        border = uuid.uuid4().hex
        headers, data = {"Content-Type": f"multipart/form-data; boundary={border}"}, _form(request["form"], border)
    asked = urllib.request.Request(url + request["path"], data, headers, method=request["method"])
    try:
        with urllib.request.urlopen(asked, timeout=120) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def _form(fields: dict[str, str], border: str) -> bytes:
    parts = []
    for name, value in fields.items():
        given = f'name="{name}"; filename="a.md"' if value == "<upload>" else f'name="{name}"'
        text = "# A" if value == "<upload>" else value
        parts.append(f"--{border}\r\nContent-Disposition: form-data; {given}\r\n\r\n{text}\r\n")
    return ("".join(parts) + f"--{border}--\r\n").encode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].rstrip("/"), Path(sys.argv[2])))
