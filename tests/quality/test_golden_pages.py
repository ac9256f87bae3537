"""Golden pages: a change of the layout shows here what it does to 250 pages, and no score falls below its floor."""

from __future__ import annotations

import pytest

from tests.quality.golden import (
    ALL,
    WRITE,
    below,
    clearly_above,
    difference,
    floors,
    scores_of,
    shown,
    written_families,
)
from tests.quality.reading import SCANS
from tests.quality.truth import PAGES, families

LEAST = floors()


@pytest.mark.parametrize("family", written_families())
def test_the_blocks_are_those_that_are_committed(family: str) -> None:
    changed = difference(family)
    if changed:
        wanted = f"If they should: {WRITE}, and say in the commit why."
        pytest.fail(f"the blocks of {family} have changed. {wanted}\n{shown(changed)}", pytrace=False)


@pytest.mark.parametrize("family", [*written_families(), ALL])
def test_no_score_is_below_its_floor(family: str) -> None:
    scores = scores_of(*(written_families() if family == ALL else (family,)))
    fallen = below(scores, LEAST[family])
    if fallen:
        pytest.fail(f"{family}: {'; '.join(fallen)}", pytrace=False)
    if risen := clearly_above(scores, LEAST[family]):
        pytest.fail(f"the floors of {family} can be raised with {WRITE}: {'; '.join(risen)}", pytrace=False)


@pytest.mark.processes
def test_no_score_of_the_scans_is_below_its_floor() -> None:
    fallen = below(scores_of(SCANS), LEAST[SCANS])
    if fallen:
        pytest.fail("; ".join(fallen), pytrace=False)


def test_every_family_has_its_truth_its_blocks_and_its_floors() -> None:
    assert set(LEAST) == {*families(), ALL}
    assert {path.name.partition(".")[0] for path in PAGES.glob("*.blocks.txt")} == set(written_families())
    assert {path.name.partition(".")[0] for path in PAGES.glob("*.truth.jsonl")} == set(families())
