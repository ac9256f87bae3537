"""A real language model solves a task over the same wire: badly, but in the form that is asked for."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from quire.core.runner import Budget, RunnerFailed
from quire.evidence.extract.schema import asked_schema
from quire.net.language_model import LanguageModel
from quire.net.model_server import ModelServer
from quire.solving.answers import ClaimedAnswer, verified_answer
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.runners.tool_loop import ToolRunner
from tests import bills
from tests.fakes.runner_work import FakeWork, brief_of, catalog_of
from tests.servers.small_model import CONTEXT, small_model

pytestmark = [pytest.mark.servers, pytest.mark.slow, pytest.mark.processes]

SCHEMA = {"type": "object", "properties": {"total": {"type": "number", "description": "Total of the invoice"}}}


def test_a_small_model_answers_over_the_wire_and_every_value_is_checked():
    joined = JoinedCatalog([catalog_of(bills.bill(), "bill.pdf")])
    with small_model() as url:
        runner = ToolRunner(LanguageModel(ModelServer(url), "smollm2"), context_tokens=CONTEXT)
        work = FakeWork(runner, brief_of(joined, SCHEMA), joined, budget=Budget(turns=6))
        work.answers = [lambda body: runner.model.post(json.dumps(body).encode())]
        try:
            output = runner.run(work)
        except RunnerFailed as error:
            assert error.failure == "invalid_output"
            assert error.usage.turns == len(work.sent)
            files = work.tools.output()
        else:
            files = output.files
            assert output.usage.turns == len(work.sent)
    assert work.told[0].payload["input_tokens"] > 100
    schema = asked_schema(SCHEMA, ())
    answer = verified_answer(ClaimedAnswer.of(files, "tools"), schema, joined, "tools", "1")
    assert answer["total"].status in ("found", "repaired", "unverified", "not_found")
    again = FakeWork(runner, work.brief, joined, budget=work.budget, recorded=work.recorded)
    with suppress(RunnerFailed):
        again.runner.run(again)
    assert (again.sent, again.asked) == (work.sent, 0)
