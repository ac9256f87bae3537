"""Every operation of the OpenAPI text with generated requests: no error of the server, and answers as described."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from tests.service.safety.conftest import guarded

PATIENCE_S = 60
"""Until the server has answered, on a busy machine."""
EXAMPLES = 6
"""Requests per operation and mode: those of all operations take about 20 s."""
ANSWERED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
"""Checks of schemathesis. It is imported by the test: that takes half a second, in each process that collects tests."""
UNAVAILABLE = {501, 503, 504}
"""Not an error of the server: nothing is installed for it, or it is busy."""
QUICKLY = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with guarded(tmp_path_factory.mktemp("schema"), idle=True, max_queued=10, sync_wait_s=0.05) as running:
        yield running


def test_every_operation_survives_what_its_schema_allows_and_forbids(server):
    import schemathesis
    from schemathesis.core.result import Ok

    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json", timeout=PATIENCE_S)
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) > 20
    troubles = [trouble for operation in operations for trouble in troubles_of(operation)]
    assert not troubles, "\n\n".join(dict.fromkeys(troubles))
    assert server.is_alive()


def troubles_of(operation) -> list[str]:
    """What is wrong with answers to requests that the schema allows, and to those that it forbids."""
    import schemathesis
    from schemathesis.core.failures import FailureGroup

    answered = [getattr(schemathesis.checks, name) for name in ANSWERED]
    troubles = []
    for mode in schemathesis.GenerationMode:

        @QUICKLY
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case):
            response = case.call(timeout=PATIENCE_S)
            if response.status_code in UNAVAILABLE:
                return
            try:
                case.validate_response(response, checks=answered)
            except FailureGroup as error:  # all of them are shown in the end
                troubles.append(f"{operation.label}: {error.exceptions[0]}\n{response.text[:300]}")

        try:
            ask()
        except Unsatisfiable:
            continue  # nothing that the schema forbids can be made: it takes no parameters
    return troubles
