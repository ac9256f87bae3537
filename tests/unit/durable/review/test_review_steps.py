"""A flow that waits for people: the run survives its process, and goes on with what they decided."""

from __future__ import annotations

import pytest
import yaml

from quire.core.errors import ConfigurationError
from quire.durable.flows.workflow import flow_argument, flow_output
from quire.durable.inline.flow_call import PassingStore
from quire.durable.review.review_queue import ReviewQueue
from quire.durable.review.review_steps import reviewing
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.evidence.review.decisions import Decision
from quire.flow.component_registry import ComponentRegistry
from quire.flow.flow_files import parse_flow
from quire.runtime.local import LocalRuntime
from quire.store.files import FileStore
from tests import documents

FIELDS = ["colour of the lighthouse"]
FLOW = {
    "name": "reviewed",
    "inputs": {"source": {"type": "document"}},
    "steps": [
        {"id": "document", "component": "read", "input": {"source": {"$input": "source"}}},
        {
            "id": "found",
            "component": "extract",
            "input": {"document": {"$step": "document"}},
            "options": {"fields": FIELDS},
        },
        {
            "id": "sure",
            "component": "review",
            "input": {"document": {"$step": "document"}, "extraction": {"$step": "found"}},
            "options": {"fields": FIELDS},
        },
    ],
    "output": {"values": {"$step": "sure", "path": "values"}},
}


def runtime_on(store: FileStore) -> LocalRuntime:
    known = workflows_on(store, workers=1, definitions=True)
    return LocalRuntime(store.database, known, pools=pools_for(1), replay_always=True)


@pytest.mark.processes
def test_a_flow_waits_for_a_review_across_a_restart_and_goes_on_with_its_values(tmp_path, saved):
    flow = parse_flow(yaml.safe_dump(FLOW), "reviewed.yaml", ComponentRegistry())
    argument = flow_argument(flow, {"source": str(saved(documents.simple(1)))})
    with FileStore(tmp_path / "store") as store:
        with runtime_on(store) as runtime:
            run = runtime.submit("flow", argument)
            queue = ReviewQueue(store.database)
            while not (listed := queue.tables.listed("")):
                runtime.wait_ended([run], timeout_s=0.02)
        (review,) = listed
        assert (review.waiting, review.run) == ([run], run)
        (item,) = queue.tables.items(review.id)
        given = Decision("correct", "yellow")
        queue.decide(review, item.path, given, version=0, claim="", reviewer="Ada")
        with runtime_on(store) as runtime:
            assert runtime.status(run).state != "finished"
            queue.report_all(runtime)
            output = flow_output(store, runtime.result(run, timeout_s=60))
            assert output == {"values": {item.path: "yellow"}}
            again = flow_output(store, runtime.result(runtime.submit("flow", argument), timeout_s=60))
            assert again == output, "what was decided is not asked again"


def test_a_store_that_forgets_cannot_be_reviewed():
    with pytest.raises(ConfigurationError, match="--store"):
        reviewing(PassingStore()).end("review-1")
