"""Proposed values in the type of the schema."""

from __future__ import annotations

import pytest

from quire.evidence.extract.schema import LeafSpec
from quire.evidence.extract.schema_fit import Unfit, fitted


@pytest.mark.parametrize("type_", ["string", "number", "integer", "boolean"])
@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), float("-inf"), 10**400], ids=["nan", "inf", "-inf", "huge"]
)
def test_a_number_that_is_none_fits_nowhere(type_, value):
    with pytest.raises(Unfit, match="is no number that a document has"):
        fitted(value, LeafSpec("total", "total", type_))
