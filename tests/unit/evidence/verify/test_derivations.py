"""Values that follow from others."""

from __future__ import annotations

from decimal import Decimal

import pytest

from quire.evidence.verify.derivations import derives


@pytest.mark.parametrize(
    ("rule", "parts", "value", "expected"),
    [
        ("sum", ["262.90", "16.94"], "279.84", True),
        ("sum", ["262.90", "16.94"], "279.85", False),
        ("sum", ["1.25", "1.3"], "2.6", True),
        ("sum", ["7"], "7", False),
        ("difference", ["279.84", "16.94"], "262.9", True),
        ("difference", ["16.94", "279.84"], "262.9", False),
        ("product", ["3", "4.15"], "12.45", True),
        ("product", ["3", "4.15"], "12.46", False),
        ("percentage", ["16.94", "112.90"], "15", True),
        ("percentage", ["112.90", "15"], "16.94", True),
        ("percentage", ["1", "0"], "5", False),
        ("unit", ["1234"], "1234000", True),
        ("unit", ["1234"], "1235000", False),
        ("unit", ["2", "2.54"], "5.08", True),
    ],
)
def test_a_derived_value_is_recomputed(rule, parts, value, expected):
    assert derives(rule, [[Decimal(part)] for part in parts], Decimal(value)) is expected


def test_one_reading_of_each_part_is_enough():
    assert derives("sum", [[Decimal("1.234"), Decimal(1234)], [Decimal(6)]], Decimal(1240))
