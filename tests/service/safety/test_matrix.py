"""Every route of the router, without a key, with a wrong one, and from another tenant. A new route is added here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from http.client import HTTPConnection
from typing import Any, Literal
from urllib.parse import quote

import pytest
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from quire import Client
from quire.evidence.extract.extraction_json import extraction_json
from quire.service.security import is_public
from tests import documents
from tests.bills import SCHEMA, anywhere, bill_extraction
from tests.service.safety.conftest import KEY, PDF, Guarded, form_of, guarded
from tests.unit.service.api.conftest import wait_indexed

Kind = Literal["public", "submits", "task", "run", "document", "review", "lists", "acknowledges"]
"""What a route is about: a task, a run, a document or a review of one tenant, a list of them, or nothing of any."""

ROUTES: dict[str, Kind] = {
    **dict.fromkeys(
        [
            *("GET /", "GET /ui", "GET /web/{name}", "GET /favicon.ico"),
            *("GET /health", "GET /api", "GET /livez", "GET /ready", "GET /readyz", "GET /version", "GET /metrics"),
            *("GET /openapi.json", "GET /docs", "GET /swagger", "GET /scalar"),
            *("GET /v1/capabilities", "GET /v1/memory/stats", "GET /v1/memory/counts"),
        ],
        "public",
    ),
    **{
        f"POST /{version}/{what}/{source}{wait}": "submits"
        for version, what in (
            ("v1", "convert"),
            ("v1", "chunk/hybrid"),
            ("v1", "chunk/hierarchical"),
            ("v1alpha", "convert"),
        )
        for source in ("source", "file")
        for wait in ("", "/async")
    },
    "POST /v1/convert/source/batch": "submits",
    "POST /api/runs": "submits",
    "POST /api/extract": "submits",
    "POST /api/solve": "submits",
    **{
        f"{method} /{version}/{path}/{{task_id}}": "task"
        for version in ("v1", "v1alpha")
        for method, path in (("GET", "status/poll"), ("GET", "result"), ("WS", "status/ws"))
    },
    "GET /v1/clear/results": "lists",
    "GET /v1/clear/converters": "acknowledges",
    "POST /v1/callback/task/progress": "acknowledges",
    "GET /api/runs": "lists",
    "GET /api/documents": "lists",
    "GET /api/extract": "lists",
    "GET /api/solve": "lists",
    "GET /api/search": "lists",
    "GET /api/review": "lists",
    "POST /api/review": "submits",
    "GET /api/review/queue": "lists",
    "GET /api/review/samples": "lists",
    "POST /api/review/claims": "lists",
    "PUT /api/review/claims/{claim}": "review",
    "DELETE /api/review/claims/{claim}": "acknowledges",
    "GET /api/review/{review}": "review",
    "GET /api/review/{review}/history": "review",
    "GET /api/review/{review}/fixture": "review",
    "POST /api/review/{review}/decisions": "review",
    "PUT /api/review/{review}/sample": "review",
    "GET /api/runs/{run}": "run",
    "DELETE /api/runs/{run}": "run",
    "GET /api/runs/{run}/events": "run",
    **{f"GET /api/runs/{{run}}/solve{path}": "run" for path in ("", "/files/{name}", "/trace")},
    "DELETE /api/documents/{id}": "document",
    **{
        f"GET /api/documents/{{id}}{path}": "document"
        for path in (
            *("", "/ledger", "/search", "/tables", "/tables/{block}", "/exports/{format}"),
            *("/pages/{number}", "/pages/{number}/image", "/pages/{number}/crop"),
            *("/catalog", "/extraction"),
        )
    },
}
QUERIES = {"crop": "?box=0,0,0.5,0.5", "search": "?q=the"}
A, B = {"X-Tenant-Id": "a"}, {"X-Tenant-Id": "b"}


def listed(routes: Iterable[BaseRoute]) -> Iterator[str]:
    """`GET /path` for every route, `WS /path` for every WebSocket."""
    for route in routes:
        if isinstance(route, Route):
            yield from (f"{method} {route.path}" for method in (route.methods or ()) if method != "HEAD")
        elif isinstance(route, WebSocketRoute):
            yield f"WS {route.path}"
        elif isinstance(route, Mount):
            yield f"GET {route.path}/{{path}}"
        else:
            yield from listed(route.original_router.routes)  # type: ignore[attr-defined]  # of FastAPI


@dataclass
class Tenant:
    """What tenant A has."""

    task: str
    chunks: str
    run: str
    solve: str
    document: str
    review: str
    claim: str


@pytest.fixture(scope="module")
def tenant(keyed) -> Tenant:
    task = keyed.send_file("/v1/convert/file/async", "secret-plans.pdf", PDF, A).json["task_id"]
    chunks = keyed.send_file("/v1/chunk/hierarchical/file/async", "secret-plans.pdf", PDF, A).json["task_id"]
    run = keyed.read("secret-plans.pdf", PDF, A)
    asked = {"solve": '{"task": "?", "fields": "total"}'}
    body, content_type = form_of([("files", "secret-plans.pdf", PDF)], asked)
    solve = keyed.ask("POST", "/api/solve", body, {**A, "Content-Type": content_type}).json["id"]
    keyed.service.runtime.result(solve, timeout_s=60)
    for one in (task, chunks):
        assert keyed.get(f"/v1/status/poll/{one}?wait=60", A).json["task_status"] == "success"
    document = f"{run}.1"
    sha256 = keyed.get(f"/api/documents/{document}", A).json["sha256"]
    extraction = extraction_json(bill_extraction(sha256, anywhere()))
    body = {"document": document, "schema": SCHEMA, "extraction": extraction}
    review = keyed.ask("POST", "/api/review", body, A).json["id"]
    claim = keyed.ask("POST", "/api/review/claims", {}, A).json["claim"]
    return Tenant(task, chunks, run, solve, document, review, claim)


def path_of(route: str, tenant: Tenant | None = None) -> str:
    path = route.partition(" ")[2]
    names = {
        "{task_id}": tenant.task if tenant else "1",
        "{run}/solve": f"{tenant.solve}/solve" if tenant else "1/solve",
        "{run}": tenant.run if tenant else "1",
        "{id}": tenant.document if tenant else "1.1",
        "{review}": tenant.review if tenant else "1",
        "{claim}": tenant.claim if tenant else "1",
        "{number}": "1",
        "{format}": "md",
        "{block}": "p1-b1",
        "{path}": "x",
        "solve/files/{name}": "solve/files/answer.json",
    }
    for name, value in names.items():
        path = path.replace(name, value)
    return path + QUERIES.get(path.rpartition("/")[2], "")


def ask(server: Guarded, route: str, headers: dict[str, str], tenant: Tenant | None = None) -> int:
    """The status of a request to a route."""
    method, path = route.partition(" ")[0], path_of(route, tenant)
    if method != "WS":
        body, content_type = form_of([("files", "a.pdf", PDF)])
        sent = {"Content-Type": content_type, **headers} if method == "POST" else headers
        return server.without_key().ask(method, path, body if method == "POST" else None, sent).status
    try:
        with connect(f"ws://127.0.0.1:{server.port}{path}", additional_headers=headers):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_every_route_is_in_the_matrix(keyed):
    assert sorted(set(listed(keyed.app.routes)) - set(ROUTES)) == []


def test_a_refused_method_is_told_all_that_its_path_has(keyed):
    """A path with several routes named the methods of the first one alone."""
    for path in {route.partition(" ")[2] for route in ROUTES if not route.startswith("WS")}:
        methods = {route.partition(" ")[0] for route in ROUTES if route.partition(" ")[2] == path} - {"WS"}
        answer = keyed.ask("PATCH", path_of(f"PATCH {path}"))
        allowed = set(answer.headers["Allow"].split(", "))
        assert answer.status == 405 and methods <= allowed, path


def test_every_route_of_the_openapi_text_is_in_the_matrix(keyed):
    described = {
        f"{method.upper()} {path}" for path, one in keyed.get("/openapi.json").json["paths"].items() for method in one
    }
    assert sorted(described - set(ROUTES)) == []


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_only_what_is_public_needs_no_key(keyed, route):
    assert is_public(path_of(route)) == (ROUTES[route] == "public")
    statuses = [ask(keyed, route, headers) for headers in ({}, {"X-Api-Key": "wrong"}, {"X-Api-Key": KEY[:-1]})]
    if ROUTES[route] == "public":
        assert 401 not in statuses
    else:
        assert statuses == [401, 401, 401]


@pytest.mark.parametrize("path", ["/web/../api/runs", "/web/%2e%2e/api/runs", "//api/runs", "/api/runs/", "/API/runs"])
def test_no_spelling_of_a_path_goes_around_the_key(keyed, path):
    answer = keyed.without_key().get(path)
    assert answer.status in (401, 404)
    assert b"secret-plans" not in answer.body


@pytest.mark.parametrize(
    "route", sorted(one for one, kind in ROUTES.items() if kind in ("task", "run", "document", "review"))
)
@pytest.mark.parametrize("headers", [B, {}, {"X-Tenant-Id": "default"}, {"X-Tenant-Id": "A"}, {"X-Tenant-Id": "a/b"}])
def test_a_tenant_gets_404_for_everything_of_another(keyed, tenant, route, headers):
    method, path = route.partition(" ")[0], path_of(route, tenant)
    if method == "WS":
        query = f"?api_key={KEY.replace('+', '%2B')}&tenant_id={headers.get('X-Tenant-Id', '')}"
        with connect(f"ws://127.0.0.1:{keyed.port}{path}{query}") as socket:
            assert json.loads(socket.recv())["error"] == "Task not found."
        return
    theirs, nothing = keyed.ask(method, path, headers=headers), path_of(route).replace("/1", "/000000000000-1", 1)
    assert theirs.status == 404
    assert b"secret-plans" not in theirs.body
    unknown = keyed.ask(method, nothing, headers=headers)
    assert unknown.status == 404
    for id in (tenant.run, tenant.solve, tenant.task, tenant.review, "000000000000-1", "1.1"):  # both say the same
        theirs.body, unknown.body = (one.body.replace(id.encode(), b"") for one in (theirs, unknown))
    assert set(theirs.json) == set(unknown.json)


@pytest.mark.parametrize(
    "path",
    [
        "/api/documents/{run}.1/exports/json",
        "/api/runs/{run}",
        "/v1/result/{task}",
        "/v1/result/{chunks}",
        "/api/runs/{solve}",
        "/api/runs/{solve}/solve/trace",
    ],
)
def test_the_owner_has_all_of_it(keyed, tenant, path):
    answer = keyed.get(path.format(**asdict(tenant)), A)
    assert answer.status == 200
    assert b"secret-plans" in answer.body or "exports" in path


def test_lists_have_nothing_of_another_tenant(keyed, tenant):
    for path in ("/api/runs", "/api/documents", "/api/runs?limit=200", "/api/documents?limit=200"):
        mine, theirs = keyed.get(path, A), keyed.get(path, {"X-Tenant-Id": "c"})
        assert tenant.run.encode() in mine.body
        assert [value for value in theirs.json.values() if value] == []
    for before in (tenant.run, tenant.document):
        assert keyed.get(f"/api/runs?before={before}", B).status == 404
        assert keyed.get(f"/api/documents?before={before}", B).status == 404


def test_reviews_of_another_tenant_are_in_no_list_and_no_claim(keyed, tenant):
    assert tenant.review.encode() in keyed.get("/api/review", A).body
    assert keyed.get("/api/review/queue", A).json["total"] == 11
    for headers in (B, {}, {"X-Tenant-Id": "c"}):
        assert keyed.get("/api/review", headers).json["reviews"] == []
        assert keyed.get(f"/api/review?before={tenant.review}", headers).status == 404
        assert keyed.get("/api/review/queue", headers).json["total"] == 0
        assert keyed.get("/api/review/samples", headers).body == b""
        for wanted in ({}, {"review": tenant.review}, {"review": tenant.review, "path": "total"}):
            assert keyed.ask("POST", "/api/review/claims", wanted, headers).json["claim"] is None
        assert keyed.get(f"/api/documents/{tenant.review}.1", headers).status == 404
        assert keyed.ask("DELETE", f"/api/review/claims/{tenant.claim}", headers=headers).status == 204
        assert keyed.ask("PUT", f"/api/review/claims/{tenant.claim}", headers=A).status == 200, "it was not released"
        body = {"document": tenant.document, "schema": SCHEMA, "extraction": {}}
        assert keyed.ask("POST", "/api/review", body, headers).status == 404


def test_a_search_finds_nothing_of_another_tenant(keyed):
    run = keyed.read("own-plans.pdf", documents.simple(2), A)  # contents of its own: the latest run with some has them
    path = f"/api/search?q=chapter&in={run}"
    wait_indexed(keyed.service)
    (hit,) = keyed.get(f"{path}&k=1", A).json["hits"]
    assert hit["document"] == f"{run}.1"
    for headers in (B, {}, {"X-Tenant-Id": "c"}):
        assert keyed.get(path, headers).json["hits"] == []
        assert keyed.get(hit["crop"], headers).status == 404


def test_a_digest_that_another_tenant_has_is_not_an_address(keyed, tenant):
    """Answers to conditional requests say nothing about what others have."""
    etag = keyed.get(f"/api/documents/{tenant.document}/exports/md", A).headers["ETag"]
    digest = keyed.get(f"/api/runs/{tenant.run}", A).json["documents"][0]["sha256"]
    for id in (tenant.document, digest, f"{digest}.1", f"{digest[:12]}-1.1"):
        asked = keyed.get(f"/api/documents/{id}/exports/md", {**B, "If-None-Match": etag})
        assert asked.status == 404


def test_clearing_results_leaves_those_of_others(keyed, tenant):
    assert keyed.get("/v1/clear/results?older_then=0", B).status == 200
    assert keyed.get(f"/v1/result/{tenant.task}", A).status == 200


def test_cancelling_a_run_of_another_does_nothing(tmp_path):
    with guarded(tmp_path, idle=True, api_key=KEY, tenants=True, headers={"X-Api-Key": KEY}) as server:
        run = server.send_file("/api/runs", "a.pdf", PDF, A).json["id"]
        assert server.ask("DELETE", f"/api/runs/{run}", headers=B).status == 404
        assert server.get(f"/api/runs/{run}", A).json["state"] == "waiting"
        assert server.ask("DELETE", f"/api/runs/{run}", headers=A).json["state"] == "cancelled"


def test_an_idempotency_key_belongs_to_its_tenant(keyed):
    runs = [
        keyed.send_file(
            "/api/runs", f"{tenant['X-Tenant-Id']}.pdf", PDF, {**tenant, "Idempotency-Key": "invoice-7"}
        ).json
        for tenant in (A, B, A)
    ]
    assert runs[0]["id"] == runs[2]["id"] != runs[1]["id"]
    assert runs[1]["documents"][0]["name"] == "b.pdf"


def events_of(server: Guarded, run: str, headers: dict[str, str]) -> list[dict[str, Any]]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("GET", f"/api/runs/{run}/events", headers={**server.headers, **headers})
        lines = connection.getresponse().read().decode().splitlines()
    finally:
        connection.close()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ") and '"sequence"' in line]


def test_what_another_tenant_has_read_is_read_again(keyed, tenant):
    """The same file, by another tenant: the events of its run are those of a file that the server has never seen."""
    fresh = keyed.read("plans.pdf", PDF, {"X-Tenant-Id": "fresh"})
    again = keyed.read("plans.pdf", PDF, {"X-Tenant-Id": "fresh-too"})
    seen = [
        [(event["kind"], event["stage"], event["page"]) for event in events_of(keyed, run, {"X-Tenant-Id": name})]
        for run, name in ((fresh, "fresh"), (again, "fresh-too"))
    ]
    assert seen[0] == seen[1]
    assert seen[0]
    assert not [kind for kind, _, _ in seen[0] if kind == "hit"]


def test_names_in_any_script_are_tenants_of_their_own(keyed):
    names = ["team-à", "team-Å", "team-Ã", "team-", "команда", "チーム", "team north", "team  north"]
    runs = {}
    for name in names:
        headers = {"X-Tenant-Id": name.encode()}
        runs[name] = keyed.send_file("/api/runs", "a.pdf", PDF, headers).json["id"]
    for name in names:
        (run,) = keyed.get("/api/runs", {"X-Tenant-Id": f"  {name} ".encode()}).json["runs"]
        assert run["id"] == runs[name]
        (run,) = keyed.without_tenant().get(f"/api/runs?tenant_id={quote(name)}").json["runs"]
        assert run["id"] == runs[name]
        with Client(keyed.url, api_key=KEY, tenant=name) as client:
            assert [one.id for one in client.runs()] == [runs[name]]


@pytest.mark.parametrize(
    "name",
    [
        b"x" * 201,
        b"a\x07b",
        b"team-\xe0",
        b"team-\xc5",
        b"\xff",
        "no\u00a0break".encode(),
        "a\u202eb".encode(),
        b"\xc2\x85",
    ],
)
def test_a_name_that_is_no_tenant_is_refused(keyed, name):
    answer = keyed.get("/api/runs", {"X-Tenant-Id": name})
    assert (answer.status, "X-Tenant-Id" in answer.detail) == (400, True)
    assert keyed.without_tenant().get(f"/api/runs?tenant_id={quote(name)}").status == 400


def test_two_names_of_one_request_are_refused(keyed):
    """A proxy that adds the header must remove what the caller sent."""
    request = f"GET /api/runs HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {KEY}\r\nConnection: close\r\n"
    for names, status in ((("a", "b"), b"400"), (("a", "a"), b"200")):
        given = "".join(f"X-Tenant-Id: {name}\r\n" for name in names)
        assert keyed.raw(f"{request}{given}\r\n".encode()).split()[1] == status


def test_ids_cannot_be_guessed(keyed, tenant):
    """A task has a random UUID, a run 48 bits of a digest of one, and both need the tenant besides."""
    assert len(tenant.task) == 36
    assert tenant.task[14] == "4"
    runs = {keyed.send_file("/api/runs", "a.pdf", PDF, B).json["id"] for _ in range(3)}
    assert len(runs) == 3
    assert all(len(run) >= 14 for run in runs)
