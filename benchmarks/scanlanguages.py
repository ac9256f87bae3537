"""Errors of characters and words on scans by language, beside plain Tesseract with the same language in the same run.

The sets hold handwriting and old prints (`scans-htr`) and other scripts (`scans-scripts`).
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

import quire
from benchmarks import tessdata
from benchmarks.report import LeftOut, Options, Report, Table
from benchmarks.scoring import Item, Judge, Row
from quire.core.errors import QuireError
from quire.pages.recognize.languages import resolve

SETS = ("scans-htr", "scans-scripts")
QUICK_ITEMS = 1  # of a language
SECONDS = 180.0  # for a page
MEASURES = ("cer", "wer", "bag_f1")
WHOLE = ("cer_whole", "wer_whole")
"""With words joined that are divided at the end of a line: Quire joins them, Tesseract and the truth do not."""


@dataclass(frozen=True)
class Pair:
    """The scores of one page: ours and plain Tesseract's."""

    id: str
    language: str
    ours: Row
    plain: Row


def run(options: Options) -> Report:
    tessdata.use()
    report = Report("Scans by language")
    with Judge() as judge:
        for name in SETS:
            try:
                pairs, missing = _pairs(judge, name, QUICK_ITEMS if options.quick else None)
            except LeftOut as reason:
                report.notes.append(f"{name}: left out. {reason}.")
                continue
            report.tables.append(_table(name, pairs))
            report.data[name] = [vars_of(pair) for pair in pairs]
            if missing:
                report.notes.append(f"{name}: no data for {', '.join(sorted(missing))}; `--setup` fetches it.")
    report.notes.append(
        "Plain Tesseract: `tesseract FILE - -l LANGUAGE` on the picture as it is. Both get the language, and the same "
        "traineddata. Where only handwriting is in the truth, error rates are above 1, since more was read than that "
        "is there. `whole`: words divided at the end of a line are joined in the truth and in both readings."
    )
    return report


def vars_of(pair: Pair) -> dict[str, object]:
    return {"id": pair.id, "language": pair.language, "quire": pair.ours, "tesseract": pair.plain}


def _pairs(judge: Judge, name: str, limit: int | None) -> tuple[list[Pair], set[str]]:
    seen: dict[str, int] = {}
    found, missing = [], set()
    for item in judge.items(name):
        seen[item.lang] = seen.get(item.lang, 0) + 1
        if limit is not None and seen[item.lang] > limit:
            continue
        data = resolve(item.lang).installed(tessdata.available())
        if data is None:
            missing.add(item.lang)
            continue
        ours, plain = (_scores(judge, name, item, *reading) for reading in (_ours(item), _plain(item, data)))
        found.append(Pair(item.id, item.lang, ours, plain))
    return found, missing


def _scores(judge: Judge, name: str, item: Item, tree: dict[str, object], markdown: str) -> Row:
    whole = judge.score(name, item, tree, markdown, whole=True)
    return judge.score(name, item, tree, markdown) | {"cer_whole": whole["cer"], "wer_whole": whole["wer"]}


def _ours(item: Item) -> tuple[dict[str, object], str]:
    try:
        return _tree("\n".join(block.text for block in quire.read(item.path, lang=[item.lang]).blocks))
    except QuireError:
        return _tree("")


def _plain(item: Item, data: str) -> tuple[dict[str, object], str]:
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as folder:
        picture = Path(folder, "page.png")
        with Image.open(item.path) as shown:
            shown.convert("RGB").save(picture, compress_level=1)
        command = ["tesseract", picture, "-", "-l", data]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return _tree("")
    return _tree(done.stdout)


def _tree(text: str) -> tuple[dict[str, object], str]:
    """A reading with this text, as the judge takes it."""
    block = {"page": 1, "kind": "paragraph", "text": text}
    return {"document": {"pages": [{"number": 1}]}, "blocks": [block]}, text


def _table(name: str, pairs: Sequence[Pair]) -> Table:
    rows = []
    for language in dict.fromkeys(pair.language for pair in pairs):
        mine = [pair for pair in pairs if pair.language == language]
        ours, plain = _means([pair.ours for pair in mine]), _means([pair.plain for pair in mine])
        both = [value for measure in (*MEASURES, *WHOLE) for value in (ours[measure], plain[measure])]
        ahead = ["yes" if ours[measure] < plain[measure] else "no" for measure in ("cer", "cer_whole")]
        rows.append([language, len(mine), *both, *ahead])
    heads = [f"{measure}, {system}" for measure in (*MEASURES, *WHOLE) for system in ("Quire", "Tesseract")]
    return Table(["language", "n", *heads, "ahead", "ahead, whole words"], rows, title=name)


def _means(rows: Sequence[Row]) -> Row:
    return {measure: sum(row[measure] for row in rows) / len(rows) for measure in (*MEASURES, *WHOLE)}
