"""Qdrant as far as Quire speaks to it, in memory and strict: it refuses what it does not know.

Requests were compared with the models of Qdrant's own client, answers with its engine as a library (qdrant-edge); its
server was not at hand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.engine_server import EngineRequest, EngineServer, RefusedRequest, engine_server, only

Point = dict[str, Any]


@dataclass
class FakeCollection:
    """A collection: its settings, the schemas of indexed fields, its points by id."""

    config: dict[str, Any]
    schemas: dict[str, Any] = field(default_factory=dict)
    points: dict[int, Point] = field(default_factory=dict)


def refused(status: int, reason: str) -> RefusedRequest:
    return RefusedRequest(status, {"status": {"error": reason}, "time": 0.0})


class FakeQdrant:
    """Its collections by name, and the aliases."""

    def __init__(self, *, version: str = "1.16.0") -> None:
        self.version = version
        self.collections: dict[str, FakeCollection] = {}
        self.aliases: dict[str, str] = {}

    def answer(self, request: EngineRequest) -> object:
        if not request.path:
            return {"title": "qdrant - vector search engine", "version": self.version}
        return {"result": self._result(request), "status": "ok", "time": 0.0}

    def _result(self, request: EngineRequest) -> object:
        match request.method, request.path:
            case "GET", ["aliases"]:
                return {"aliases": [{"alias_name": a, "collection_name": c} for a, c in self.aliases.items()]}
            case "GET", ["collections"]:
                return {"collections": [{"name": name} for name in self.collections]}
            case "POST", ["collections", "aliases"]:
                return self._alias(request.json)
            case "PUT", ["collections", name]:
                return self._create(name, request.json)
            case "DELETE", ["collections", name]:
                self.aliases = {alias: at for alias, at in self.aliases.items() if at != name}
                return self.collections.pop(name, None) is not None
            case method, ["collections", name, *action]:
                if name not in self.collections:
                    raise refused(404, f"Not found: Collection `{name}` doesn't exist!")
                done = getattr(self, f"{method.lower()}_{'_'.join(action)}", None)
                if done is not None:
                    return done(self.collections[name], request)
        raise refused(404, f"no such endpoint: {request}")

    def get_(self, collection: FakeCollection, _: EngineRequest) -> object:
        return {"status": "green", "config": collection.config}

    def patch_(self, collection: FakeCollection, request: EngineRequest) -> object:
        collection.config.setdefault("metadata", {}).update(only(request.json, "metadata")["metadata"])
        return True

    def put_index(self, collection: FakeCollection, request: EngineRequest) -> object:
        body = only(request.json, "field_name", "field_schema")
        collection.schemas[body["field_name"]] = body["field_schema"]
        return {"status": "completed"}

    def put_points(self, collection: FakeCollection, request: EngineRequest) -> object:
        assert request.options.get("wait") == "true"
        body = only(request.json, "points", "update_filter")
        for point in body["points"]:
            vector = only(only(point, "id", "vector", "payload")["vector"], *vectors_of(collection))
            dense = vector.get("dense")
            if dense is not None and len(dense) != collection.config["vectors"]["dense"]["size"]:
                raise refused(400, "Wrong input: Vector dimension error")
            assert len({*vector.get("words", {"indices": []})["indices"]}) == len(
                vector.get("words", {"indices": []})["indices"]
            )
        for point in body["points"]:
            present = collection.points.get(point["id"])
            if present and "update_filter" in body and not passes(collection, body["update_filter"], present):
                continue
            collection.points[point["id"]] = point
        return {"status": "completed"}

    def post_points(self, collection: FakeCollection, request: EngineRequest) -> object:
        body = only(request.json, "ids", "with_payload", "with_vector")
        found = [collection.points[id] for id in body["ids"] if id in collection.points]
        return [shown(point, body["with_payload"]) for point in found]

    def post_points_delete(self, collection: FakeCollection, request: EngineRequest) -> object:
        assert request.options.get("wait") == "true"
        wanted = only(request.json, "filter")["filter"]
        for id in [id for id, point in collection.points.items() if passes(collection, wanted, point)]:
            del collection.points[id]
        return {"status": "completed"}

    def post_points_scroll(self, collection: FakeCollection, request: EngineRequest) -> object:
        body = only(request.json, "filter", "limit", "with_payload", "with_vector", "offset")
        ids = sorted(id for id, point in collection.points.items() if passes(collection, body["filter"], point))
        ids = [id for id in ids if id >= body.get("offset", 0)]
        page, rest = ids[: body["limit"]], ids[body["limit"] :]
        points = [shown(collection.points[id], body["with_payload"]) for id in page]
        return {"points": points, "next_page_offset": rest[0] if rest else None}

    def post_points_count(self, collection: FakeCollection, request: EngineRequest) -> object:
        body = only(request.json, "filter", "exact")
        return {"count": sum(passes(collection, body["filter"], point) for point in collection.points.values())}

    def post_facet(self, collection: FakeCollection, request: EngineRequest) -> object:
        body = only(request.json, "key", "filter", "limit", "exact")
        if body["key"] not in collection.schemas:
            raise refused(400, "Bad request: no index for the facet key")
        points = [point for point in collection.points.values() if passes(collection, body["filter"], point)]
        values = [point["payload"].get(body["key"]) for point in points]
        counted = Counter(value for value in values if value is not None)
        return {"hits": [{"value": value, "count": count} for value, count in counted.most_common(body["limit"])]}

    def post_points_query(self, collection: FakeCollection, request: EngineRequest) -> object:
        body = only(request.json, "query", "using", "filter", "limit", "with_payload")
        using, query = body["using"], body["query"]
        assert using in vectors_of(collection)
        candidates = {id: point["vector"][using] for id, point in collection.points.items() if using in point["vector"]}
        if using == "dense":
            found = {id: sum(a * b for a, b in zip(query, one, strict=True)) for id, one in candidates.items()}
        else:
            found = sparse_scores(only(query, "indices", "values"), candidates)
        passing = [id for id in found if passes(collection, body["filter"], collection.points[id])]
        best = sorted(passing, key=lambda id: (-found[id], id))[: body["limit"]]
        return {"points": [{"id": id, "score": found[id]} for id in best]}

    def _create(self, name: str, body: dict[str, Any]) -> object:
        only(body, "vectors", "sparse_vectors")
        if name in self.collections:
            raise refused(409, f"Wrong input: Collection `{name}` already exists!")
        self.collections[name] = FakeCollection(body)
        return True

    def _alias(self, body: dict[str, Any]) -> object:
        for action in only(body, "actions")["actions"]:
            [(what, said)] = only(action, "create_alias", "delete_alias").items()
            if what == "delete_alias":
                self.aliases.pop(only(said, "alias_name")["alias_name"])
            else:
                only(said, "alias_name", "collection_name")
                assert said["collection_name"] in self.collections
                self.aliases[said["alias_name"]] = said["collection_name"]
        return True


def vectors_of(collection: FakeCollection) -> list[str]:
    return [*collection.config["vectors"], *collection.config["sparse_vectors"]]


def shown(point: Point, fields: list[str]) -> Point:
    return {"id": point["id"], "payload": {name: point["payload"][name] for name in fields if name in point["payload"]}}


def sparse_scores(query: dict[str, Any], candidates: dict[int, dict[str, Any]]) -> dict[int, float]:
    """Those with any of the indices, weighed by how rare these are."""
    held = {id: dict(zip(one["indices"], one["values"], strict=True)) for id, one in candidates.items()}
    found: dict[int, float] = {}
    for index, weight in zip(query["indices"], query["values"], strict=True):
        having = [id for id, one in held.items() if index in one]
        rarity = math.log(1 + (len(held) - len(having) + 0.5) / (len(having) + 0.5))
        for id in having:
            found[id] = found.get(id, 0.0) + weight * rarity * held[id][index]
    return found


def passes(collection: FakeCollection, wanted: dict[str, Any], point: Point) -> bool:
    only(wanted, "must", "must_not", "should")
    if any(not holds(collection, one, point) for one in wanted.get("must", ())):
        return False
    if any(holds(collection, one, point) for one in wanted.get("must_not", ())):
        return False
    return "should" not in wanted or any(holds(collection, one, point) for one in wanted["should"])


def holds(collection: FakeCollection, condition: dict[str, Any], point: Point) -> bool:
    if "has_id" in condition:
        return point["id"] in only(condition, "has_id")["has_id"]
    if "is_empty" in condition:
        return point["payload"].get(condition["is_empty"]["key"]) in (None, [])
    if "key" not in condition:
        return passes(collection, condition, point)
    value = point["payload"].get(only(condition, "key", "match", "range")["key"])
    if value is None:
        return False
    if "range" in condition:
        bounds = only(condition["range"], "gte", "lte")
        return bounds.get("gte", value) <= value <= bounds.get("lte", value)
    said = only(condition["match"], "any", "phrase")
    if "phrase" in said:
        schema = collection.schemas.get(condition["key"])
        assert isinstance(schema, dict) and schema["phrase_matching"] and schema["tokenizer"] == "whitespace"
        return f" {' '.join(said['phrase'].split())} " in f" {' '.join(value.split())} "
    return any(one in said["any"] for one in (value if isinstance(value, list) else [value]))


@contextmanager
def qdrant_server(engine: FakeQdrant | None = None) -> Iterator[EngineServer]:
    with engine_server((engine or FakeQdrant()).answer) as server:
        yield server
