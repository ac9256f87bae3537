"""The tables, version by version. A released version never changes; the next one is a migration from it."""

from __future__ import annotations

from typing import Literal

from quire.core.errors import StoreError

Dialect = Literal["sqlite", "postgresql"]

_VERSION_1 = """
CREATE TABLE IF NOT EXISTS facts (
    key TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    stage TEXT NOT NULL,
    document TEXT NOT NULL,
    page INTEGER,
    size INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS facts_of_document ON facts (document, stage, page);
CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM schema_version)
"""

_VERSION_2 = """
CREATE TABLE IF NOT EXISTS attempts (
    document TEXT NOT NULL,
    page INTEGER NOT NULL,
    reading TEXT NOT NULL,
    noted INTEGER NOT NULL,
    number INTEGER NOT NULL,
    engine TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    ms REAL NOT NULL,
    PRIMARY KEY (document, page, reading, number)
) WITHOUT ROWID;
UPDATE schema_version SET version = 2
"""

# Artifacts in packs (earlier ones are separate objects), the day a fact was last used, and the state of durable runs.
# `at` and `expires` are seconds; `at` on the wall clock, `expires` on the clock of the database (`Database.now`).
_VERSION_3 = """
ALTER TABLE facts ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
CREATE TABLE objects (
    digest TEXT PRIMARY KEY,
    pack TEXT NOT NULL,
    start INTEGER NOT NULL,
    size INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX objects_of_pack ON objects (pack);
INSERT INTO objects SELECT digest, 'objects/' || substr(digest, 1, 2) || '/' || substr(digest, 3), 0, max(size)
    FROM facts GROUP BY digest;
CREATE TABLE owners (
    owner TEXT PRIMARY KEY,
    boot TEXT NOT NULL,
    expires REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE claims (
    key TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    token INTEGER NOT NULL,
    takeovers INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX claims_of_owner ON claims (owner);
CREATE TABLE runs (
    run TEXT PRIMARY KEY,
    flow TEXT NOT NULL,
    key TEXT NOT NULL,
    generation INTEGER NOT NULL,
    inputs TEXT NOT NULL,
    state TEXT NOT NULL,
    result TEXT,
    error TEXT,
    cancel INTEGER NOT NULL DEFAULT 0,
    submitted REAL NOT NULL,
    finished REAL,
    sequence INTEGER NOT NULL DEFAULT 0,
    reference TEXT
) WITHOUT ROWID;
CREATE INDEX runs_of_key ON runs (flow, key, generation);
CREATE TABLE events (
    run TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    stage TEXT NOT NULL,
    document TEXT,
    page INTEGER,
    key TEXT,
    payload TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (run, sequence)
) WITHOUT ROWID;
CREATE UNIQUE INDEX events_once ON events (run, id);
CREATE TABLE invocations (
    key TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    workflow TEXT NOT NULL,
    version TEXT NOT NULL,
    pool TEXT NOT NULL,
    argument TEXT NOT NULL,
    state TEXT NOT NULL,
    result TEXT,
    error TEXT,
    cancel INTEGER NOT NULL DEFAULT 0,
    number INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX invocations_waiting ON invocations (state, pool, number);
CREATE INDEX invocations_of_run ON invocations (run);
CREATE TABLE steps (
    invocation TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    result TEXT,
    error TEXT,
    due REAL,
    PRIMARY KEY (invocation, number)
) WITHOUT ROWID;
CREATE TABLE signals (
    invocation TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (invocation, name)
) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    digest TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE outputs (
    place TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    document TEXT NOT NULL,
    source TEXT NOT NULL,
    settings TEXT NOT NULL,
    files TEXT NOT NULL,
    at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX outputs_of_document ON outputs (document);
CREATE TABLE quarantine (
    key TEXT PRIMARY KEY,
    document TEXT NOT NULL,
    source TEXT NOT NULL,
    category TEXT NOT NULL,
    reason TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    run TEXT NOT NULL,
    at REAL NOT NULL
) WITHOUT ROWID;
UPDATE schema_version SET version = 3
"""

