"""From settings to the inputs of a flow: what was asked for is handed on, what is usual stays away."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.cli.batch_settings import Choice, request_of
from quire.core.config import configure
from quire.durable.folders.batch_request import BatchRequest


@pytest.fixture
def asked(tmp_path: Path):
    def ask(
        choice: Choice | None = None, *, environment: dict[str, str] | None = None, **given: object
    ) -> BatchRequest:
        configuration = configure({"output": "out", **given}, environment=environment or {}, folder=tmp_path)
        return request_of(configuration, [Path("in")], choice or Choice())

    return ask


def test_nothing_is_handed_to_the_flow_that_nobody_asked_for(asked):
    assert asked().inputs == {}


def test_what_is_usual_is_not_handed_on_since_it_would_change_the_key(asked):
    assert asked(effort="balanced", ocr="auto", figures=False, engine=[]).inputs == {}


def test_settings_become_inputs_by_the_names_of_the_flow(asked):
    inputs = asked(Choice(pages="1-3"), effort="fast", ocr="always", engine=["echo"], redactions=True).inputs
    assert inputs == {"effort": "fast", "ocr": "always", "engines": ["echo"], "redactions": True, "pages": "1-3"}


def test_languages_are_canonical_so_that_two_names_of_one_are_the_same_request(asked):
    assert asked(lang=["deu"]).inputs == asked(lang=["german"]).inputs == {"lang": ["de"]}


def test_a_flow_without_an_input_gets_it_only_from_the_command_line(asked):
    assert asked(flow="read-fast", environment={"QUIRE_EFFORT": "accurate"}).inputs == {}
    assert asked(flow="read-fast", effort="accurate").inputs == {"effort": "accurate"}, "which the plan refuses"


def test_a_flow_writes_its_own_formats_unless_others_are_asked_for(asked):
    assert asked().formats == ("md",)
    assert asked(flow="tables").formats == ("csv", "xlsx")
    assert asked(flow="tables", to=["csv"]).formats == ("csv",)
    assert asked(flow="tables", environment={"QUIRE_TO": "txt"}).formats == ("txt",)


def test_how_it_runs_is_no_input(asked):
    request = asked(workers=3, retries=5, timeout_s=60, schedule="ljf", policy="io", error_budget=2)
    options = request.options
    assert request.inputs == {}
    assert (options.workers, options.retries, options.per_item_timeout_s) == (3, 5, 60.0)
    assert (options.schedule, options.policy, options.error_budget) == ("ljf", "io", 2)


def test_a_request_holds_no_secret(asked):
    assert "swordfish" not in str(asked(password="swordfish").to_json())
