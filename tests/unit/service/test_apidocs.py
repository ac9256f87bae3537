"""The OpenAPI text has every route, with the names of docling-serve's own; the page about it needs no other server."""

from __future__ import annotations

import json
import re

import pytest
from starlette.routing import Route

from quire.durable.worker_workflows import workflows_on
from quire.runtime.local import LocalRuntime
from quire.service.apidocs import PAGES, POLICY, docs_page
from quire.service.app import create_app
from quire.service.service import Service
from quire.service.settings import ServiceSettings
from quire.store.files import FileStore

pytestmark = pytest.mark.processes  # Tesseract is asked for its data

UNLISTED = {"/metrics", "/openapi.json", *PAGES}


@pytest.fixture
def made(tmp_path):
    """Makes applications over a store."""
    with FileStore(tmp_path) as store, LocalRuntime(store.database, workflows_on(store, workers=1)) as runtime:
        yield lambda **settings: create_app(Service(ServiceSettings(**settings), store, runtime))


def paths_of(app) -> set[str]:
    plain = {route.path for route in app.routes if isinstance(route, Route)}
    return plain - UNLISTED


def test_every_route_is_described(made):
    app = made(ui=False)
    text = app.openapi()
    assert paths_of(app) <= set(text["paths"])
    assert {"/api/runs", "/api/documents/{id}/pages/{number}/crop", "/health", "/v1/capabilities"} <= set(text["paths"])


def test_names_are_those_that_generated_clients_have(made):
    text = made().openapi()
    convert = text["paths"]["/v1/convert/file"]["post"]
    assert convert["operationId"] == "process_file_v1_convert_file_post"
    assert convert["security"] == [{"APIKeyAuth": []}]
    assert "security" not in text["paths"]["/health"]["get"]
    names = {"ConvertSourcesRequest", "ConvertDocumentsOptions", "TaskStatusResponse", "HybridChunkerOptions"}
    assert names | {"ConvertDocumentResponse", "S3SourceRequest", "CallbackSpec"} <= set(text["components"]["schemas"])
    form = text["components"]["schemas"]["Body_process_file_v1_convert_file_post"]["properties"]
    assert form["to_formats"]["type"] == "array"
    assert form["picture_description_api"]["contentMediaType"] == "application/json"
    chunked = "Body_Chunk_files_with_HybridChunker_v1_chunk_hybrid_file_post"
    assert {"convert_do_ocr", "chunking_max_tokens", "files"} <= set(
        text["components"]["schemas"][chunked]["properties"]
    )


def test_every_reference_leads_somewhere(made):
    text = made().openapi()
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(text)))
    assert named and named <= set(text["components"]["schemas"])
    assert "$defs" not in json.dumps(text)


def test_the_page_has_no_script_and_asks_no_other_server(made):
    page = docs_page(made().openapi())
    assert "/v1/convert/source" in page and "/api/runs/{run}/events" in page
    assert "<script" not in page and "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page
    assert POLICY.startswith("default-src 'none'; style-src 'sha256-")


def test_the_text_and_its_pages_can_be_switched_off(made):
    there = {route.path for route in made().routes if isinstance(route, Route)}
    gone = {route.path for route in made(api_docs=False).routes if isinstance(route, Route)}
    assert {"/openapi.json", *PAGES} <= there
    assert not {"/openapi.json", *PAGES} & gone


def test_what_is_always_refused_is_not_offered(made):
    """Google Drive and presigned URLs were in the text, and refused for want of a setting that does not exist."""
    text = json.dumps(made().openapi())
    assert "s3" in text and "google_drive" not in text and "presigned_url" not in text