# A fact belongs to one document; an answer has a fact for each document that uses it. For earlier answers, the pages
# with the same picture are known.
_VERSION_4 = """
CREATE TABLE owned_facts (
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    stage TEXT NOT NULL,
    document TEXT NOT NULL,
    page INTEGER,
    size INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (key, document)
) WITHOUT ROWID;
INSERT INTO owned_facts SELECT key, digest, stage, document, page, size, used FROM facts;
INSERT INTO owned_facts
    SELECT answer.key, max(answer.digest), 'answer', other.document, min(other.page), max(answer.size), max(answer.used)
    FROM facts answer
    JOIN facts own ON own.document = answer.document AND own.page = answer.page AND own.stage = 'picture'
    JOIN facts other ON other.digest = own.digest AND other.document <> own.document AND other.stage = 'picture'
    WHERE answer.stage = 'answer' GROUP BY answer.key, other.document;
DROP TABLE facts;
ALTER TABLE owned_facts RENAME TO facts;
CREATE INDEX facts_of_document ON facts (document, stage, page);
UPDATE schema_version SET version = 4
"""

# The exit code says which kind of error it was: a missing password (6) is no reason any more once one is set.
# Outputs are looked up by their source, so that a document keeps the place of its output.
_VERSION_5 = """
CREATE INDEX outputs_of_source ON outputs (source);
ALTER TABLE quarantine ADD COLUMN exit_code INTEGER NOT NULL DEFAULT 0;
UPDATE quarantine SET exit_code = 6 WHERE category = 'input' AND reason LIKE '%password%';
UPDATE schema_version SET version = 5
"""

# Figures for metrics, by run.
_VERSION_6 = """
CREATE TABLE figures (
    run TEXT NOT NULL,
    name TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;
UPDATE schema_version SET version = 6
"""

# Reviews of extractions: their items, of which each has a version and a lease, and every decision about them.
_VERSION_7 = """
CREATE TABLE reviews (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    document TEXT NOT NULL,
    reference TEXT NOT NULL,
    place TEXT NOT NULL,
    run TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    opened REAL NOT NULL,
    ended REAL,
    sample INTEGER NOT NULL DEFAULT 0,
    waiting TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX reviews_of_tenant ON reviews (tenant, opened, id);
CREATE INDEX reviews_of_document ON reviews (document);
CREATE TABLE review_items (
    review TEXT NOT NULL,
    path TEXT NOT NULL,
    document TEXT NOT NULL,
    number INTEGER NOT NULL,
    part TEXT NOT NULL,
    field TEXT NOT NULL,
    doubt TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    decision TEXT,
    claim TEXT NOT NULL DEFAULT '',
    reviewer TEXT NOT NULL DEFAULT '',
    boot TEXT NOT NULL DEFAULT '',
    expires REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (review, path)
) WITHOUT ROWID;
CREATE INDEX review_items_open ON review_items (state, doubt, review);
CREATE INDEX review_items_of_claim ON review_items (claim);
CREATE INDEX review_items_of_document ON review_items (document);
CREATE TABLE review_history (
    review TEXT NOT NULL,
    path TEXT NOT NULL,
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    action TEXT NOT NULL,
    decision TEXT,
    reviewer TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (review, path, version)
) WITHOUT ROWID;
CREATE INDEX review_history_of_document ON review_history (document);
UPDATE schema_version SET version = 7
"""

# The scopes of tenants: ids of their documents are derived from these, and cannot be found without them.
_VERSION_8 = """
CREATE TABLE scopes (
    scope TEXT PRIMARY KEY
) WITHOUT ROWID;
INSERT INTO scopes SELECT DISTINCT tenant FROM reviews WHERE tenant <> '';
UPDATE schema_version SET version = 8
"""

_MIGRATIONS = _VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4, _VERSION_5, _VERSION_6, _VERSION_7, _VERSION_8
"""From each version to the next one, beginning with an empty database, which is version 0."""
VERSION = len(_MIGRATIONS)


def migration(version: int, *, dialect: Dialect) -> list[str]:
    """The statements that migrate from a version to the next one."""
    script = _MIGRATIONS[version]
    if dialect == "postgresql":
        script = script.replace(" WITHOUT ROWID", "").replace(" REAL", " DOUBLE PRECISION").replace("INTEGER", "BIGINT")
    return [statement.strip() for statement in script.split(";") if statement.strip()]


def check(version: int, place: str) -> None:
    """Raises StoreError for a database written by a later version of Quire."""
    if version != VERSION:
        raise StoreError(
            f"{place} has schema version {version}, this Quire reads version {VERSION}; "
            "update Quire or choose another store"
        )
