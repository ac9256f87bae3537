"""Leaves of nested schemas and figures of annual reports, without a language model and, where one is set, with it.

`extract-json`: quarterly reports, credit agreements, papers, CVs and result tables, each with a nested schema and the
values that people wrote for it. A leaf is right as the schema says: numbers by value, texts exactly or when their
sorted words agree to 80 %; the items of a list are paired by how much of them agrees. `finance-qa`: questions about
annual reports whose answer has a figure. Each is a field, described by the question alone; it is right when it is one
of the figures of the answer, at any scale, to half a percent. The default extractor was tuned on every second document
of `extract-json` by name.

`marked` is the share of the returned values that stand at their place, or are said not to. `QUIRE_LLM_URL` and
`QUIRE_LLM_MODEL` name a language model, which is asked with `fallback` for what is not found without it: for the leaves
in no list, of schemas with at most 60 leaves, and about the 2,500 characters of a document that say most about them.
More is not for a small model without a graphics card. What the default extractor gets of the same leaves is beside it.
`QUIRE_STORE` may name a store in which the documents were read before, and in which the answers are recorded.
"""

from __future__ import annotations

import json
import os
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpus import CORPUS
from benchmarks.extraction import HALVES, read_catalog
from benchmarks.report import LeftOut, Options, Report, Table
from quire.core.errors import EngineError
from quire.evidence.extract.combinators import fallback
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.extractor import Extractor
from quire.evidence.extract.language_model import LanguageModelExtractor
from quire.evidence.extract.language_model.recorded_calls import answered_by
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.values import Extraction
from quire.lexicon.amounts import number_readings
from quire.net.language_model import MODEL, URL, LanguageModel
from quire.reading.model_answers import RecordedAnswers

SIMILAR = 0.8
TOLERANCE = 1e-3
MOST_LEAVES = 60
PART_CHARACTERS, MOST_PARTS = 2500, 1
"""What a small model sees of a document."""
QUICK = 3
_FIGURE = re.compile(
    r"(?<![\w.,])(?:\$ ?\d[\d,]*(?:\.\d+)?|\d[\d,]*\.\d+|\d+(?=%|\s+(?:million|billion|bn|percent)))(?!\w)"
)
"""An amount, a number with decimals or a percentage: other numbers of an answer are years, and counts of things."""
SCALES = (1.0, 1e3, 1e6, 1e9)


class JsonDocument(NamedTuple):
    """A document with its schema and the values that people wrote for it."""

    path: Path
    schema: Mapping[str, Any]
    gold: Any
    half: str


class Question(NamedTuple):
    """A question about a document, with the figures of its answer."""

    path: Path
    text: str
    figures: frozenset[float]


def run(options: Options) -> Report:
    report = Report("Leaves of nested schemas and figures of reports")
    documents = json_documents()[:: QUICK if options.quick else 1]
    questions = finance_questions()[:: QUICK if options.quick else 1]
    single = [_without_lists(one) for one in documents if len(ExtractSchema.of(one.schema).leaves) <= MOST_LEAVES]
    offline = OfflineExtractor()
    leaves = list(_leaves("offline", offline, documents, report))
    few = list(_leaves("offline", offline, single, report))
    figures = [_figures("offline", offline, questions, report)]
    if model := LanguageModel.of(os.environ):
        asked = LanguageModelExtractor(replace(model, max_concurrency=1), PART_CHARACTERS, MOST_PARTS)
        way, both = f"fallback to {model.model}", fallback(offline, asked)
        with _recorded(model):
            few += _leaves(way, both, single, report)
            figures.append(_figures(way, both, questions, report))
    else:
        report.notes.append(f"Nothing was asked of a language model: {URL} and {MODEL} are not set.")
    counted = ["documents", "leaves", "returned", "right", "precision", "recall", "F1"]
    columns = ["kind", "way", *counted, "at its place", "marked", "ms per page"]
    report.tables = [
        Table(columns, leaves, "Leaves of extract-json"),
        Table(columns, few, "Leaves in no list"),
        Table(["way", "questions", "returned", "right", "at its place", "marked"], figures, "Figures of finance-qa"),
    ]
    return report


@contextmanager
def _recorded(model: LanguageModel) -> Iterator[None]:
    """Answers are recorded in the store that is named, if there is one."""
    if "QUIRE_STORE" not in os.environ:
        yield
        return
    with answered_by(RecordedAnswers(os.environ["QUIRE_STORE"]), model):
        yield


