"""The part of a store for a tenant keeps the promises of a store in the tenant's own keys."""

from __future__ import annotations

import pytest

from quire.asking import Asker, Talk
from quire.core.errors import FencedError, UsageError
from quire.core.keys import ArtifactKey
from quire.store.files import FileStore
from quire.store.scoped import scoped
from tests.unit.asking.test_asker import Embedder

KEY, OTHER = ArtifactKey("a" * 64), ArtifactKey("b" * 64)
SCOPE = "tenant-of-the-tests"


def asker_of(store) -> Asker:
    return Asker(store, document="d", check=lambda: None, tell=lambda *_, **__: None)


@pytest.mark.parametrize("scope", ["", SCOPE])
def test_a_worker_answers_the_request_that_it_has_claimed(tmp_path, scope):
    with FileStore(tmp_path) as store:
        own = scoped(store, scope)
        talk = Talk(asker_of(own), Embedder("tenants"))
        assert talk.on_request("claim", {"key": KEY}, b"") == ({"found": False}, b"")
        with pytest.raises(UsageError, match="did not claim"):
            talk.on_request("save", {"key": OTHER}, b"of another page")
        talk.on_request("save", {"key": KEY}, b"answer")
        talk.close()
        assert own.load(own.find(KEY)) == b"answer"
        claim = own.claim(KEY)
        assert claim is not None, "it was released"
        own.release(claim)


def test_a_claim_of_a_tenant_excludes_the_tenant_alone_and_is_fenced(tmp_path):
    with FileStore(tmp_path, lease_s=3600) as store, FileStore(tmp_path) as other:
        mine, theirs = scoped(store, SCOPE), scoped(store, "tenant-of-others")
        claim = mine.claim(KEY)
        assert claim is not None and claim.key == KEY
        assert mine.claim(KEY) is None
        assert theirs.claim(KEY) is not None and store.claim(KEY) is not None
        store.database.change("UPDATE owners SET expires = 0")  # the process did not respond for too long
        taken = scoped(other, SCOPE).claim(KEY)
        assert taken is not None and taken.takeover
        with pytest.raises(FencedError):
            mine.save(KEY, b"late", stage="answer", document="d", claim=claim)
        scoped(other, SCOPE).save(KEY, b"in time", stage="answer", document="d", claim=taken)
        assert mine.load(mine.find(KEY)) == b"in time"


def test_tenants_wait_for_the_same_slots_of_an_engine(tmp_path):
    with FileStore(tmp_path) as store:
        slot = ArtifactKey("place/engine/0")
        claim = scoped(store, SCOPE).claim(slot)
        assert claim is not None and scoped(store, "tenant-of-others").claim(slot) is None
        scoped(store, SCOPE).release(claim)
        assert store.claim(slot) is not None
