"""The cache of file digests: only as long as the files cannot have changed."""

from __future__ import annotations

import pytest

from quire.core.hashing import FileState, Hashed
from quire.database.file_digests import HashedFiles
from quire.database.sqlite import SqliteDatabase

SECOND = 1_000_000_000
SEEN = FileState(size=10, modified_ns=100 * SECOND)


@pytest.fixture
def files(either_database):
    return HashedFiles(either_database)


def test_an_unchanged_file_is_known(files):
    files.remember([Hashed("/a.pdf", SEEN, "digest", hashed_ns=200 * SECOND)])
    assert files.find({"/a.pdf": SEEN, "/b.pdf": SEEN}) == {"/a.pdf": "digest"}


@pytest.mark.parametrize("now", [FileState(11, SEEN.modified_ns), FileState(10, SEEN.modified_ns + 1)])
def test_a_changed_file_is_not(files, now):
    files.remember([Hashed("/a.pdf", SEEN, "digest", hashed_ns=200 * SECOND)])
    assert files.find({"/a.pdf": now}) == {}


def test_a_file_hashed_right_after_it_was_changed_is_not_trusted(files):
    """It may change again within the same tick of the clock, with nothing to show for it."""
    files.remember([Hashed("/a.pdf", SEEN, "digest", hashed_ns=SEEN.modified_ns + 2 * SECOND - 1)])
    assert files.find({"/a.pdf": SEEN}) == {}
    files.remember([Hashed("/a.pdf", SEEN, "digest", hashed_ns=SEEN.modified_ns + 2 * SECOND)])
    assert files.find({"/a.pdf": SEEN}) == {"/a.pdf": "digest"}


def test_what_was_known_of_an_untrusted_file_is_dropped(files):
    files.remember([Hashed("/a.pdf", SEEN, "old", hashed_ns=200 * SECOND)])
    files.remember([Hashed("/a.pdf", SEEN, "new", hashed_ns=SEEN.modified_ns + 1)])
    assert files.find({"/a.pdf": SEEN}) == {}


def test_a_file_of_tomorrow_is_not_trusted(files):
    files.remember([Hashed("/a.pdf", SEEN, "digest", hashed_ns=50 * SECOND)])
    assert files.find({"/a.pdf": SEEN}) == {}


def test_a_new_digest_replaces_the_old_one(files):
    later = FileState(12, 150 * SECOND)
    files.remember([Hashed("/a.pdf", SEEN, "old", hashed_ns=200 * SECOND)])
    files.remember([Hashed("/a.pdf", later, "new", hashed_ns=300 * SECOND)])
    assert files.find({"/a.pdf": later}) == {"/a.pdf": "new"}
    assert files.find({"/a.pdf": SEEN}) == {}


def test_forgotten_files_are_unknown(files):
    files.remember([Hashed("/a.pdf", SEEN, "digest", hashed_ns=200 * SECOND)])
    files.forget(["/a.pdf", "/b.pdf"])
    assert files.find({"/a.pdf": SEEN}) == {}


def test_names_that_are_no_text_are_known_too(files):
    files.remember([Hashed("/b\udcff.pdf", SEEN, "digest", hashed_ns=200 * SECOND)])
    assert files.find({"/b\udcff.pdf": SEEN}) == {"/b\udcff.pdf": "digest"}


def test_ten_thousand_files_are_asked_for_in_few_statements(tmp_path):
    database = SqliteDatabase(tmp_path / "facts.sqlite3")
    known = {f"/folder/{number}.pdf": SEEN for number in range(10_000)}
    files = HashedFiles(database)
    files.remember([Hashed(path, seen, path[-9:], 200 * SECOND) for path, seen in known.items()])
    statements = []
    database._connection.set_trace_callback(statements.append)
    assert len(files.find(known)) == 10_000
    assert len(statements) <= 20
    database.close()