def json_documents() -> list[JsonDocument]:
    """The documents of `extract-json` in order of their names."""
    folder = CORPUS / "extract-json"
    if not folder.exists():
        raise LeftOut("there is no ../shared/corpus/extract-json beside the repository")
    found = []
    for number, path in enumerate(sorted(folder.glob("*/*.gold.json"))):
        schema = json.loads((path.parent / "schema.json").read_text())
        pdf = path.with_name(path.name.replace(".gold.json", ".pdf"))
        gold = json.loads(path.read_text())
        found.append(JsonDocument(pdf, schema.get("schema_definition", schema), gold, HALVES[number % 2]))
    return found


def _without_lists(document: JsonDocument) -> JsonDocument:
    schema = _plain_schema(document.schema)
    return document._replace(schema=schema, gold=_plain_values(schema, document.gold))


def _plain_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    kept = {name: one for name, one in schema.get("properties", {}).items() if not _is_list(one)}
    inner = {name: _plain_schema(one) if "properties" in one else one for name, one in kept.items()}
    return {**schema, "properties": {name: one for name, one in inner.items() if one.get("properties", True)}}


def _is_list(schema: Mapping[str, Any]) -> bool:
    return any("items" in one or one.get("type") == "array" for one in (schema, *schema.get("anyOf", ())))


def _plain_values(schema: Mapping[str, Any], gold: Any) -> Any:
    if not isinstance(gold, dict):
        return gold
    return {name: _plain_values(one, gold[name]) for name, one in schema["properties"].items() if name in gold}


def finance_questions() -> list[Question]:
    """The questions of `finance-qa` whose answer has a figure."""
    folder = CORPUS / "finance-qa"
    if not folder.exists():
        raise LeftOut("there is no ../shared/corpus/finance-qa beside the repository")
    found = []
    for line in (folder / "truth.jsonl").read_text().splitlines():
        truth = json.loads(line)
        if figures := frozenset(_figures_in(truth["answer"])):
            found.append(Question(folder / truth["file"], truth["question"], figures))
    return sorted(found)


def _figures_in(answer: str) -> Iterator[float]:
    for text in _FIGURE.findall(answer):
        yield from (abs(float(number)) for number in number_readings(text))


def _leaves(
    way: str, extractor: Extractor, documents: Sequence[JsonDocument], report: Report
) -> Iterator[list[object]]:
    counts: dict[str, Counter[str]] = {}
    for document in documents:
        schema = ExtractSchema.of(document.schema)
        catalog = read_catalog(document.path)
        begin = time.process_time()
        try:
            found = extract(catalog, schema, [extractor])
        except EngineError as error:
            report.notes.append(f"{document.path.name}, {way}: {error}")
            continue
        report.notes += [f"{document.path.name}, {way}: {one.reason}" for one in found.failures]
        count = compared(document.schema, document.gold, found.values) + _statuses(found)
        count += Counter(documents=1, pages=len(catalog.pages), microseconds=int(1e6 * (time.process_time() - begin)))
        for name in (document.path.parent.name, document.half, "all"):
            counts.setdefault(name, Counter()).update(count)
    order = [name for name in counts if name not in (*HALVES, "all")]
    for name in (*order, *HALVES, "all"):
        count = counts.get(name, Counter())
        expected, returned, right = count["expected"], count["returned"], count["right"]
        rates = right / max(returned, 1), right / max(expected, 1), 2 * right / max(expected + returned, 1)
        speed = count["microseconds"] / 1000 / max(count["pages"], 1)
        yield [name, way, count["documents"], expected, returned, right, *rates, *_shares(count), speed]


def _figures(way: str, extractor: Extractor, questions: Sequence[Question], report: Report) -> list[object]:
    count: Counter[str] = Counter()
    for question in questions:
        leaf = {"type": "number", "description": question.text}
        schema = ExtractSchema.of({"type": "object", "properties": {"figure": leaf}})
        try:
            found = extract(read_catalog(question.path), schema, [extractor])
        except EngineError as error:
            report.notes.append(f"{question.path.name}, {way}: {error}")
            continue
        value = found.values["figure"]
        right = isinstance(value, (int, float)) and any(_is_close(value, figure) for figure in question.figures)
        count += _statuses(found) + Counter(right=int(right), returned=int(value is not None))
    return [way, len(questions), count["returned"], count["right"], *_shares(count)]


def _is_close(value: float, figure: float) -> bool:
    scaled = [abs(value) * up / down for up in SCALES for down in SCALES if 1 in (up, down)]
    return any(abs(one - figure) <= 0.005 * figure for one in scaled)


def _statuses(found: Extraction) -> Counter[str]:
    present = [one for one in found.evidence.values() if one.status != "not_found"]
    marked = sum(one.supported or (one.status in ("unverified", "conflict") and bool(one.reason)) for one in present)
    return Counter(values=len(present), found=sum(one.supported for one in present), marked=marked)


