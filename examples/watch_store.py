"""Read the documents of a folder, and read none of them twice: `python examples/watch_store.py letters/ store/`.

Run it again: the second time every page is a hit. A document that cannot be read does not stop the others.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import quire

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
store = Path(sys.argv[2]) if len(sys.argv) > 2 else Path("store")

for path in sorted(folder.glob("*.pdf")):
    told: Counter[str] = Counter()

    def tell(event: quire.Event, told: Counter[str] = told) -> None:
        if event.stage == "page-blocks":
            told[event.kind] += 1

    try:
        result = quire.read(path, store=store, on_event=tell)
    except quire.InputError as error:
        print(error)
        continue
    print(f"{path.name}: {result.status}, {told['finished']} pages read, {told['hit']} found")
