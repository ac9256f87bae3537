"""Perturbed pages: the blocks of a golden page stay the same when it stands elsewhere, smaller or in another font.

`known_failures.toml` lists the pages where that does not hold today, each with the reason.
"""

from __future__ import annotations

from difflib import unified_diff
from functools import cache

import pytest

from quire.core.pagetext import PageText
from quire.core.types import Block
from quire.pages.assemble import assemble
from quire.pages.layout import page_blocks
from tests.quality.dump import content
from tests.quality.golden import shown, written_families
from tests.quality.known_failures import known_failures, mended
from tests.quality.perturbations import PERTURBATIONS
from tests.quality.reading import texts_of

pytestmark = pytest.mark.slow

LEAST = 30  # pages: no perturbation may quietly apply to nearly none


@cache
def unperturbed(family: str) -> tuple[tuple[PageText, tuple[Block, ...]], ...]:
    return tuple((text, blocks_on(text)) for text in texts_of(family))


def blocks_on(text: PageText) -> tuple[Block, ...]:
    """The blocks of a page as a document of its own."""
    return assemble([page_blocks(text)], ())


def faults(name: str, family: str) -> dict[str, list[str]]:
    """What changes on each page of a family that should not."""
    found = {}
    for text, blocks in unperturbed(family):
        changed = PERTURBATIONS[name](text, blocks)
        if changed is None:
            continue
        kept = [block for block in blocks if name != "without its number" or block.kind != "page_number"]
        before, after = content(kept), content(blocks_on(changed))
        if before != after:
            found[f"{family}-{text.number:02}"] = list(unified_diff(before, after, "before", "after", n=0, lineterm=""))
    return found


@pytest.mark.parametrize("family", written_families())
@pytest.mark.parametrize("name", PERTURBATIONS)
def test_the_blocks_stay_the_same(name: str, family: str) -> None:
    found = faults(name, family)
    known = frozenset(page for page in known_failures().get(name, ()) if page.rpartition("-")[0] == family)
    new = {page: lines for page, lines in found.items() if page not in known}
    told = "\n\n".join(f"{page}, {name}:\n{shown(lines[2:])}" for page, lines in new.items())
    if new:
        pytest.fail(f"the blocks change on {', '.join(new)}\n\n{told}", pytrace=False)
    if gone := known - set(found):
        pytest.fail(mended(name, gone), pytrace=False)


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_each_perturbation_applies_to_many_pages(name: str) -> None:
    pages = [one for family in written_families() for one in unperturbed(family)]
    assert sum(PERTURBATIONS[name](text, blocks) is not None for text, blocks in pages) >= LEAST


def test_a_known_failure_names_a_gate_and_a_page() -> None:
    pages = {f"{family}-{text.number:02}" for family in written_families() for text in texts_of(family)}
    assert set(known_failures()) <= {*PERTURBATIONS, "fidelity"}
    assert all(listed <= pages for gate, listed in known_failures().items() if gate in PERTURBATIONS)