def _shares(count: Mapping[str, int]) -> list[object]:
    values = count["values"]
    return [count["found"] / values if values else None, count["marked"] / values if values else None]


def compared(schema: Mapping[str, Any], truth: Any, value: Any) -> Counter[str]:
    """Counts of leaves: expected, returned and right."""
    schema = _option(schema, truth)
    if isinstance(truth, dict):
        value = value if isinstance(value, dict) else {}
        properties = schema.get("properties", {})
        total: Counter[str] = Counter()
        for key in truth.keys() | value.keys():
            total += compared(properties.get(key, {}), truth.get(key), value.get(key))
        return total
    if isinstance(truth, list):
        return _compared_lists(schema.get("items", {}), truth, list(value) if isinstance(value, list) else [])
    right = truth is not None and _is_right(_rule(schema), truth, value)
    return Counter(expected=int(truth is not None), returned=_counted(value), right=int(right))


def _compared_lists(items: Mapping[str, Any], truth: Sequence[Any], left: list[Any]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in truth:
        scored = [(compared(items, one, other)["right"], -at) for at, other in enumerate(left)]
        score, at = max(scored, default=(0, 0))
        total += compared(items, one, left.pop(-at) if score else None)
    return total + Counter(returned=_counted(left))


def right_paths(schema: Mapping[str, Any], truth: Any, value: Any, path: str = "") -> Iterator[str]:
    """The paths of the values that `compared` counts as right."""
    schema = _option(schema, truth)
    if isinstance(truth, dict):
        for key in truth.keys() & (value.keys() if isinstance(value, dict) else set()):
            below = f"{path}.{key}" if path else key
            yield from right_paths(schema.get("properties", {}).get(key, {}), truth[key], value[key], below)
    elif isinstance(truth, list):
        left = dict(enumerate(value)) if isinstance(value, list) else {}
        items = schema.get("items", {})
        for one in truth:
            scored = [(compared(items, one, other)["right"], -at) for at, other in left.items()]
            score, at = max(scored, default=(0, 0))
            if score:
                yield from right_paths(items, one, left.pop(-at), f"{path}[{-at}]")
    elif truth is not None and _is_right(_rule(schema), truth, value):
        yield path


def _option(schema: Mapping[str, Any], truth: Any) -> Mapping[str, Any]:
    kind = {list: "array", dict: "object", type(None): "null"}.get(type(truth))
    for option in schema.get("anyOf", ()):
        given = option.get("type")
        if given == kind or (kind is None and given not in ("array", "object", "null")):
            return {**{key: one for key, one in schema.items() if key == "evaluation_config"}, **option}
    return schema


def _rule(schema: Mapping[str, Any]) -> str:
    config = schema.get("evaluation_config")
    if isinstance(config, dict):
        config = config["metrics"][0]["metric_id"]
    known = {"integer": "integer_exact", "number": "number_tolerance", "boolean": "boolean_exact"}
    return str(config or known.get(str(schema.get("type")), "string_fuzzy"))


def _is_right(rule: str, truth: Any, value: Any) -> bool:
    if value is None or isinstance(value, (dict, list)):
        return False
    one, other = _plain(truth), _plain(value)
    if rule.startswith(("integer", "number")):
        try:
            wanted = float(truth)
            return abs(wanted - float(other.replace(",", ""))) <= TOLERANCE * max(1.0, abs(wanted))
        except ValueError:
            return one == other
    if rule == "string_exact":
        return one == other
    if rule in ("string_case_insensitive", "boolean_exact"):
        return one.casefold() == other.casefold()
    return _alike(_sorted_words(one), _sorted_words(other)) >= SIMILAR


def _alike(one: str, other: str) -> float:
    """Twice the longest common subsequence over both lengths."""
    if not one and not other:
        return 1.0
    places: dict[str, int] = {}
    for at, letter in enumerate(one):
        places[letter] = places.get(letter, 0) | 1 << at
    everything = (1 << len(one)) - 1
    row = everything
    for letter in other:
        matched = row & places.get(letter, 0)
        row = (row + matched | row - matched) & everything
    return 2 * (len(one) - row.bit_count()) / (len(one) + len(other))


def _sorted_words(text: str) -> str:
    return " ".join(sorted(re.sub(r"[\W_]+", " ", text).upper().split()))


def _plain(value: Any) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", str(value))).strip()


def _counted(value: Any) -> int:
    if isinstance(value, (dict, list)):
        return sum(map(_counted, value.values() if isinstance(value, dict) else value))
    return int(value is not None)
