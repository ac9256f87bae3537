from __future__ import annotations

import json

import pytest

from quire.core.errors import ConfigurationError, UsageError
from quire.service.settings import VARIABLES, ServiceSettings, load_settings
from tests.docs.pages import ROOT


def settings(environment=None, **given) -> ServiceSettings:
    return load_settings(given, environment=environment or {}).settings


def test_defaults_are_safe():
    found = settings()
    assert (found.host, found.port, found.api_key, found.allow_no_key) == ("127.0.0.1", 5001, "", False)
    assert (found.max_body_bytes, found.max_file_bytes) == (250 * 1024 * 1024, 250 * 1024 * 1024)
    assert (found.tenants, found.private_networks, found.management, found.error_details) == (False, (), False, False)
    assert found.max_pages < 10_000


def test_environment_of_docling_serve_is_read():
    found = settings(
        {
            "UVICORN_HOST": "0.0.0.0",
            "UVICORN_PORT": "8080",
            "UVICORN_WORKERS": "2",
            "DOCLING_SERVE_API_KEY": " secret ",
            "DOCLING_SERVE_ENABLE_UI": "false",
            "DOCLING_SERVE_MAX_SYNC_WAIT": "600",
            "DOCLING_SERVE_SINGLE_USE_RESULTS": "0",
            "DOCLING_SERVE_MAX_IMAGES_SCALE": "4.5",
            "DOCLING_SERVE_ENG_LOC_NUM_WORKERS": "3",
            "DOCLING_SERVE_CORS_ORIGINS": '["https://a.example", "https://b.example"]',
            "DOCLING_SERVE_ALLOWED_OCR_PRESETS": "auto, tesseract",
            "DOCLINGCORE_ALLOWED_PRIVATE_IPS": '["127.0.0.1/32"]',
        }
    )
    assert (found.host, found.port, found.processes, found.api_key) == ("0.0.0.0", 8080, 2, "secret")
    assert (found.ui, found.sync_wait_s, found.single_use_results, found.workers) == (False, 600.0, False, 3)
    assert found.cors_origins == ("https://a.example", "https://b.example")
    assert found.ocr_presets == ("auto", "tesseract")
    assert found.private_networks == ("127.0.0.1/32",)
    assert found.max_images_scale == 4.5


def test_command_line_wins_over_environment_and_that_over_the_file(tmp_path):
    path = tmp_path / "serve.yaml"
    path.write_text("api_key: of the file\nmax_num_pages: 7\nmax_sync_wait: 5\nQUIRE_SERVE_TENANTS: true\n")
    environment = {
        "DOCLING_SERVE_CONFIG_FILE": str(path),
        "DOCLING_SERVE_MAX_NUM_PAGES": "8",
        "DOCLING_SERVE_API_KEY": "of the environment",
    }
    found = settings(environment, api_key="of the command line", port=None)
    assert (found.api_key, found.max_pages, found.sync_wait_s, found.tenants) == ("of the command line", 8, 5.0, True)
    assert found.port == 5001


def test_own_variable_wins_over_that_of_docling_serve():
    found = settings({"QUIRE_SERVE_WORKERS": "1", "DOCLING_SERVE_ENG_LOC_NUM_WORKERS": "9"})
    assert found.workers == 1


def test_settings_without_a_meaning_here_are_listed(tmp_path):
    path = tmp_path / "serve.json"
    path.write_text(json.dumps({"eng_kind": "rq", "share_models": True}))
    environment = {
        "DOCLING_SERVE_CONFIG_FILE": str(path),
        "DOCLING_SERVE_ENG_RQ_REDIS_URL": "redis://:secret@host",
        "DOCLING_NUM_THREADS": "4",
        "UVICORN_RELOAD": "1",
        "PATH": "/bin",
        "DOCLING_DEVICE": "",
    }
    assert load_settings({}, environment=environment).ignored == (
        "DOCLING_NUM_THREADS",
        "DOCLING_SERVE_ENG_KIND",
        "DOCLING_SERVE_ENG_RQ_REDIS_URL",
        "DOCLING_SERVE_SHARE_MODELS",
        "UVICORN_RELOAD",
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("UVICORN_PORT", "many", "UVICORN_PORT is 'many'; it must be a whole number"),
        ("DOCLING_SERVE_ENABLE_UI", "perhaps", "DOCLING_SERVE_ENABLE_UI is 'perhaps'; it must be true or false"),
        ("DOCLING_SERVE_MAX_IMAGES_SCALE", "big", "DOCLING_SERVE_MAX_IMAGES_SCALE is 'big'; it must be a number"),
        ("DOCLING_SERVE_LOG_FORMAT", "xml", "DOCLING_SERVE_LOG_FORMAT is 'xml'; choose from text, json"),
        ("QUIRE_SERVE_MAX_QUEUED", "0", "QUIRE_SERVE_MAX_QUEUED is 0; it must be at least 1"),
        ("QUIRE_SERVE_ALLOWED_PRIVATE_IPS", "here", "'here' is no network: write it like 10.0.0.0/8"),
        (
            "DOCLING_SERVE_CORS_ORIGINS",
            "[broken",
            "DOCLING_SERVE_CORS_ORIGINS is '[broken'; it must be a list of texts",
        ),
    ],
)
def test_wrong_value_is_named(name, text, said):
    with pytest.raises(UsageError) as found:
        settings({name: text})
    assert str(found.value) == said


@pytest.mark.parametrize(
    ("name", "text"), [("a.yaml", "{"), ("a.yaml", "- 1"), ("a.json", "{"), ("a.toml", ""), ("missing.yaml", None)]
)
def test_file_that_cannot_be_used_is_named(tmp_path, name, text):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(ConfigurationError, match=name):
        settings({"DOCLING_SERVE_CONFIG_FILE": str(tmp_path / name)})


def test_secrets_are_not_shown():
    found = settings({"DOCLING_SERVE_API_KEY": "hidden1", "UVICORN_SSL_KEYFILE_PASSWORD": "hidden2"})
    assert "hidden" not in repr(found)


def test_policy_has_the_limits_and_only_what_exists_here():
    found = settings(
        {
            "DOCLING_SERVE_ALLOWED_TARGET_TYPES": "inbody,google_drive",
            "DOCLING_SERVE_MAX_DOCUMENT_TIMEOUT": "60",
            "DOCLING_SERVE_MAX_SOURCES_PER_REQUEST": "9",
        }
    ).policy(tesseract_data=["eng"])
    assert found.targets == {"inbody"}
    assert (found.max_timeout_s, found.timeout_s, found.max_sources) == (60.0, 60.0, 9)
    assert found.tesseract_data == {"eng"}


def test_every_setting_is_documented():
    page = (ROOT / "docs" / "reference" / "docling-serve.md").read_text()
    assert [name for names in VARIABLES.values() for name in names if f"`{name}`" not in page] == []


def test_the_runners_of_solves_are_those_of_the_operator():
    environment = {"QUIRE_SERVE_RUNNERS": "tools,offline"}
    assert load_settings({}, environment=environment).settings.runners == ("tools", "offline")
    assert load_settings({"runners": ("claude",)}, environment=environment).settings.runners == ("claude",)
    assert load_settings({}, environment={}).settings.runners == ()
