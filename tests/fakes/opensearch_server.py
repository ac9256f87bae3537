"""OpenSearch as far as Quire speaks to it, in memory and strict: it refuses what it does not know.

As there, what was written is found by its id at once, and by searches after a refresh. What it answers was compared
with OpenSearch 2.19.
"""

from __future__ import annotations

import fnmatch
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.engine_server import EngineRequest, EngineServer, RefusedRequest, engine_server, only

Doc = dict[str, Any]


@dataclass
class FakeIndex:
    """An index of the engine. `docs` are found by their ids, `seen` by searches."""

    mappings: dict[str, Any]
    aliases: set[str]
    docs: dict[str, tuple[int, Doc]] = field(default_factory=dict)
    seen: dict[str, Doc] = field(default_factory=dict)
    sequence: int = 0

    def write(self, id: str, doc: Doc) -> None:
        fields = self.mappings["properties"]
        vector = doc.get("vector")
        if vector is not None and len(vector) not in map(fields["vector"].get, ("dimension", "dims")):
            raise error(400, "mapper_parsing_exception", "Vector dimension mismatch")
        self.sequence += 1
        self.docs[id] = self.sequence, doc

    def refresh(self) -> None:
        self.seen = {id: doc for id, (_, doc) in self.docs.items()}


def error(status: int, kind: str, reason: str) -> RefusedRequest:
    cause = {"type": kind, "reason": reason}
    return RefusedRequest(status, {"error": {"root_cause": [cause], **cause}, "status": status})


