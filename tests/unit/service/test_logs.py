"""The log: one line per record, with the fields of the request, and nothing that breaks out of its line."""

from __future__ import annotations

import json
import logging

import pytest

from quire.core.errors import UsageError
from quire.service.logs import FIELDS, JsonLines, TextLines, configure_logs, fields_of, log_request
from quire.service.settings import ServiceSettings


@pytest.fixture
def logging_as_before():
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = before


def record(**fields):
    made = logging.LogRecord("quire.service", logging.INFO, "f", 1, "GET %s 200", ("/health",), None)
    setattr(made, FIELDS, fields)
    return made


def test_a_line_of_text_has_the_fields(logging_as_before):
    line = TextLines().format(record(method="GET", status=200, ms=0.4, Job="7"))
    assert line.endswith("Z INFO quire.service: GET /health 200 ms=0.4 Job=7")


def test_a_line_of_json_is_an_object():
    line = json.loads(JsonLines().format(record(status=200, trace="abc")))
    assert line | {"level": "INFO", "message": "GET /health 200", "status": 200, "trace": "abc"} == line


def test_headers_with_the_prefix_become_fields():
    headers = [(b"x-docling-log-job-id", b"7\r\n2026 ERROR forged"), (b"x-api-key", b"secret"), (b"host", b"h")]
    assert fields_of(headers, b"x-docling-log-") == {"job_id": "7??2026 ERROR forged"}


@pytest.mark.parametrize("format", ["text", "json"])
def test_requests_are_logged_at_the_level_info(format, logging_as_before, capsys):
    for level, lines in (("info", 1), ("WARNING", 0)):
        configure_logs(ServiceSettings(log_level=level, log_format=format))
        log_request("GET", "/v1/result/1", 404, 1.25, {"job": "7"})
        assert len(capsys.readouterr().err.splitlines()) == lines


def test_an_unknown_level_is_refused():
    with pytest.raises(UsageError, match="there is no log level 'LOUD'; choose from DEBUG"):
        ServiceSettings(log_level="LOUD")
