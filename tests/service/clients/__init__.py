"""Clients that people use with docling-serve, from the package index and unchanged, against a running `quire serve`.

`scripts/clients.sh` and `scripts/maven.sh` fetch them. Each runs in its own environment and process: a program in
`programs/` (or `java/`) waits for calls, makes them with the client as its documentation says, and returns what came
out. All tests here share the servers, so they run in one process.
"""

import pytest

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("clients")]