class FakeOpenSearch:
    """Its indexes by name."""

    def __init__(self, *, distribution: str = "opensearch", number: str = "2.19.1") -> None:
        self.is_elasticsearch = not distribution
        self.version = {"number": number} | ({"distribution": distribution} if distribution else {})
        self.indexes: dict[str, FakeIndex] = {}
        self.refuses: Callable[[Doc], int | None] = lambda _: None
        """The status with which an item of a bulk is refused, if any."""

    def answer(self, request: EngineRequest) -> object:
        match request.method, request.path:
            case "GET", []:
                return {"version": self.version}
            case "GET", [pattern]:
                return {
                    name: {"aliases": {alias: {} for alias in index.aliases}, "mappings": index.mappings}
                    for name, index in self.indexes.items()
                    if fnmatch.fnmatchcase(name, pattern)
                }
            case "PUT", [name]:
                return self._create(name, request.json)
            case "DELETE", [name]:
                if self.indexes.pop(name, None) is None:
                    raise error(404, "index_not_found_exception", f"no such index [{name}]")
                return {"acknowledged": True}
            case "POST", ["_aliases"]:
                return self._alias(request.json)
            case "PUT", [name, ("_create" | "_doc") as how, id]:
                return self._put(self._at(name, request), how, id, request)
            case "DELETE", [name, "_doc", id]:
                return self._delete(self._at(name, request), id, request)
            case "POST", [name, action]:
                return getattr(self, f"do{action}")(self._at(name, request), request)
        raise error(400, "illegal_argument_exception", f"no handler found for {request}")

    def do_refresh(self, index: FakeIndex, _: EngineRequest) -> object:
        index.refresh()
        return {"_shards": {"failed": 0}}

    def do_bulk(self, index: FakeIndex, request: EngineRequest) -> object:
        assert request.body.endswith(b"\n")
        lines = [json.loads(line) for line in request.body.splitlines()]
        items = []
        for action, doc in zip(lines[::2], lines[1::2], strict=True):
            id = only(only(action, "index")["index"], "_id")["_id"]
            try:
                if status := self.refuses(doc):
                    raise error(status, "rejected_execution_exception", "rejected execution")
                index.write(id, doc)
                items.append({"index": {"_id": id, "status": 201}})
            except RefusedRequest as refused:
                items.append({"index": {"_id": id, "status": refused.status, **refused.body}})
        return {"errors": any(item["index"]["status"] > 299 for item in items), "items": items}

    def do_delete_by_query(self, index: FakeIndex, request: EngineRequest) -> object:
        gone = [id for id, doc in index.seen.items() if matches(index, only(request.json, "query")["query"], doc)]
        for id in gone:
            index.docs.pop(id, None)
        if request.options.get("refresh") == "true":
            index.refresh()
        return {"deleted": len(gone), "failures": []}

    def do_mget(self, index: FakeIndex, request: EngineRequest) -> object:
        fields = request.options["_source_includes"].split(",")
        return {"docs": [self._got(index, id, fields) for id in only(request.json, "ids")["ids"]]}

    def do_count(self, index: FakeIndex, request: EngineRequest) -> object:
        query = only(request.json, "query")["query"]
        return {"count": sum(matches(index, query, doc) for doc in index.seen.values())}

    def do_search(self, index: FakeIndex, request: EngineRequest) -> object:
        body = only(request.json, "size", "query", "_source", "sort", "search_after", "aggs", "track_total_hits", "knn")
        query = body.get("query", {})
        if wanted := self._nearest(body):
            found = {
                id: sum(one * other for one, other in zip(wanted["vector"], doc["vector"], strict=True))
                for id, doc in index.seen.items()
                if "vector" in doc and matches(index, wanted["filter"], doc)
            }
        else:
            passing = {id: doc for id, doc in index.seen.items() if matches(index, query, doc)}
            found = scores(index, query, passing)
        by_id = body.get("sort") == [{"id": "asc"}]
        order = sorted(found, key=lambda id: (0 if by_id else -found[id], index.seen[id]["id"]))
        if after := body.get("search_after"):
            order = [id for id in order if index.seen[id]["id"] > after[0]]
        best = [(id, index.seen[id]) for id in order[: body["size"]]]
        hits = [{"_id": id, "_source": picked(doc, body.get("_source")), "sort": [doc["id"]]} for id, doc in best]
        answer: dict[str, Any] = {"timed_out": False, "_shards": {"failed": 0}}
        answer["hits"] = {"total": {"value": len(found), "relation": "eq"}, "hits": hits}
        if aggs := body.get("aggs"):
            answer["aggregations"] = self._summed(index, aggs, [index.seen[id] for id in found])
        return answer

    def _nearest(self, body: Doc) -> Doc | None:
        """What is asked for vectors, which the two engines write differently."""
        if self.is_elasticsearch and "knn" in body:
            asked = only(body["knn"], "field", "query_vector", "k", "num_candidates", "filter")
            assert asked["k"] <= asked["num_candidates"] <= 10_000
            return {"vector": asked["query_vector"], "filter": asked["filter"]}
        asked = body.get("query", {}).get("knn")
        if asked is None:
            return None
        assert not self.is_elasticsearch
        return only(only(asked, "vector")["vector"], "vector", "k", "filter")

    def _summed(self, index: FakeIndex, aggs: Doc, docs: list[Doc]) -> Doc:
        only(aggs, "length", "terms")
        found: Doc = {"length": {"value": float(sum(doc[aggs["length"]["sum"]["field"]] for doc in docs))}}
        if "terms" in aggs:
            each = aggs["terms"]["filters"]["filters"]
            buckets = {name: {"doc_count": sum(matches(index, one, doc) for doc in docs)} for name, one in each.items()}
            found["terms"] = {"buckets": buckets}
        return found

    def _create(self, name: str, body: Doc) -> object:
        only(body, "settings", "mappings", "aliases")
        if name in self.indexes:
            raise error(400, "resource_already_exists_exception", f"index [{name}] already exists")
        vector = body["mappings"]["properties"].get("vector")
        kind, knn = ("dense_vector", None) if self.is_elasticsearch else ("knn_vector", True)
        if vector is not None and (vector["type"] != kind or body["settings"]["index"].get("knn") is not knn):
            raise error(400, "mapper_parsing_exception", f"No handler for type [{vector['type']}]")
        self.indexes[name] = FakeIndex(body["mappings"], {*body["aliases"]})
        return {"acknowledged": True}

    def _alias(self, body: Doc) -> object:
        for action in only(body, "actions")["actions"]:
            [(what, said)] = only(action, "add", "remove").items()
            for name, index in self.indexes.items():
                if fnmatch.fnmatchcase(name, said["index"]):
                    (index.aliases.add if what == "add" else index.aliases.discard)(said["alias"])
        return {"acknowledged": True}

    def _put(self, index: FakeIndex, how: str, id: str, request: EngineRequest) -> object:
        present = index.docs.get(id)
        asked = request.options.get("if_seq_no")
        if (how == "_create" and present) or (how == "_doc" and (not present or str(present[0]) != asked)):
            raise error(409, "version_conflict_engine_exception", f"[{id}]: version conflict")
        index.write(id, request.json)
        return {"_id": id, "result": "updated" if present else "created"}

    def _delete(self, index: FakeIndex, id: str, request: EngineRequest) -> object:
        present = index.docs.get(id)
        if present is None or str(present[0]) != request.options["if_seq_no"]:
            raise error(409, "version_conflict_engine_exception", f"[{id}]: version conflict")
        del index.docs[id]
        return {"result": "deleted"}

    def _got(self, index: FakeIndex, id: str, fields: list[str]) -> Doc:
        if id not in index.docs:
            return {"_id": id, "found": False}
        number, doc = index.docs[id]
        return {"_id": id, "found": True, "_seq_no": number, "_primary_term": 1, "_source": picked(doc, fields)}

    def _at(self, name: str, request: EngineRequest) -> FakeIndex:
        """By an alias, and for writing by nothing else."""
        found = [index for index in self.indexes.values() if name in index.aliases]
        writes = request.method == "PUT" or request.path[-1] == "_bulk"
        assert not writes or request.options.get("require_alias") == "true", "this would make an index"
        if not found:
            raise error(404, "index_not_found_exception", f"no such index [{name}]")
        return found[0]


