"""Reading into a bucket: artifacts there, facts in a database."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import quire
from quire.cli.app import app
from quire.core.errors import ConfigurationError, UsageError
from quire.core.events import Event
from tests import documents


def test_the_same_document_is_not_read_twice_anywhere(saved, s3_url, postgres_url):
    path, told = saved(documents.simple()), list[Event]()
    first = quire.read(path, store=s3_url, facts=postgres_url)
    second = quire.read(path, store=s3_url, facts=postgres_url, on_event=told.append)
    assert second.to_markdown() == first.to_markdown()
    assert {event.kind for event in told if event.stage != "read"} == {"hit"}


def test_a_store_that_is_open_serves_several_reads(saved, s3_url, tmp_path):
    with quire.open_store(s3_url, str(tmp_path / "facts.sqlite3")) as store:
        first = quire.read(saved(documents.simple()), store=store)
        assert quire.read(saved(documents.simple()), store=store).to_markdown() == first.to_markdown()


def test_the_command_line_reads_into_a_bucket(saved, s3_url, postgres_url, tmp_path):
    path = saved(documents.simple())
    asked = ["read", str(path), "--store", s3_url, "--facts", postgres_url, "-o", str(tmp_path / "out")]
    assert CliRunner().invoke(app, asked).exit_code == 0
    with quire.open_store(s3_url, postgres_url) as store:
        assert store.database.rows("SELECT count(*) > 0 FROM facts") == [(True,)]


def test_a_bucket_without_a_database_is_refused_with_advice(saved):
    with pytest.raises(ConfigurationError, match="name their database too"):
        quire.read(saved(documents.simple()), store="s3://bucket/folder")


def test_similar_pictures_need_a_folder(saved):
    with pytest.raises(UsageError, match="similar=True needs the folder of a store"):
        quire.read(saved(documents.simple()), store="s3://bucket/folder", facts="facts.sqlite3", similar=True)


def test_a_database_without_a_store_is_refused(saved):
    with pytest.raises(UsageError, match="facts is the database of a store"):
        quire.read(saved(documents.simple()), facts="facts.sqlite3")
