"""Judges readings with the metrics of `../shared/score`: run by the interpreter of `.venv-bench`, see `scoring`.

    python judge.py SCORE CORPUS

Requests: `items` of a set, `score` of one item, `summary` of many scores.
"""

from __future__ import annotations

import copy
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from harness.sets import EMPTY, SETS
from metrics import tables
from systems.quire import _html as html_of  # these two, so that a reading is scored exactly as the command line's
from systems.quire import _pages as pages_of

ROOT = Path(sys.argv[2])
ITEMS: dict[str, dict[str, object]] = {}


def answer(request):
    chosen = SETS[request["set"]]
    match request["op"]:
        case "items":
            if not chosen.at_exists(ROOT):
                return {"items": []}
            ITEMS[chosen.name] = {item.id: item for item in chosen.items(ROOT)}
            found = ITEMS[chosen.name].values()
            return {"items": [{"id": i.id, "path": str(i.path), "lang": i.lang, "pages": i.pages or 1} for i in found]}
        case "score":
            item, reading = ITEMS[chosen.name][request["id"]], _reading(request)
            if request.get("whole"):
                item, reading = copy.copy(item), reading | {"text": _whole(reading["text"]), "pages": []}
                item.truth = _whole(item.truth)
            row = chosen.score(item, reading)
            return {"scores": _relations(item, reading) | row if chosen.name == "tables-images" else row}
        case "summary":
            # A picture of one table is judged like a document with tables; the harness itself has TEDS alone.
            summary = SETS["tables-icdar2013"].summary if chosen.name == "tables-images" else chosen.summary
            return {"metrics": summary(request["rows"])}


def _reading(request):
    if request.get("tables") is not None:
        return EMPTY | {"tables": [{"html": html_of(table), "page": table["page"]} for table in request["tables"]]}
    if not request.get("tree"):
        return EMPTY
    pages, found = pages_of(request["tree"])
    listed = [{"number": p.number, "text": p.text, "words": [w.__dict__ for w in p.words]} for p in pages]
    text = "\n".join(p.text for p in pages)
    return {
        "markdown": request["markdown"],
        "text": text,
        "pages": listed,
        "tables": [{"html": t.html, "page": t.page} for t in found],
        "page_count": len(pages),
    }


def _whole(text):
    """A text whose words are not divided at the ends of lines."""
    return re.sub(r"(?<=\w)[-⸗¬=\u00ad\u2010]\s*\n\s*(?=[^\W\d_])", "", text)


def _relations(item, reading):
    """Adjacent cells of a picture of one table, as `tables-icdar2013` counts them."""
    truth = tables.grid_of_html(re.sub(r"</?(?:b|i|sup|sub)>", "", item.truth))
    return tables.compare_tables([(None, truth)], [(None, tables.grid_of_html(t["html"])) for t in reading["tables"]])


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line)), default=float), flush=True)