def picked(doc: Doc, fields: list[str] | bool | None) -> Doc | None:
    return {name: doc[name] for name in fields if name in doc} if isinstance(fields, list) else None


def matches(index: FakeIndex, query: Doc, doc: Doc) -> bool:
    [(kind, said)] = query.items()
    if kind == "bool":
        only(said, "filter", "must", "must_not", "should", "minimum_should_match")
        if any(not matches(index, one, doc) for one in [*said.get("filter", ()), *said.get("must", ())]):
            return False
        if any(matches(index, one, doc) for one in said.get("must_not", ())):
            return False
        return "should" not in said or any(matches(index, one, doc) for one in said["should"])
    if kind == "exists":
        return only(said, "field")["field"] in doc
    [(name, wanted)] = said.items()
    described = index.mappings["properties"][name]  # a query for an unmapped field finds nothing there: a mistake here
    value = doc.get(name)
    if kind == "match_phrase":
        assert described["type"] == "text"
        return value is not None and f" {' '.join(wanted.split())} " in f" {' '.join(value.split())} "
    if value is None:
        return False
    values = value.split() if described["type"] == "text" else value if isinstance(value, list) else [value]
    if kind == "range":
        only(wanted, "gte", "lte")
        return wanted.get("gte", values[0]) <= values[0] <= wanted.get("lte", values[0])
    assert kind in ("term", "terms"), f"unknown query [{kind}]"
    return any(one in values for one in (wanted if kind == "terms" else [wanted]))


def scores(index: FakeIndex, query: Doc, passing: dict[str, Doc]) -> dict[str, float]:
    """BM25 of the terms of a query."""
    texts = [doc["terms"].split() for doc in index.seen.values() if "terms" in doc]
    mean = sum(map(len, texts)) / max(len(texts), 1) or 1.0
    found = dict.fromkeys(passing, 0.0)
    for term in _terms_of(query):
        holding = sum(term in text for text in texts)
        rarity = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for id, doc in passing.items():
            words = doc["terms"].split()
            if times := words.count(term):
                found[id] += rarity * times * 2.5 / (times + 1.5 * (0.25 + 0.75 * len(words) / mean))
    return found


def _terms_of(query: Any) -> Iterator[str]:
    if isinstance(query, dict):
        if "term" in query:
            yield query["term"]["terms"]
        for value in query.values():
            yield from _terms_of(value)
    elif isinstance(query, list):
        for value in query:
            yield from _terms_of(value)


@contextmanager
def opensearch_server(engine: FakeOpenSearch | None = None) -> Iterator[EngineServer]:
    with engine_server((engine or FakeOpenSearch()).answer) as server:
        yield server
