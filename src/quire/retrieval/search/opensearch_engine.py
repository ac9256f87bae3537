"""OpenSearch and Elasticsearch: one index of the engine for each version, and an alias for the one that is searched.

Both speak the same protocol but for vectors: `knn_vector` in OpenSearch, `dense_vector` in Elasticsearch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from quire.core.errors import ConfigurationError, StoreError
from quire.net.search_engine import EngineClient, encoded, portions
from quire.retrieval.search.engine_conditions import AnyOf, Between, Condition, Conditions, InOrder
from quire.retrieval.search.engine_fields import RECORD, DocumentRecord, EngineItem, Fields, numbers
from quire.retrieval.search.engine_index import EngineVersion
from quire.retrieval.search.entries import profile_of, profile_text
from quire.retrieval.search.hits import Statistics
from quire.retrieval.search.ranking import K1, B

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OLDEST = {"opensearch": (2, 4), "elasticsearch": (8, 4)}
"""Versions whose search for vectors takes a filter."""
AT_ONCE = 1000
BULK_ITEMS, BULK_BYTES = 500, 4 << 20
TRIES = 6
PASSING = (429, 503)
"""Status codes of items that are sent again."""
CLOSE = 2
"""Vectors that a shard of Elasticsearch looks at for each one that is wanted."""
LONGEST = 8000
"""Characters of a value that can be filtered by."""

_KEYWORD: dict[str, object] = {"type": "keyword"}
_NUMBER: dict[str, object] = {"type": "integer"}
_WORDS = {"type": "text", "analyzer": "whitespace"}
_UNSEARCHED = {"type": "keyword", "index": False, "doc_values": False}
_FIELDS: dict[str, dict[str, object]] = {
    **dict.fromkeys(("tenant", "document", "name", "path", "media_type", "kinds", "statement", "generation"), _KEYWORD),
    **dict.fromkeys(("state", "digest", "current", "writing", "stale", "revision"), _KEYWORD),
    **dict.fromkeys(("position", "first_page", "last_page", "length"), _NUMBER),
    "id": {"type": "long"},
    "modified": {"type": "long"},
    "metadata": {"type": "keyword", "ignore_above": LONGEST},
    "terms": {**_WORDS, "similarity": "quire"},
    "place": {**_WORDS, "norms": False},
    "row": {"type": "object", "enabled": False},
    "near": _UNSEARCHED,
}


class OpenSearchEngine:
    """See `quire.retrieval.search.engine_index.SearchEngine`."""

    def __init__(self, client: EngineClient) -> None:
        """Raises ConfigurationError when the server is another one, or too old."""
        self._client, self._base = client, client.address.name
        about = client.ask("GET", "")
        version = about.get("version") if isinstance(about, dict) else None
        if not isinstance(version, dict) or "number" not in version:
            raise ConfigurationError(f"{self.place} answers, but not like OpenSearch or Elasticsearch")
        self._is_opensearch = version.get("distribution") == "opensearch"
        kind = "opensearch" if self._is_opensearch else "elasticsearch"
        if tuple(int(part) for part in str(version["number"]).split(".")[:2]) < OLDEST[kind]:
            needed = ".".join(map(str, OLDEST[kind]))
            raise ConfigurationError(f"{self.place} is {kind} {version['number']}; Quire needs {needed} or later")

    @property
    def place(self) -> str:
        return str(self._client.address)

    def versions(self) -> list[EngineVersion]:
        answer = self._client.ask("GET", f"{self._base}-*.v")
        found = []
        for described in answer.values():
            about = described["mappings"].get("_meta", {})
            if about.get("index") == self._base:
                current = self._base in described["aliases"]
                profile = profile_of(about["profile"])
                found.append(EngineVersion(about["name"], about["number"], profile, about["maker"], is_current=current))
        return found

    def create(self, version: EngineVersion) -> bool:
        """Raises ConfigurationError when it has vectors and the server does not take them."""
        about = {"index": self._base, "name": version.name, "number": version.number, "maker": version.maker}
        fields = dict(_FIELDS)
        settings: dict[str, object] = {"similarity": {"quire": {"type": "BM25", "k1": K1, "b": B}}}
        if dimension := version.profile.dimension:
            fields["vector"] = self._vector_field(dimension)
            settings |= {"knn": True} if self._is_opensearch else {}
        body = {
            "settings": {"index": settings},
            "mappings": {
                "_meta": {**about, "profile": profile_text(version.profile)},
                "dynamic": False,
                "properties": fields,
            },
            "aliases": {self._at(version.name): {}, **({self._base: {}} if version.is_current else {})},
        }
        try:
            made = self._client.ask("PUT", self._index(version.name), body)
        except StoreError as error:
            if "resource_already_exists" in str(error):
                return any(one.maker == version.maker for one in self.versions())  # else the answer was lost
            if "knn" in str(error) or "dense_vector" in str(error) or "dimension" in str(error):
                raise ConfigurationError(
                    f"{error}; the server does not take vectors of {dimension} dimensions: install its k-NN plugin, "
                    "or index words alone with --embedder none"
                ) from None
            raise
        return bool(made)

    def switch(self, version: str) -> None:
        remove = {"remove": {"index": f"{self._base}-*.v", "alias": self._base, "must_exist": False}}
        self._client.ask(
            "POST", "_aliases", {"actions": [remove, {"add": {"index": self._index(version), "alias": self._base}}]}
        )

    def drop(self, version: str) -> None:
        self._client.ask("DELETE", self._index(version), expected=[404])

    def write(self, version: str, items: Sequence[EngineItem]) -> None:
        """Items that the server has no room for now are sent again, without the others."""
        lines = [encoded({"index": {"_id": str(item.id)}}) + b"\n" + encoded(_document(item)) + b"\n" for item in items]
        for some in portions(lines, most=BULK_ITEMS, size=BULK_BYTES):
            self._bulk(version, some)

    def settle(self, version: str) -> None:
        self._client.ask("POST", f"{self._at(version)}/_refresh")

    def erase(self, version: str, generations: Sequence[str]) -> None:
        self.settle(version)  # what was not refreshed yet would not be found
        self._client.ask(
            "POST",
            f"{self._at(version)}/_delete_by_query?refresh=true&conflicts=proceed",
            {"query": {"terms": {"generation": [*generations]}}},
        )

    def record(self, version: str, id: int) -> tuple[DocumentRecord, object] | None:
        [found] = self._found(version, [id], RECORD)
        if not found.get("found"):
            return None
        return DocumentRecord.of(found["_source"]), (found["_seq_no"], found["_primary_term"])

    def swap(self, version: str, record: DocumentRecord, token: object | None) -> bool:
        path = f"{self._at(version)}/_create/{record.id}?require_alias=true"
        if isinstance(token, tuple):
            number, term = token
            path = f"{self._at(version)}/_doc/{record.id}?require_alias=true&if_seq_no={number}&if_primary_term={term}"
        made = self._client.ask("PUT", path, {"id": record.id, **record.to_fields()}, expected=[409])
        return made is not None

    def forget(self, version: str, record: DocumentRecord, token: object) -> None:
        assert isinstance(token, tuple)
        number, term = token
        path = f"{self._at(version)}/_doc/{record.id}?if_seq_no={number}&if_primary_term={term}"
        self._client.ask("DELETE", path, expected=[404, 409])

    def get(self, version: str, ids: Sequence[int], fields: Sequence[str]) -> dict[int, Fields]:
        found = self._found(version, ids, fields)
        return {int(one["_id"]): one["_source"] for one in found if one.get("found")}

    def find(self, version: str, conditions: Conditions, fields: Sequence[str]) -> Iterator[tuple[int, Fields]]:
        after: list[object] | None = None
        while True:
            body: dict[str, object] = {
                "size": AT_ONCE,
                "query": _written(conditions),
                "_source": [*fields],
                "sort": [{"id": "asc"}],
            }
            hits = self._searched(version, body | ({"search_after": after} if after else {}))["hits"]["hits"]
            yield from ((int(hit["_id"]), hit["_source"]) for hit in hits)
            if len(hits) < AT_ONCE:
                return
            after = hits[-1]["sort"]

    def count(self, version: str, conditions: Conditions | None) -> int:
        query = {"exists": {"field": "generation"}} if conditions is None else _written(conditions)
        return int(self._client.ask("POST", f"{self._at(version)}/_count", {"query": query})["count"])

    def statistics(self, version: str, terms: Sequence[str], tenant: str) -> Statistics:
        sums: dict[str, object] = {"length": {"sum": {"field": "length"}}}
        if terms:
            each = {str(number): {"term": {"terms": term}} for number, term in enumerate(terms)}
            sums["terms"] = {"filters": {"filters": each}}
        chunks = {"bool": {"filter": [{"exists": {"field": "generation"}}, _condition(AnyOf("tenant", [tenant]))]}}
        answer = self._searched(version, {"size": 0, "track_total_hits": True, "query": chunks, "aggs": sums})
        count = int(answer["hits"]["total"]["value"])
        found = answer["aggregations"]
        times = {term: found["terms"]["buckets"][str(number)]["doc_count"] for number, term in enumerate(terms)}
        mean = found["length"]["value"] / count if count else 0.0
        return Statistics(count, mean, {term: number for term, number in times.items() if number})

    def lexical(self, version: str, terms: Sequence[str], conditions: Conditions, most: int) -> list[int]:
        any_term = {
            "bool": {"should": [{"term": {"terms": term}} for term in terms], "minimum_should_match": 1},
        }
        query = {"bool": {"must": [any_term], "filter": [_written(conditions)]}}
        return self._ids(version, {"size": most, "query": query, "sort": ["_score", {"id": "asc"}]})

    def dense(self, version: str, vector: NDArray[np.float32], conditions: Conditions, most: int) -> list[int]:
        near, condition = numbers(vector), _written(conditions)
        if self._is_opensearch:
            query = {"knn": {"vector": {"vector": near, "k": most, "filter": condition}}}
            return self._ids(version, {"size": most, "query": query})
        knn = {"field": "vector", "query_vector": near, "k": most, "num_candidates": CLOSE * most, "filter": condition}
        return self._ids(version, {"size": most, "knn": knn})

    def _bulk(self, version: str, lines: list[bytes]) -> None:
        path, wait_s = f"{self._at(version)}/_bulk?require_alias=true", 0.1
        for attempt in range(TRIES):
            answer = self._client.ask("POST", path, b"".join(lines))
            outcomes = [next(iter(item.values())) for item in answer["items"]]
            refused = [one for one in outcomes if one["status"] not in PASSING and one["status"] >= 300]
            if refused:
                raise StoreError(
                    f"{self.place}: of {len(lines)} chunks, {len(refused)} were refused: {_reason(refused[0])}"
                )
            lines = [line for line, one in zip(lines, outcomes, strict=True) if one["status"] in PASSING]
            if not lines:
                return
            if attempt < TRIES - 1:
                time.sleep(wait_s * 2**attempt)
        raise StoreError(
            f"{self.place}: of a bulk of chunks, {len(lines)} were refused {TRIES} times: the server is overloaded; "
            "index again later"
        )

    def _found(self, version: str, ids: Sequence[int], fields: Sequence[str]) -> list[Any]:
        if not ids:
            return []
        path = f"{self._at(version)}/_mget?_source_includes={','.join(fields)}"
        found: list[Any] = self._client.ask("POST", path, {"ids": [str(id) for id in ids]})["docs"]
        for one in found:
            if "error" in one:
                raise StoreError(f"{self.place}: {_reason(one)}; if its version was dropped, run `quire index` again")
        return found

    def _ids(self, version: str, body: dict[str, object]) -> list[int]:
        return [int(hit["_id"]) for hit in self._searched(version, {"_source": False, **body})["hits"]["hits"]]

    def _searched(self, version: str, body: object) -> Any:
        answer = self._client.ask("POST", f"{self._at(version)}/_search?search_type=dfs_query_then_fetch", body)
        if answer["timed_out"] or answer["_shards"]["failed"]:
            raise StoreError(f"{self.place}: the search is not complete: {json.dumps(answer['_shards'])[:200]}")
        return answer

    def _vector_field(self, dimension: int) -> dict[str, object]:
        if not self._is_opensearch:
            return {"type": "dense_vector", "dims": dimension, "index": True, "similarity": "cosine"}
        method = {"name": "hnsw", "space_type": "cosinesimil", "engine": "lucene"}
        return {"type": "knn_vector", "dimension": dimension, "method": method}

    def _index(self, version: str) -> str:
        return f"{self._base}-{version}.v"

    def _at(self, version: str) -> str:
        """The alias by which a version is written: so that nothing makes an index of that name by writing to it."""
        return f"{self._base}-{version}"


def _document(item: EngineItem) -> Fields:
    vector = {} if item.vector is None else {"vector": numbers(item.vector)}
    return {"id": item.id, **item.fields, **vector}


def _written(conditions: Conditions) -> dict[str, object]:
    return {"bool": {"filter": [*map(_condition, conditions.every)], "must_not": [*map(_condition, conditions.none)]}}


def _condition(condition: Condition) -> dict[str, object]:
    match condition:
        case AnyOf(field, values):
            return {"terms": {field: [*values]}}
        case InOrder(field, words):
            return {"match_phrase": {field: words}}
        case Between(field, least, most):
            bounds = {"gte": least, "lte": most}
            return {"range": {field: {name: bound for name, bound in bounds.items() if bound is not None}}}
        case _:
            either = [{"bool": {"filter": [*map(_condition, group)]}} for group in condition.groups]
            return {"bool": {"should": either, "minimum_should_match": 1}}


def _reason(outcome: Fields) -> str:
    error = outcome.get("error", {})
    return str(error.get("reason", error))[:300] if isinstance(error, dict) else str(error)[:300]
