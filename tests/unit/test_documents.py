"""The builders of test documents give the same bytes every time."""

from __future__ import annotations

import pytest

from tests import documents

BUILDERS = [
    documents.simple,
    documents.two_columns,
    documents.ruled_table,
    documents.spanning_table,
    documents.encrypted,
    documents.form_fields,
    documents.links_and_outline,
    documents.tagged,
    documents.scan_like,
    documents.right_to_left,
]


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
def test_the_same_call_gives_the_same_bytes(build):
    assert build() == build()
