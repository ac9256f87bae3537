"""Do something of your own with many files, and none of them twice: `python examples/own_stage.py letters/ words/`.

`run_stage` brings the order, the retries, the time limits and the memory of what is done. Run it again: everything is
skipped. Delete a file that it wrote, or change one that it reads, and that one is done again.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import quire
from quire.batch import ItemOutcome, StageContext, StageHooks, StageOptions, StagePlan, WorkItem, run_stage

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
output = Path(sys.argv[2]) if len(sys.argv) > 2 else Path("words")
LONGEST = 12


def count(item: WorkItem) -> dict[str, int]:
    """Write the words of a document with how often each is there."""
    text = quire.read(item.inputs["document"]).to_text()
    words = Counter(word.lower() for word in text.split() if len(word) <= LONGEST)
    item.outputs["words"].write_text("\n".join(f"{many} {word}" for word, many in words.most_common()))
    return {"words": words.total(), "different": len(words)}


def tell(item: WorkItem, outcome: ItemOutcome, context: StageContext) -> None:
    print(f"{item.item_id}: {outcome.status} {outcome.reason} {dict(outcome.result)}")


output.mkdir(parents=True, exist_ok=True)
plan = StagePlan(
    "count-words",
    [
        WorkItem(
            path.name,
            inputs={"document": path},
            outputs={"words": output / f"{path.stem}.words.txt"},
            cfg_hash=f"longest={LONGEST}",  # whatever changes the output
            cost_hint=path.stat().st_size,
        )
        for path in sorted(folder.glob("*.pdf"))
    ],
)
with quire.FileStore("store") as store:
    outcome = run_stage(plan, count, StageOptions(retries=2, schedule="sjf"), StageHooks(after_item=tell), store=store)
print(f"{outcome.succeeded} done, {outcome.skipped} done before, {outcome.failed} failed")
for error in outcome.errors:
    print(error)
sys.exit(1 if outcome.failed else 0)
