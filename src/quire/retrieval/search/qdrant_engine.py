"""Qdrant: one collection for each version, and an alias for the one that is searched.

Words are a sparse vector, which Qdrant weighs by how rare they are, and a text field for phrases.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

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

OLDEST = (1, 16)
"""Writes of a point only if it is as it was, and searches for phrases."""
AT_ONCE = 1000
BATCH_ITEMS, BATCH_BYTES = 500, 8 << 20
MEAN_LENGTH = 120
"""Terms of a chunk, for the weights of its words: the mean is not known when it is written."""
MOST_LENGTHS = 100_000

_TEXT = {"type": "text", "tokenizer": "whitespace", "lowercase": False, "phrase_matching": True}
_INDEXED: dict[str, object] = {
    **dict.fromkeys(("tenant", "document", "name", "path", "kinds", "statement", "generation", "state"), "keyword"),
    "metadata": "keyword",
    **dict.fromkeys(("position", "first_page", "last_page", "length", "modified"), "integer"),
    "terms": _TEXT,
    "place": _TEXT,
}


class QdrantEngine:
    """See `quire.retrieval.search.engine_index.SearchEngine`."""

    def __init__(self, client: EngineClient) -> None:
        """Raises ConfigurationError when the server is another one, or too old."""
        self._client, self._base = client, client.address.name
        about = client.ask("GET", "")
        if not isinstance(about, dict) or "qdrant" not in str(about.get("title")):
            raise ConfigurationError(f"{self.place} answers, but not like Qdrant")
        version = str(about.get("version"))
        if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
            needed = ".".join(map(str, OLDEST))
            raise ConfigurationError(f"{self.place} is Qdrant {version}; Quire needs {needed} or later")

    @property
    def place(self) -> str:
        return str(self._client.address)

    def versions(self) -> list[EngineVersion]:
        current = self._current()
        found = []
        for one in self._ask("GET", "collections")["collections"]:
            if one["name"].startswith(f"{self._base}-") and (version := self._version(one["name"], current)):
                found.append(version)
        return found

    def create(self, version: EngineVersion) -> bool:
        """Two that make the same version at a time both complete it; it counts when it is complete."""
        collection = self._at(version.name)
        vectors = {"dense": {"size": version.profile.dimension, "distance": "Cosine"}}
        body = {
            "vectors": vectors if version.profile.dimension else {},
            "sparse_vectors": {"words": {"modifier": "idf"}},
        }
        made = self._ask("PUT", collection, body, expected=[409])
        if made is None and self._version(self._name(version.name), None) is not None:
            return False
        for field, schema in _INDEXED.items():
            self._ask("PUT", f"{collection}/index?wait=true", {"field_name": field, "field_schema": schema})
        about = {"index": self._base, "name": version.name, "number": version.number, "maker": version.maker}
        self._ask("PATCH", collection, {"metadata": {**about, "profile": profile_text(version.profile)}})
        if version.is_current and self._current() is None:
            self._alias({"create_alias": {"collection_name": self._name(version.name), "alias_name": self._base}})
        return True

    def switch(self, version: str) -> None:
        remove = [{"delete_alias": {"alias_name": self._base}}] if self._current() is not None else []
        self._alias(*remove, {"create_alias": {"collection_name": self._name(version), "alias_name": self._base}})

    def drop(self, version: str) -> None:
        self._ask("DELETE", self._at(version), expected=[404])

    def write(self, version: str, items: Sequence[EngineItem]) -> None:
        points = [encoded(_point(item)) for item in items]
        for some in portions(points, most=BATCH_ITEMS, size=BATCH_BYTES):
            body = b'{"points":[' + b",".join(some) + b"]}"
            self._ask("PUT", f"{self._at(version)}/points?wait=true", body)

    def settle(self, version: str) -> None:
        """Every write is waited for."""

    def erase(self, version: str, generations: Sequence[str]) -> None:
        self._erase(version, [AnyOf("generation", generations)])

    def record(self, version: str, id: int) -> tuple[DocumentRecord, object] | None:
        found = self.get(version, [id], RECORD).get(id)
        if found is None:
            return None
        record = DocumentRecord.of(found)
        return record, record.revision

    def swap(self, version: str, record: DocumentRecord, token: object | None) -> bool:
        """Qdrant does not say whether it has written a point on a condition: that is read afterwards."""
        before = _condition(AnyOf("revision", [str(token or "none")]))
        point = {"id": record.id, "vector": {}, "payload": record.to_fields()}
        body = {"points": [point], "update_filter": {"must": [before]}}
        self._ask("PUT", f"{self._at(version)}/points?wait=true&ordering=strong", body)
        found = self.get(version, [record.id], ("revision",))
        return record.id in found and found[record.id]["revision"] == record.revision

    def forget(self, version: str, record: DocumentRecord, token: object) -> None:
        body = {"filter": {"must": [{"has_id": [record.id]}, _condition(AnyOf("revision", [str(token)]))]}}
        self._ask("POST", f"{self._at(version)}/points/delete?wait=true&ordering=strong", body)

    def get(self, version: str, ids: Sequence[int], fields: Sequence[str]) -> dict[int, Fields]:
        if not ids:
            return {}
        body = {"ids": [*ids], "with_payload": [*fields], "with_vector": False}
        found = self._ask("POST", f"{self._at(version)}/points?consistency=majority", body)
        return {int(point["id"]): point["payload"] for point in found}

    def find(self, version: str, conditions: Conditions, fields: Sequence[str]) -> Iterator[tuple[int, Fields]]:
        offset: object = None
        while True:
            body: dict[str, object] = {"filter": _written(conditions), "limit": AT_ONCE, "with_payload": [*fields]}
            body |= {"with_vector": False} | ({} if offset is None else {"offset": offset})
            answer = self._ask("POST", f"{self._at(version)}/points/scroll", body)
            yield from ((int(point["id"]), point["payload"]) for point in answer["points"])
            offset = answer.get("next_page_offset")
            if offset is None:
                return

    def count(self, version: str, conditions: Conditions | None) -> int:
        chunks = {"must_not": [{"is_empty": {"key": "generation"}}]}
        body = {"filter": chunks if conditions is None else _written(conditions), "exact": True}
        return int(self._ask("POST", f"{self._at(version)}/points/count", body)["count"])

    def statistics(self, version: str, terms: Sequence[str], tenant: str) -> Statistics:
        owned = AnyOf("tenant", [tenant])
        body = {"key": "length", "filter": _written(Conditions([owned])), "limit": MOST_LENGTHS, "exact": True}
        lengths = self._ask("POST", f"{self._at(version)}/facet", body)["hits"]
        count = sum(int(one["count"]) for one in lengths)
        total = sum(int(one["count"]) * int(one["value"]) for one in lengths)
        times = {term: self.count(version, Conditions([owned, InOrder("terms", term)])) for term in terms}
        return Statistics(
            count, total / count if count else 0.0, {term: number for term, number in times.items() if number}
        )

    def lexical(self, version: str, terms: Sequence[str], conditions: Conditions, most: int) -> list[int]:
        return self._ids(version, _sparse(dict.fromkeys(terms, 1.0)), "words", conditions, most)

    def dense(self, version: str, vector: NDArray[np.float32], conditions: Conditions, most: int) -> list[int]:
        return self._ids(version, numbers(vector), "dense", conditions, most)

    def _ids(self, version: str, query: object, using: str, conditions: Conditions, most: int) -> list[int]:
        body = {"query": query, "using": using, "filter": _written(conditions), "limit": most, "with_payload": False}
        found = self._ask("POST", f"{self._at(version)}/points/query", body)["points"]
        return [int(point["id"]) for point in found]

    def _erase(self, version: str, every: Sequence[Condition]) -> None:
        body = {"filter": _written(Conditions(every))}
        self._ask("POST", f"{self._at(version)}/points/delete?wait=true&ordering=strong", body)

    def _current(self) -> str | None:
        """The collection that the alias leads to."""
        known = {one["alias_name"]: one["collection_name"] for one in self._ask("GET", "aliases")["aliases"]}
        return known.get(self._base)

    def _alias(self, *actions: object) -> None:
        self._ask("POST", "collections/aliases", {"actions": [*actions]})

    def _version(self, collection: str, current: str | None) -> EngineVersion | None:
        """None for a collection of something else, one that is not complete, and one that was dropped just now."""
        found = self._ask("GET", f"collections/{quote(collection, safe='')}", expected=[404])
        about = ((found or {}).get("config") or {}).get("metadata") or {}
        if about.get("index") != self._base:
            return None
        profile = profile_of(about["profile"])
        return EngineVersion(about["name"], about["number"], profile, about["maker"], is_current=collection == current)

    def _ask(self, method: str, path: str, body: object = None, *, expected: Sequence[int] = ()) -> Any:
        answer = self._client.ask(method, path, body, expected=expected)
        if answer is not None and "result" not in answer:
            raise StoreError(f"{self.place}: the answer has no result; is this the address of Qdrant?")
        return None if answer is None else answer["result"]

    def _name(self, version: str) -> str:
        return f"{self._base}-{version}"

    def _at(self, version: str) -> str:
        return f"collections/{quote(self._name(version), safe='')}"


def _point(item: EngineItem) -> Fields:
    terms = item.fields["terms"].split()
    held = K1 * (1 - B + B * len(terms) / MEAN_LENGTH)
    weights = {term: times * (K1 + 1) / (times + held) for term, times in Counter(terms).items()}
    vector: dict[str, object] = {"words": _sparse(weights)} if weights else {}
    if item.vector is not None:
        vector["dense"] = numbers(item.vector)
    return {"id": item.id, "vector": vector, "payload": item.fields}


def _sparse(weights: dict[str, float]) -> dict[str, list[Any]]:
    """Words by the checksum of their text; two with the same one are added up."""
    numbered: Counter[int] = Counter()
    for term, weight in weights.items():
        numbered[zlib.crc32(term.encode("utf-8", "replace"))] += round(weight, 4)  # type: ignore[assignment]
    return {"indices": [*numbered], "values": [*numbered.values()]}


def _written(conditions: Conditions) -> dict[str, object]:
    return {"must": [*map(_condition, conditions.every)], "must_not": [*map(_condition, conditions.none)]}


def _condition(condition: Condition) -> dict[str, object]:
    match condition:
        case AnyOf(field, values):
            return {"key": field, "match": {"any": [*values]}}
        case InOrder(field, words):
            return {"key": field, "match": {"phrase": words}}
        case Between(field, least, most):
            bounds = {"gte": least, "lte": most}
            return {"key": field, "range": {name: bound for name, bound in bounds.items() if bound is not None}}
        case _:
            return {"should": [{"must": [*map(_condition, group)]} for group in condition.groups]}
