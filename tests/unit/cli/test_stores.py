"""Which store a command means, and which run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from quire.cli.stores import existing_place, find_run, place_for
from quire.core.config import Settings
from quire.core.errors import UsageError
from quire.database.runs import Runs
from quire.database.sqlite import SqliteDatabase
from quire.runtime.local import LocalRuntime


@pytest.fixture
def database():
    with closing(SqliteDatabase(None)) as database:
        yield database


def make_store(folder: Path) -> str:
    folder.mkdir(parents=True)
    (folder / "facts.sqlite3").touch()
    return str(folder)


def test_a_batch_keeps_its_store_in_the_output_folder_unless_another_is_named():
    assert place_for(Settings(output="out")) == "out/.quire"
    assert place_for(Settings(output="out", store="s3://bucket")) == "s3://bucket"
    with pytest.raises(UsageError, match="-o DIR"):
        place_for(Settings())


def test_the_store_of_earlier_runs_is_the_named_one_or_that_of_the_output_or_is_found_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert existing_place(Settings(store="s3://bucket")) == "s3://bucket"
    named, output = make_store(tmp_path / "named"), make_store(tmp_path / "papers" / ".quire")
    assert existing_place(Settings(store=named)) == named
    assert existing_place(Settings(output=str(tmp_path / "papers"))) == output
    make_store(Path("out/.quire"))
    assert existing_place(Settings()) == "out/.quire"
    make_store(Path(".quire"))
    assert existing_place(Settings()) == ".quire"


def test_a_store_that_is_not_there_is_not_made_but_explained(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"no store in \.quire and out/\.quire; name the output folder"):
        existing_place(Settings())
    with pytest.raises(UsageError, match="no store in typo"):
        existing_place(Settings(store="typo"))
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_the_latest_batch_or_named_by_the_beginning_of_its_id(database):
    runs, runtime = Runs(database), LocalRuntime(database, [])
    with pytest.raises(UsageError, match="no batch has run"):
        find_run(runtime, None)
    first, _ = runs.begin("batch", {}, key="a")
    second, _ = runs.begin("batch", {}, key="b")
    other, _ = runs.begin("flow", {}, key="c")
    assert find_run(runtime, None).run == second
    assert find_run(runtime, first[:6]).run == first
    assert find_run(runtime, other).run == other
    with pytest.raises(UsageError, match="there is no run zzz"):
        find_run(runtime, "zzz")
    with pytest.raises(UsageError, match="there is no run %"):
        find_run(runtime, "%")
    with pytest.raises(UsageError, match="several runs begin with"):
        find_run(runtime, "")


def test_an_id_that_longer_ones_begin_with_is_found_among_many(database):
    runs, runtime = Runs(database), LocalRuntime(database, [])
    ids = []
    for _ in range(12):  # the last ones are called …-10, …-11, …-12
        run, _ = runs.begin("flow", {}, key="a")
        runs.finish(run, "failed", error="again")
        ids.append(run)
    assert find_run(runtime, ids[0]).run == ids[0]
    with pytest.raises(UsageError, match=r"several runs begin with .*, …; give more characters of the id"):
        find_run(runtime, ids[0][:4])
