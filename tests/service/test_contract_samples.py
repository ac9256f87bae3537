"""Answers of a running server have the shapes of docling-serve's: one test for each kind of recorded sample.

The shapes are written down here from the contract; `scripts/compare_contract.py` compares with recorded answers.
"""

from __future__ import annotations

import base64
import io
import json
import re
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread
from typing import Any, NamedTuple

import pytest
from websockets.sync.client import connect

from tests.conftest import running
from tests.documents import many_pages, placed, simple
from tests.servers.quire_server import QuireServer
from tests.service.shapes import AtLeast, Each, Shape, misfits, one_of, optional

pytestmark = pytest.mark.processes

MARKDOWN = (
    "# Title One\n\nSome **bold** text.\n\n## Section A\n\n- item 1\n- item 2\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)
TASK = {
    "task_id": str,
    "task_type": one_of("convert", "chunk"),
    "task_status": one_of("pending", "started", "success", "failure"),
    "task_position": optional(int),
    "task_meta": optional(
        AtLeast(
            dict.fromkeys(("num_docs", "num_processed", "num_succeeded", "num_partially_succeeded", "num_failed"), int)
        )
    ),
    "error_message": optional(str),
    "failure": optional({"category": str, "message": str, "retryable": bool, "phase": str, "details": dict}),
}
ERROR = {
    "component_type": one_of("document_backend", "model", "doc_assembler", "user_input", "pipeline"),
    "module_name": str,
    "error_message": str,
    "category": one_of(
        *("policy", "capacity", "source_unavailable", "target_unavailable", "timeout"),
        *("internal", "backend_failure", "inference_failure", "unknown"),
    ),
    "page_no": optional(int),
}
GRADE = one_of("poor", "fair", "good", "excellent", "unspecified")
SCORES = {
    **dict.fromkeys(
        ("parse_score", "layout_score", "table_score", "ocr_score", "mean_score", "low_score"), optional(float)
    ),
    "mean_grade": GRADE,
    "low_grade": GRADE,
}
CONFIDENCE = {**SCORES, "pages": Each({**SCORES, "pages": {}})}
CONTENTS = ("md_content", "json_content", "html_content", "text_content", "doctags_content", "doclang_content")


def document(filename: str, **contents: Shape) -> Shape:
    return {"filename": filename, **dict.fromkeys(CONTENTS), **contents}


def converted(filename: str, **contents: Shape) -> Shape:
    return {
        "document": document(filename, **contents),
        "status": "success",
        "errors": [],
        "processing_time": float,
        "timings": {},
        "confidence": CONFIDENCE,
    }


def refused(filename: str, status: str) -> Shape:
    return {**converted(filename), "status": status, "errors": [ERROR], "confidence": None}


ORIGIN = {"mimetype": str, "binary_hash": int, "filename": str, "uri": None}
REFERENCE = {"$ref": str}
ROOT = {
    "self_ref": str,
    "parent": None,
    "children": [REFERENCE],
    "content_layer": str,
    "meta": None,
    "name": "_root_",
    "label": "unspecified",
}
PLACE = {
    "page_no": int,
    "bbox": {"l": float, "t": float, "r": float, "b": float, "coord_origin": "BOTTOMLEFT"},
    "charspan": [int],
}
TEXT = AtLeast(
    {
        "self_ref": str,
        "parent": REFERENCE,
        "children": [REFERENCE],
        "content_layer": "body",
        "label": str,
        "prov": [PLACE],
        "orig": str,
        "text": str,
    }
)
DOCLING = {
    "schema_name": "DoclingDocument",
    "version": "1.10.0",
    "name": str,
    "origin": ORIGIN,
    "furniture": ROOT,
    "body": ROOT,
    "groups": list,
    "texts": [TEXT],
    "pictures": list,
    "tables": list,
    "key_value_items": list,
    "form_items": list,
    "pages": Each({"size": {"width": float, "height": float}, "image": None, "page_no": int}),
}
CHUNK = {
    "filename": str,
    "chunk_index": int,
    "text": str,
    "raw_text": optional(str),
    "num_tokens": optional(int),
    "headings": optional([str]),
    "captions": optional([str]),
    "doc_items": [str],
    "page_numbers": [int],
    "metadata": {"origin": ORIGIN, "has_image": bool},
}


class Answer(NamedTuple):
    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Caller:
    """Requests as clients send them."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str) -> Answer:
        return self._asked(urllib.request.Request(self.url + path))

    def post(self, path: str, body: object) -> Answer:
        given = {"Content-Type": "application/json"}
        return self._asked(urllib.request.Request(self.url + path, json.dumps(body).encode(), given))

    def form(self, path: str, *fields: tuple[str, str], files: dict[str, bytes] | None = None) -> Answer:
        border = "the-border"
        parts = [
            f'--{border}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields
        ]
        for name, data in (files or {}).items():
            given = f'--{border}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
            parts.append(given.encode() + data + b"\r\n")
        body = b"".join(parts) + f"--{border}--\r\n".encode()
        given = {"Content-Type": f"multipart/form-data; boundary={border}"}
        return self._asked(urllib.request.Request(self.url + path, body, given))

    def _asked(self, request: urllib.request.Request) -> Answer:
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.headers, error.read())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuireServer]:
    settings = {"DOCLINGCORE_ALLOWED_PRIVATE_IPS": '["127.0.0.1/32"]'}
    with running(QuireServer(tmp_path_factory.mktemp("server"), environment=settings)) as started:
        yield started


@pytest.fixture(scope="module")
def caller(server: QuireServer) -> Caller:
    return Caller(server.url)


@pytest.fixture(scope="module")
def pdf() -> bytes:
    return simple(2)


def file(name: str, data: bytes | str) -> dict[str, str]:
    content = data.encode() if isinstance(data, str) else data
    return {"kind": "file", "base64_string": base64.b64encode(content).decode(), "filename": name}


def assert_fits(value: object, shape: Shape) -> None:
    assert not list(misfits(value, shape))


def test_a_pdf_upload_in_every_format(caller, pdf):
    formats = [("to_formats", name) for name in ("md", "json", "html", "text", "doctags")]
    answer = caller.form(
        "/v1/convert/file", *formats, ("md_page_break_placeholder", "<!-- next -->"), files={"two.pdf": pdf}
    )
    texts = dict.fromkeys((name for name in CONTENTS if name not in ("json_content", "doclang_content")), str)
    assert_fits(answer.json, converted("two.pdf", json_content=DOCLING, **texts))
    found = answer.json["document"]
    assert found["json_content"]["name"] == "two" and list(found["json_content"]["pages"]) == ["1", "2"]
    assert re.search(r"\n\n<!-- next -->\n\n", found["md_content"])
    assert found["html_content"].startswith("<!DOCTYPE html>\n<html>\n<head>")
    assert found["doctags_content"].startswith("<doctag>") and "<page_break>" in found["doctags_content"]
    assert '{"schema_name": "DoclingDocument"' in json.dumps(found["json_content"])


def test_markdown_in_the_request(caller):
    body = {"sources": [file("doc.md", MARKDOWN)], "options": {"to_formats": ["md", "json"]}}
    answer = caller.post("/v1/convert/source", body).json
    unpaged = {**DOCLING, "pages": {}, "texts": list, "body": dict}
    assert_fits(answer, converted("doc.md", md_content=str, json_content=unpaged))
    assert answer["confidence"]["pages"] == {} and answer["confidence"]["mean_grade"] == "unspecified"
    assert answer["document"]["md_content"].startswith("# Title One\n\nSome **bold** text")


def test_the_asynchronous_flow(caller):
    long = many_pages(300)
    task = caller.post("/v1/convert/source/async", {"sources": [file("long.pdf", long)]})
    assert task.status == 200
    assert_fits(task.json, TASK)
    path = task.json["task_id"]
    early = caller.get(f"/v1/result/{path}")
    if early.status != 200:  # it may be done already on a fast machine
        assert (early.status, early.json) == (
            404,
            {"detail": "Task result not found. Please wait for a completion status."},
        )
    status = caller.get(f"/v1/status/poll/{path}?wait=50").json
    assert_fits(status, {**TASK, "task_status": "success", "task_position": None})
    results = [caller.get(f"/v1/result/{path}").json for _ in range(2)]
    assert results[0] == results[1]
    assert_fits(results[0], converted("long.pdf", md_content=str))
    assert caller.get("/v1/clear/results?older_then=0").json == {"status": "ok"}
    assert (caller.get(f"/v1/result/{path}").status, caller.get(f"/v1/result/{path}").json) == (
        404,
        {"detail": "Task not found."},
    )


def test_websocket_messages(caller, server, pdf):
    message = {"message": one_of("connection", "update"), "task": TASK, "error": None}
    task = caller.post("/v1/convert/source/async", {"sources": [file("two.pdf", pdf)]}).json["task_id"]
    address = server.url.replace("http", "ws") + "/v1/status/ws/"
    with connect(address + task) as socket:
        messages = [json.loads(one) for one in socket]
    assert socket.close_code == 1000
    assert_fits(messages, [message])
    assert [one["message"] for one in messages][:2] == ["connection", "update"]
    assert messages[-1]["task"]["task_status"] == "success"
    with connect(address + task) as socket:  # after the end
        assert [json.loads(one)["message"] for one in socket] == ["connection", "update"]
    with connect(address + "unknown") as socket:
        assert [json.loads(one) for one in socket] == [{"message": "error", "task": None, "error": "Task not found."}]


@pytest.mark.parametrize("chunker", ["hybrid", "hierarchical"])
def test_chunks_of_two_documents(caller, pdf, chunker):
    sources = [file("two.pdf", pdf), file("doc.md", MARKDOWN)]
    body = {"sources": sources, "chunking_options": {"chunker": chunker, "include_raw_text": True}}
    answer = caller.post(f"/v1/chunk/{chunker}/source", body).json
    entry = {
        "kind": "ExportResult",
        "content": one_of(document("two.pdf"), document("doc.md")),
        "status": "success",
        "errors": [],
        "timings": {},
        "confidence": optional(CONFIDENCE),
    }
    assert_fits(answer, {"chunks": [CHUNK], "documents": [entry], "processing_time": float})
    of_markdown = [chunk for chunk in answer["chunks"] if chunk["filename"] == "doc.md"]
    assert [chunk["chunk_index"] for chunk in of_markdown] == list(range(len(of_markdown)))
    assert of_markdown[0]["page_numbers"] == [] and of_markdown[0]["headings"] == ["Title One"]
    assert of_markdown[0]["text"].startswith("Title One\nSome **bold** text")
    assert all(isinstance(chunk["num_tokens"], int) == (chunker == "hybrid") for chunk in answer["chunks"])


def test_a_form_for_chunks_and_their_zip(caller, pdf):
    fields = [("chunking_max_tokens", "64"), ("include_converted_doc", "true"), ("convert_do_ocr", "false")]
    answer = caller.form("/v1/chunk/hybrid/file", *fields, files={"two.pdf": pdf}).json
    assert_fits(answer["documents"][0]["content"], document("two.pdf", json_content=DOCLING))
    assert all(chunk["num_tokens"] <= 64 for chunk in answer["chunks"])
    packed = caller.form("/v1/chunk/hybrid/file", ("target_type", "zip"), files={"two.pdf": pdf})
    assert packed.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(packed.body)) as archive:
        assert archive.namelist() == ["chunked_result.json"]
        inside = json.loads(archive.read("chunked_result.json"))
    assert_fits(
        inside, {"kind": "ChunkedDocumentResponse", "chunks": [CHUNK], "documents": list, "chunking_info": dict}
    )
    assert len(inside["chunks"]) > 1
    other = caller.form("/v1/chunk/hybrid/file", ("target_type", "presigned_url"), files={"two.pdf": pdf})
    assert (other.status, other.json["detail"]) == (
        422,
        "presigned_url target is not supported for chunk endpoints.",
    )


def test_several_files_and_a_zip_with_chunks(caller, pdf):
    answer = caller.form("/v1/convert/file", files={"two-page.pdf": pdf, "a.md": MARKDOWN.encode()})
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="converted_docs.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert archive.namelist() == ["two-page.md", "a.md"]
    wanted = [("to_formats", "chunks"), ("to_formats", "json"), ("target_type", "zip")]
    with zipfile.ZipFile(io.BytesIO(caller.form("/v1/convert/file", *wanted, files={"two.pdf": pdf}).body)) as archive:
        assert sorted(archive.namelist()) == ["two.chunks.jsonl", "two.json"]
        lines = archive.read("two.chunks.jsonl").decode().splitlines()
    assert_fits([json.loads(line) for line in lines], [CHUNK])


def test_callbacks(caller, pdf):
    received: Queue[Any] = Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return None

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as httpd:
        Thread(target=httpd.serve_forever, daemon=True).start()
        callback = {"url": f"http://127.0.0.1:{httpd.server_port}/done"}
        sources = [file("a.md", MARKDOWN), file("two.pdf", pdf)]
        task = caller.post("/v1/convert/source/async", {"sources": sources, "callbacks": [callback]}).json
        posted = [received.get(timeout=60) for _ in range(5)]
        httpd.shutdown()
    assert {one["task_id"] for one in posted} == {task["task_id"]}
    done = {
        "source": str,
        "status": "success",
        "document_type": one_of("md", "pdf"),
        "num_pages": int,
        "num_characters": int,
        "num_tables": int,
        "num_pictures": int,
        "processing_time": optional(float),
        "doc_hash": str,
        "error": None,
    }
    ended = {"kind": "document_completed", "document": done, "total_processed": int, "total_docs": 2}
    progress = [one["progress"] for one in posted]
    assert_fits(progress[0], {"kind": "set_num_docs", "num_docs": 2})
    assert_fits(progress[1:3], [ended])
    counted = [(one["document"]["document_type"], one["document"]["num_pages"]) for one in progress[1:3]]
    assert counted == [("md", 0), ("pdf", 2)]
    assert_fits(
        progress[3],
        {
            "kind": "update_processed",
            **{"num_processed": 2, "num_succeeded": 2, "num_partially_succeeded": 0, "num_failed": 0},
            "docs": [{"source": str, "status": "success", "error": None}],
        },
    )
    assert_fits(progress[4], {"kind": "task_completed", "task_status": "success", "failure": None})


def test_versions_capabilities_and_probes(caller):
    names = ("docling-serve", "docling-jobkit", "docling", "docling-core", "docling-ibm-models", "docling-parse")
    versions = dict.fromkeys(names, str)
    assert_fits(caller.get("/version").json, AtLeast({**versions, "python": str, "plaform": str}))
    preset = {"id": str, "name": str, "description": optional(str), "source": str}
    stage = {"option": str, "custom_config_option": optional(str), "default": optional(str), "presets": [preset]}
    limits = ("max_document_timeout", "max_images_scale", "max_sources_per_request", "max_num_pages", "max_file_size")
    assert_fits(
        caller.get("/v1/capabilities").json,
        {
            "versions": AtLeast(versions),
            "stages": Each(stage),
            "sources": [str],
            "targets": {"allowed": [str], "default": "inbody"},
            "output_formats": [str],
            "image_export_modes": [str],
            "limits": dict.fromkeys(limits, optional(float)),
            "features": {"api_key_required": False, "artifact_storage": False, "websocket": True},
        },
    )
    for probe in ("/health", "/ready", "/readyz", "/livez", "/api"):
        assert caller.get(probe).json == {"status": "ok"}


SMALL = file("a.md", "x")


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("convert/source", {"options": {}}, [("missing", ["body", "sources"])]),
        ("convert/source", {"sources": []}, [("too_short", ["body", "sources"])]),
        ("convert/source", {"sources": [{"kind": "ftp"}]}, [("union_tag_invalid", ["body", "sources", 0])]),
        ("convert/source", {"sources": [{"url": "http://x"}]}, [("union_tag_not_found", ["body", "sources", 0])]),
        (
            "convert/source",
            {"sources": [SMALL], "options": {"to_formats": ["nope"]}},
            [("enum", ["body", "options", "to_formats", 0])],
        ),
        (
            "convert/source",
            {"sources": [SMALL], "options": {"to_formats": "md"}},
            [("list_type", ["body", "options", "to_formats"])],
        ),
        (
            "convert/source",
            {"sources": [SMALL], "options": {"page_range": [5, 2]}},
            [("value_error", ["body", "options", "page_range"])],
        ),
        (
            "convert/source",
            {"sources": [{"kind": "http", "url": "http://example.com/y.zip"}]},
            [("value_error", ["body", "sources", 0, "http", "url"])],
        ),
        (
            "convert/source/batch",
            {"sources": [SMALL], "target": {"kind": "inbody"}},
            [("union_tag_invalid", ["body", "sources", 0]), ("union_tag_invalid", ["body", "target"])],
        ),
        ("convert/source", {"sources": [SMALL] * 4}, "Too many sources: 4 exceeds the maximum of 3."),
        (
            "convert/source",
            {"sources": [SMALL], "target": {"kind": "presigned_url"}},
            "Presigned URL target requires artifact storage to be configured and enabled on the server. "
            "This server has none: send the target inbody or zip, or a bucket.",
        ),
        (
            "convert/source",
            {"sources": [SMALL], "options": {"images_scale": 5}},
            "images_scale exceeds the configured maximum of 2.0.",
        ),
        (
            "convert/source",
            {"sources": [SMALL], "options": {"document_timeout": 0}},
            "document_timeout must be greater than 0.",
        ),
        (
            "chunk/hybrid/source",
            {"sources": [SMALL], "target": {"kind": "put", "url": "http://example.com/a"}},
            "put target is not supported for chunk endpoints; use inbody or zip.",
        ),
    ],
)
def test_refusals_of_requests(caller, path, body, detail):
    answer = caller.post(f"/v1/{path}", body)
    assert answer.status == 422
    if isinstance(detail, str):
        assert answer.json == {"detail": detail}
    else:
        assert_fits(answer.json, {"detail": [{"type": str, "loc": list, "msg": str}]})
        assert [(one["type"], one["loc"]) for one in answer.json["detail"]] == detail


@pytest.mark.parametrize(
    ("fields", "detail"),
    [
        ([("to_formats", "md,json")], [("enum", ["body", "to_formats", 0])]),
        ([("do_ocr", "maybe")], [("bool_parsing", ["body", "do_ocr"])]),
        ([("picture_description_api", "{bad")], [("json_invalid", ["body", "picture_description_api"])]),
        (
            [("page_range", "[1,2]")],
            [("int_parsing", ["body", "page_range", 0]), ("missing", ["body", "page_range", 1])],
        ),
    ],
)
def test_refusals_of_forms(caller, fields, detail):
    answer = caller.form("/v1/convert/file", *fields, files={"a.md": b"x"})
    assert answer.status == 422
    assert [(one["type"], one["loc"]) for one in answer.json["detail"]] == detail
    assert all(one.keys() == {"type", "loc", "msg"} for one in answer.json["detail"])


def test_a_form_without_files(caller):
    answer = caller.form("/v1/convert/file", ("to_formats", "md"))
    assert (answer.status, answer.json) == (
        422,
        {"detail": [{"type": "missing", "loc": ["body", "files"], "msg": "Field required"}]},
    )


@pytest.mark.parametrize(
    ("source", "options", "status", "error"),
    [
        (file("a.pdf", "not a pdf"), {}, "failure", ("backend_failure", "a.pdf: ")),
        (file("a.xyz", b"\0\1"), {}, "skipped", ("policy", "File format not allowed: a.xyz")),
        (
            file("a.md", "# A"),
            {"from_formats": ["pdf", "docx"]},
            "skipped",
            ("policy", "File format not allowed: a.md"),
        ),
        (
            file("a.pdf", placed([])),
            {"page_range": [20, 30]},
            "failure",
            ("policy", "Document has 1 pages, fewer than the requested page_range start 20."),
        ),
        (
            {"kind": "http", "url": "http://10.0.0.1/a.pdf"},
            {},
            "failure",
            ("source_unavailable", "a.pdf: URL is not allowed: 10.0.0.1 is a private address"),
        ),
    ],
)
def test_documents_that_are_not_converted_are_answers(caller, source, options, status, error):
    answer = caller.post("/v1/convert/source", {"sources": [source], "options": options})
    assert answer.status == 200
    name = source.get("filename", "a.pdf")
    assert_fits(answer.json, refused(name, status))
    (said,) = answer.json["errors"]
    assert said["category"] == error[0] and said["error_message"].startswith(error[1])


@pytest.mark.parametrize("path", ["status/poll/unknown", "result/unknown"])
def test_unknown_tasks(caller, path):
    answer = caller.get(f"/v1/{path}")
    assert (answer.status, answer.json) == (404, {"detail": "Task not found."})
