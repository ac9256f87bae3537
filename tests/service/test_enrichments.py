"""Options that ask for a vision model: they are done where there is one, and cost no document where there is none."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from threading import Thread

import pytest
from reportlab.lib.utils import ImageReader

from tests import documents
from tests.fakes.vision_server import FakeVision, hangs, refuses, says, vision_server
from tests.service.safety.conftest import Guarded, guarded
from tests.service.safety.test_outbound import dump

pytestmark = pytest.mark.processes

PICTURE = documents.picture()
EVERY_PICTURE = {"picture_description_area_threshold": 0}


@pytest.fixture(scope="module")
def blind(tmp_path_factory) -> Iterator[Guarded]:
    """A server without a vision model."""
    with guarded(tmp_path_factory.mktemp("blind")) as running:
        yield running


@pytest.fixture
def seeing(tmp_path, monkeypatch) -> Iterator[tuple[Guarded, FakeVision]]:
    """A server with a vision model, two tenants, and requests that may name another model on this machine."""
    with vision_server(says("A yellow customs house.")) as vision:
        monkeypatch.setenv("QUIRE_VISION_URL", vision.url)
        monkeypatch.setenv("QUIRE_VISION_MODEL", "harbour-vision")
        settings = {"remote_models": True, "private_networks": ("127.0.0.1/32",), "tenants": True}
        with guarded(tmp_path, **settings) as running:
            yield running, vision


def converted(server: Guarded, name: str, data: bytes, headers=None, **options):
    answer = server.convert(name, data, headers, options={"to_formats": ["md", "json", "html"], **options})
    assert answer.status == 200, answer.body
    return answer.json


def test_without_a_model_the_document_is_converted_and_what_was_left_out_is_said(blind):
    """The whole document was refused, though a client had only left a box ticked."""
    names = ("do_picture_description", "do_picture_classification", "do_chart_extraction", "do_code_enrichment")
    answer = converted(blind, "a.pdf", PICTURE, **dict.fromkeys(names, True), **EVERY_PICTURE)
    assert answer["status"] == "partial_success" and "customs house" in answer["document"]["md_content"]
    said = {error["error_message"] for error in answer["errors"]}
    assert {error["component_type"] for error in answer["errors"]} == {"model"}
    assert {error["category"] for error in answer["errors"]} == {"policy"}
    assert "a.pdf: do_picture_description was left out for 1 of 1 pictures: no vision model is configured on this " in (
        "".join(sorted(said))
    )
    assert not any("do_code_enrichment" in one for one in said), "there is no code in it"


def test_a_document_without_pictures_lacks_nothing(blind):
    answer = converted(blind, "a.pdf", documents.simple(), do_picture_description=True)
    assert (answer["status"], answer["errors"]) == ("success", [])


def test_pictures_are_described_where_docling_puts_that(seeing):
    server, vision = seeing
    answer = converted(server, "a.pdf", PICTURE, do_picture_description=True, **EVERY_PICTURE)
    assert (answer["status"], answer["errors"]) == ("success", [])
    (picture,) = answer["document"]["json_content"]["pictures"]
    described = picture["meta"]["description"]
    assert (described["text"], described["created_by"]) == ("A yellow customs house.", "harbour-vision")
    assert picture["annotations"][0]["text"] == "A yellow customs house."
    assert "A yellow customs house." in answer["document"]["md_content"]
    assert "A yellow customs house." in answer["document"]["html_content"]
    (request,) = vision.requests
    assert request.prompt == "Describe this image in a few sentences."
    assert request.picture.startswith("data:image/png;base64,") and request.body["model"] == "harbour-vision"


def test_the_same_picture_is_asked_about_once_by_two_at_a_time_and_again_by_another_tenant(seeing):
    server, vision = seeing
    options = {"do_picture_description": True, **EVERY_PICTURE}
    answers: list[dict] = []
    callers = [
        Thread(target=lambda name=name: answers.append(converted(server, name, PICTURE, **options)))
        for name in ("a.pdf", "b.pdf")
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(120)
    assert [answer["status"] for answer in answers] == ["success"] * 2 and len(vision.requests) == 1
    other = converted(server, "a.pdf", PICTURE, {"X-Tenant-Id": "harbour"}, **options)
    assert "customs house" in other["document"]["md_content"] and len(vision.requests) == 2


def test_classes_charts_and_languages_of_code(seeing):
    server, vision = seeing
    vision.behaviours[:] = [says("**Bar chart**"), says("```csv\nyear,tons\n2024,12\n2025,15\n```")]
    answer = converted(server, "a.pdf", PICTURE, do_picture_classification=True, do_chart_extraction=True)
    (picture,) = answer["document"]["json_content"]["pictures"]
    (prediction,) = picture["meta"]["classification"]["predictions"]
    assert prediction == {"class_name": "bar_chart", "confidence": None, "created_by": "harbour-vision"}
    assert [cell["text"] for cell in picture["meta"]["tabular_chart"]["chart_data"]["table_cells"]] == [
        *("year", "tons", "2024", "12", "2025", "15")
    ]
    assert "|   2024 |     12 |" in answer["document"]["md_content"]
    vision.behaviours[:] = [says("python")]
    answer = converted(server, "b.pdf", documents.code_listing(), do_code_enrichment=True)
    codes = [text for text in answer["document"]["json_content"]["texts"] if text["label"] == "code"]
    assert codes and {code["code_language"] for code in codes} == {"Python"}
    assert isinstance(vision.requests[-1].body["messages"][0]["content"], str)


def test_a_model_that_fails_costs_the_description_alone_and_is_asked_again_next_time(seeing):
    server, vision = seeing
    vision.behaviours[:] = [refuses(400, "out of memory"), says("A yellow customs house.")]
    options = {"do_picture_description": True, **EVERY_PICTURE}
    first = converted(server, "a.pdf", PICTURE, **options)
    assert first["status"] == "partial_success" and "customs house, painted" in first["document"]["md_content"]
    (error,) = first["errors"]
    assert (error["component_type"], error["category"]) == ("model", "inference_failure")
    assert "out of memory" in error["error_message"]
    assert converted(server, "a.pdf", PICTURE, **options)["status"] == "success"


def test_a_request_may_name_a_model_where_the_server_allows_it(seeing):
    server, vision = seeing
    api = {
        "url": f"{vision.url}/chat/completions?sign=s3cret-query",
        "headers": {"Authorization": "Bearer s3cret-key", "Host": "elsewhere.test"},
        "params": {"model": "theirs", "seed": 7},
        "prompt": "What is it?",
    }
    options = {"do_picture_description": True, "picture_description_api": api, **EVERY_PICTURE}
    answer = converted(server, "a.pdf", PICTURE, **options)
    (picture,) = answer["document"]["json_content"]["pictures"]
    assert picture["meta"]["description"]["created_by"] == "theirs"
    (request,) = vision.requests
    assert (request.prompt, request.body["seed"], request.body["model"]) == ("What is it?", 7, "theirs")
    assert request.headers["Authorization"] == "Bearer s3cret-key" and request.headers["Host"] != "elsewhere.test"
    assert "s3cret" not in dump(server.folder)


def test_a_model_that_hangs_is_asked_once_and_not_for_every_picture(seeing):
    """Sixteen pictures at two minutes each would hold a step of the server for half an hour."""
    server, vision = seeing
    vision.behaviours[:] = [hangs]

    def draw(canvas):
        for side, height in ((100, 500), (180, 200)):
            canvas.drawImage(ImageReader(documents.scan()), 180, height, 200, side)
            canvas.drawString(72, height - 40, "The harbour has two piers, and boats come and go.")

    api = {"url": f"{vision.url}/chat/completions", "params": {"model": "theirs"}, "timeout": 2}
    options = {"do_picture_description": True, "picture_description_api": api, **EVERY_PICTURE}
    answer = converted(server, "a.pdf", documents.drawn(draw), **options)
    assert answer["status"] == "partial_success" and len(vision.requests) == 1
    said = answer["errors"][0]["error_message"]
    assert "left out for 2 of 2 pictures: " in said and said.endswith("no complete answer in time")


def test_a_model_inside_the_network_is_not_asked(seeing):
    server, vision = seeing
    api = {"url": vision.url.replace("127.0.0.1", "127.0.0.2"), "params": {"model": "theirs"}}
    options = {"do_picture_description": True, "picture_description_api": api, **EVERY_PICTURE}
    answer = converted(server, "a.pdf", PICTURE, **options)
    assert answer["status"] == "partial_success" and not vision.requests
    assert "URL is not allowed: 127.0.0.2 is a private address" in answer["errors"][0]["error_message"]


def test_a_model_of_a_request_is_not_asked_without_the_setting(blind):
    api = {"url": "http://127.0.0.1:9/v1/chat/completions"}
    answer = converted(
        blind, "a.pdf", PICTURE, do_picture_description=True, picture_description_api=api, **EVERY_PICTURE
    )
    (error,) = answer["errors"]
    assert error["category"] == "policy" and "DOCLING_SERVE_ENABLE_REMOTE_SERVICES" in error["error_message"]


def test_a_strict_server_refuses(tmp_path):
    with guarded(tmp_path, idle=True, strict_enrichments=True) as server:
        answer = server.convert("a.pdf", PICTURE, options={"do_picture_description": True})
    assert answer.status == 422 and answer.detail.startswith("do_picture_description is not available: no model")


def test_descriptions_are_in_chunks_as_well(seeing):
    server, _ = seeing
    sources = [{"kind": "file", "base64_string": base64.b64encode(PICTURE).decode(), "filename": "a.pdf"}]
    options = {"do_picture_description": True, **EVERY_PICTURE}
    body = {"sources": sources, "convert_options": options, "include_converted_doc": True}
    answer = server.ask("POST", "/v1/chunk/hierarchical/source", body).json
    assert "A yellow customs house." in json.dumps(answer["documents"][0]["content"]["json_content"])
    assert any("A yellow customs house." in chunk["text"] for chunk in answer["chunks"])
