"""Buckets without end, slow ones, and large objects in them."""

from __future__ import annotations

from itertools import count

import obstore
import pytest
from obstore.store import MemoryStore

from quire.core.errors import FetchError, LimitError
from quire.core.fetch_policy import FetchPolicy
from quire.durable.tasks import buckets as delivering

BUCKET = {"kind": "s3", "endpoint": "127.0.0.1:9", "bucket": "archive", "verify_ssl": False}
HERE = FetchPolicy(allow_private=True, timeout_s=60)


@pytest.fixture
def listed(monkeypatch):
    """Portions of an endless bucket, as they are asked for; `size` is that of each object."""
    asked: list[int] = []

    def endless(size: int):
        def portions(_, **__):
            for number in count():
                asked.append(number)
                yield [{"path": f"{number}-{one}.pdf", "size": size} for one in range(50)]

        monkeypatch.setattr(obstore, "list", portions)
        return asked

    return endless


def test_listing_a_bucket_stops_at_the_number_that_is_asked_for(listed):
    """Asked for 5 objects, a bucket of two million was listed to its end."""
    asked = listed(size=1)
    assert len(delivering.objects({**BUCKET, "max_num_elements": 5}, HERE)) == 5 and asked == [0]
    assert len(delivering.objects(BUCKET, HERE)) == delivering.MOST_OBJECTS


def test_listing_a_bucket_has_a_deadline(listed, monkeypatch):
    """Empty objects are left out, so that a bucket with nothing else would be listed for ever."""
    asked, clock = listed(size=0), count(step=10)
    monkeypatch.setattr("quire.durable.tasks.buckets.time.monotonic", lambda: next(clock))
    with pytest.raises(FetchError, match=r"s3://archive cannot be listed: took longer than 60 s") as failed:
        delivering.objects(BUCKET, HERE)
    assert failed.value.retryable and len(asked) == 6


@pytest.fixture
def stored(monkeypatch, tmp_path) -> MemoryStore:
    store = MemoryStore()
    monkeypatch.setattr(delivering, "_opened", lambda *_: store)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return store


def test_an_object_is_streamed_to_a_file(stored):
    content = bytes(range(256)) * 100_000
    obstore.put(stored, "in/report.pdf", content)
    fetched = delivering.downloaded({**BUCKET, "key": "in/report.pdf"}, HERE)
    assert (fetched.name, fetched.path.read_bytes()) == ("report.pdf", content)


def test_an_object_that_is_too_large_leaves_nothing_behind(stored, tmp_path):
    obstore.put(stored, "large.pdf", bytes(2 << 20))
    with pytest.raises(LimitError, match="larger than 1 MB"):
        delivering.downloaded({**BUCKET, "key": "large.pdf"}, FetchPolicy(max_bytes=1 << 20))
    assert list(tmp_path.iterdir()) == []
