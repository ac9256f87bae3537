"""The scopes of tenants that a store knows: what one of them has is recorded under ids derived from its scope."""

from __future__ import annotations

import json

from quire.core.context import Json
from quire.database.database import Database


def note_scope(database: Database, scope: str) -> None:
    """Record that a tenant works in a scope."""
    database.change("INSERT INTO scopes (scope) VALUES (?) ON CONFLICT (scope) DO NOTHING", (scope,))


def known_scopes(database: Database) -> list[str]:
    """All scopes, in order, also those of runs from before scopes were recorded."""
    found = {str(scope) for (scope,) in database.rows("SELECT scope FROM scopes")}
    tasks = database.rows("SELECT inputs FROM runs WHERE flow = 'task'")
    return sorted((found | {scope_in(json.loads(str(inputs))) for (inputs,) in tasks}) - {""})


def scope_in(argument: Json) -> str:
    """The scope that an argument of a workflow names; "" for the default tenant, and where there are none."""
    match argument:
        case {"tenant": str(scope)} | {"scope": str(scope)} | {"request": {"scope": str(scope)}}:
            return scope
    return ""
