"""The service `solve` of flows: a task over the document of the flow, as a workflow of its own."""

from __future__ import annotations

import json
from typing import Any

from quire.core.context import Json, Store
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.solves.solve_request import requested
from quire.durable.solves.solve_workflow import FLOW
from quire.durable.steps.services import CallingService
from quire.reading.messages import DocumentReference, SolveArgument, SolveResult
from quire.solving.findings import decode_findings
from quire.store.scoped import scoped


def solving(steps: DocumentSteps) -> CallingService:
    """The service over the store of `steps`. Blocks."""

    def begin(_: str, document: DocumentReference, *, task: str, **options: Json) -> SolveArgument:
        store = scoped(steps.store, document.get("scope", ""))
        given: dict[str, Any] = {name: one for name, one in options.items() if one not in (None, "", [])}
        return {"request": requested(task, store, **given).to_json(), "documents": [document]}

    def end(result: SolveResult, document: DocumentReference, **_: object) -> dict[str, Json]:
        return solve_output(scoped(steps.store, document.get("scope", "")), result)

    return CallingService(FLOW, begin, end)


def solve_output(store: Store, result: SolveResult) -> dict[str, Json]:
    """The result of a solve as the output of a step: values with evidence, findings, attempts, and the files."""
    answer = json.loads(store.load(result["answer"]))
    files = [
        {"name": f".{name}", "digest": digest, "size": len(store.load(digest))}
        for name, digest in result["files"].items()
        if name != "extraction.json"
    ]
    return {
        "status": result["status"],
        "workspace": result["workspace"],
        "values": answer["values"],
        "evidence": answer["evidence"],
        "coverage": dict(result["coverage"]),
        "findings": [one.to_json() for one in decode_findings(store.load(result["rounds"][-1]))],
        "attempts": list(result["attempts"]),
        "extraction": answer,
        "files": [one for one in files if one["size"]],
    }
