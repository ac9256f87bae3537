"""Secrets of runs: what is under the key `secrets` of the inputs of a run is removed when the run has ended."""

from __future__ import annotations

import json
from typing import Literal

from quire.database.database import Database

KEY = "secrets"


def remove_secrets(database: Database, table: Literal["runs", "invocations"], id: str) -> None:
    """Remove them from one row, in the caller's transaction."""
    column, name = ("inputs", "run") if table == "runs" else ("argument", "key")
    found = f"SELECT {column} FROM {table} WHERE {name} = ? AND {column} LIKE ?"
    for (text,) in database.rows(found, (id, f'%"{KEY}"%')):
        inputs = json.loads(str(text))
        if isinstance(inputs, dict) and KEY in inputs:
            del inputs[KEY]
            database.change(f"UPDATE {table} SET {column} = ? WHERE {name} = ?", (json.dumps(inputs), id))
