"""Reviews in both databases: claims with leases, versions, histories, and what is deleted with a document."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import pytest

from quire.core.errors import UsageError
from quire.database import reviews
from quire.database.document_rows import DocumentRows
from quire.database.reviews import LEASE_S, QueueFilter, StaleItem
from quire.durable.review.review_queue import ReviewQueue
from quire.evidence.extract.values import LeafEvidence
from quire.evidence.review.decisions import Decision
from tests.bills import SCHEMA, anywhere, bill_extraction

ALL = ("conflict", "not_found", "unverified", "low")
_numbers = count()


@pytest.fixture
def tenant() -> str:
    """The tests of a server share a database: each has a tenant of its own."""
    return f"tenant-{next(_numbers)}"


@pytest.fixture
def queue(either_database) -> ReviewQueue:
    return ReviewQueue(either_database)


def opened(queue: ReviewQueue, tenant: str, document: str = "", **more):
    document = document or f"{tenant}-{next(_numbers)}"
    extraction = bill_extraction(document, anywhere())
    return queue.open(extraction, SCHEMA, reference(tenant, document), place=f"{document}.1", **more)


def reference(tenant: str, document: str) -> dict[str, object]:
    return {"scope": tenant, "source": {"id": document}}


def test_the_same_extraction_is_the_same_review(queue, tenant):
    first = opened(queue, tenant, "same")
    assert opened(queue, tenant, "same") == first
    assert opened(queue, f"{tenant}-other", "same").id != first.id
    assert len(queue.tables.items(first.id)) == 11


def test_two_claims_never_have_the_same_value(queue, tenant):
    for _ in range(3):
        opened(queue, tenant)
    wanted = QueueFilter(tenant, ALL)

    def work(number: int) -> list[tuple[str, str]]:
        got = []
        while (claim := queue.claim(wanted, f"reviewer {number}")) is not None:
            got.append((claim.review.id, claim.part))
        return got

    with ThreadPoolExecutor(4) as threads:
        claimed = [one for some in threads.map(work, range(4)) for one in some]
    assert len(claimed) == 3 * 5
    assert len({*claimed}) == len(claimed)


def test_a_list_is_claimed_with_all_its_cells(queue, tenant):
    opened(queue, tenant)
    claim = queue.claim(QueueFilter(tenant, ("unverified",), field="items[].name"), "Ada")
    assert claim is not None
    assert claim.part == "items"
    assert len(claim.items) == 6
    assert all(one.claim == claim.claim and one.held for one in claim.items)


def test_a_lease_that_is_not_renewed_lets_another_reviewer_in(queue, tenant, monkeypatch):
    opened(queue, tenant)
    wanted = QueueFilter(tenant, ("conflict",))
    first = queue.claim(wanted, "Ada")
    assert first is not None
    assert queue.claim(wanted, "Bob") is None
    assert queue.tables.renew(first.claim, tenant)
    assert not queue.tables.renew(first.claim, "another tenant")
    database = queue.tables._database
    now = database.now() + LEASE_S + 1
    monkeypatch.setattr(database, "now", lambda: now)
    second = queue.claim(wanted, "Bob")
    assert second is not None and second.items[0].path == first.items[0].path
    assert not queue.tables.renew(first.claim, tenant)
    with pytest.raises(StaleItem, match="reviewed by Bob"):
        queue.decide(first.review, "total", Decision("approve"), version=0, claim=first.claim, reviewer="Ada")
    queue.tables.release(second.claim, "another tenant")
    assert queue.claim(wanted, "Ada") is None
    queue.tables.release(second.claim, tenant)
    assert queue.claim(wanted, "Ada") is not None


def test_next_goes_on_behind_the_value_and_begins_again_at_the_end(queue, tenant):
    opened(queue, tenant)
    paths = []
    after = None
    for _ in range(6):
        claim = queue.claim(QueueFilter(tenant, ALL), "Ada", after=after)
        assert claim is not None
        paths.append(claim.part)
        after = claim.review.id, claim.items[-1].path
        queue.tables.release(claim.claim, tenant)
    assert paths == ["number", "date", "total", "currency", "items", "number"]


def test_next_stops_behind_the_last_value_where_it_does_not_begin_again(queue, tenant):
    opened(queue, tenant)
    wanted = QueueFilter(tenant, ALL)
    paths, after = [], None
    while (claim := queue.claim(wanted, "Ada", after=after, again=False)) is not None:
        paths.append(claim.part)
        after = claim.review.id, claim.items[-1].path
        queue.tables.release(claim.claim, tenant)
    assert paths == ["number", "date", "total", "currency", "items"]
    assert queue.tables.held(wanted) == {}
    queue.claim(QueueFilter(tenant, field="items[].name"), "Ada")
    queue.claim(QueueFilter(tenant, field="total"), "Bob")
    assert queue.tables.held(wanted) == {"Ada": 2, "Bob": 1}


def test_a_stale_decision_is_refused_and_both_stay_in_the_history(queue, tenant):
    review = opened(queue, tenant)
    made = queue.decide(review, "total", Decision("correct", "145"), version=0, claim="", reviewer="Ada")
    assert (made.state, made.version, made.decision["value"]) == ("corrected", 1, 145)
    with pytest.raises(StaleItem) as refused:
        queue.decide(review, "total", Decision("approve"), version=0, claim="", reviewer="Bob")
    assert refused.value.item.version == 1
    queue.undo(review, "total", version=1, claim="", reviewer="Bob")
    item = next(one for one in queue.tables.items(review.id) if one.path == "total")
    assert (item.state, item.version, item.decision) == ("open", 2, None)
    assert [(one.action, one.reviewer) for one in queue.tables.history(review.id)] == [
        ("correct", "Ada"),
        ("undo", "Bob"),
    ]
    with pytest.raises(UsageError, match="no decision"):
        queue.undo(review, "total", version=2, claim="", reviewer="Bob")


def test_of_two_decisions_at_once_one_is_stale(queue, tenant):
    review = opened(queue, tenant)

    def decide(number: int) -> bool:
        try:
            queue.decide(review, "date", Decision("approve"), version=0, claim="", reviewer=f"{number}")
        except StaleItem:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(decide, range(4))) == 1


def test_a_review_ends_with_its_last_doubt_and_undo_opens_it_again(queue, tenant):
    review = opened(queue, tenant, run="run-1", waits=True)
    doubtful = [one.path for one in queue.tables.items(review.id) if one.doubt]
    for path in doubtful:
        assert queue.tables.find(review.id).ended is None
        queue.decide(review, path, Decision("approve"), version=0, claim="", reviewer="Ada")
    ended = queue.tables.find(review.id)
    assert ended.ended is not None
    assert ended.waiting == ["run-1"]
    assert review.id in [one.id for one in queue.tables.awaited()]
    queue.tables.reported(review.id, ended.waiting)
    assert review.id not in [one.id for one in queue.tables.awaited()]
    queue.undo(review, doubtful[-1], version=1, claim="", reviewer="Ada")
    assert queue.tables.find(review.id).ended is None


def test_a_second_run_waits_for_the_review_of_the_first(queue, tenant):
    opened(queue, tenant, "shared", run="run-1", waits=True)
    assert opened(queue, tenant, "shared", run="run-2", waits=True).waiting == ["run-1", "run-2"]
    assert opened(queue, tenant, "shared", run="run-1", waits=True).waiting == ["run-1", "run-2"]


def test_a_row_can_be_added_to_a_list_of_the_schema_alone(queue, tenant):
    review = opened(queue, tenant)
    made = queue.decide(review, "items[3].name", Decision("correct", "Sail"), version=0, claim="", reviewer="Ada")
    assert (made.part, made.field, made.state) == ("items", "items[].name", "corrected")
    assert queue.extraction(review).values["items"][3] == {"name": "Sail"}
    for path in ("items[3].colour", "other"):
        with pytest.raises(UsageError, match="has no value"):
            queue.decide(review, path, Decision("correct", "x"), version=0, claim="", reviewer="Ada")


def test_a_row_is_not_added_to_a_list_that_another_reviewer_has(queue, tenant):
    review = opened(queue, tenant)
    claim = queue.claim(QueueFilter(tenant, field="items[].name"), "Ada")
    assert claim is not None
    row = "items[3].name", Decision("correct", "Sail")
    with pytest.raises(StaleItem, match="reviewed by Ada"):
        queue.decide(review, *row, version=0, claim="", reviewer="Bob")
    assert len(queue.tables.items(review.id)) == 11, "nothing is left of it"
    assert queue.decide(review, *row, version=0, claim=claim.claim, reviewer="Ada").held
    queue.tables.release(claim.claim, tenant)
    assert not any(one.held for one in queue.tables.items(review.id))


def test_a_row_with_a_value_that_is_refused_is_not_added(queue, tenant):
    review = opened(queue, tenant)
    with pytest.raises(UsageError, match="empty"):
        queue.decide(review, "items[3].name", Decision("correct", ""), version=0, claim="", reviewer="Ada")
    assert len(queue.tables.items(review.id)) == 11


def test_rows_that_two_reviewers_add_at_once_to_a_list_without_any_are_both_accepted(queue, tenant):
    document = f"{tenant}-{next(_numbers)}"
    whole = bill_extraction(document, anywhere(), rows=())
    missing = {**whole.evidence, "items": LeafEvidence("items", "not_found")}
    review = queue.open(replace(whole, evidence=missing), SCHEMA, reference(tenant, document))

    def add(number: int) -> str:
        decision = Decision("correct", f"name {number}")
        return queue.decide(review, f"items[{number}].name", decision, version=0, claim="", reviewer="").state

    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(add, range(4))] == ["corrected"] * 4
    assert queue.extraction(review).values["items"] == [{"name": f"name {number}"} for number in range(4)]
    numbers = [one.number for one in queue.tables.items(review.id)]
    assert len({*numbers}) == len(numbers)
    assert [one.action for one in queue.tables.history(review.id) if one.path == "items"] == ["approve"]


def test_undo_goes_back_by_one_decision_also_where_the_clocks_of_servers_differ(queue, tenant, monkeypatch):
    review = opened(queue, tenant)
    for version, (value, at) in enumerate((("A-1", 200.0), ("A-2", 100.0))):
        monkeypatch.setattr(reviews.time, "time", lambda at=at: at)
        queue.decide(review, "number", Decision("correct", value), version=version, claim="", reviewer="Ada")
    assert queue.undo(review, "number", version=2, claim="", reviewer="Ada").decision["value"] == "A-1"


def test_a_run_that_waits_while_others_are_told_of_the_end_is_not_forgotten(queue, tenant):
    review = opened(queue, tenant, "reopened", run="run-1", waits=True)
    queue.tables.reported(review.id, opened(queue, tenant, "reopened", run="run-2", waits=True).waiting[:1])
    assert queue.tables.find(review.id).waiting == ["run-2"]


def test_samples_are_those_that_were_marked_or_all_that_ended(queue, tenant, either_database):
    every = ReviewQueue(either_database, every=True)
    review, other = opened(queue, tenant), opened(queue, tenant)
    assert list(every.samples(tenant)) == []
    queue.tables.set_sample(review.id, True)
    assert len(list(queue.samples(tenant))) == 1
    for item in queue.tables.items(other.id):
        queue.decide(other, item.path, Decision("approve"), version=0, claim="", reviewer="Ada")
    samples = list(every.samples(tenant))
    assert len(samples) == 2
    assert {"document", "schema", "values", "places"} <= samples[0][1].keys()


def test_nothing_of_a_review_is_left_when_its_document_is_deleted(queue, tenant, either_database):
    review, other = opened(queue, tenant), opened(queue, tenant)
    for one in (review, other):
        queue.decide(one, "date", Decision("approve"), version=0, claim="", reviewer="Ada")
    DocumentRows(either_database).delete(review.document, [])
    assert queue.tables.find(review.id, tenant) is None
    for path in ("total", "items[7].price"):
        with pytest.raises(UsageError, match="deleted with its document"):
            queue.decide(review, path, Decision("correct", "1"), version=0, claim="", reviewer="Ada")
    for table in ("reviews", "review_items", "review_history"):
        rows = either_database.rows(f"SELECT count(*) FROM {table} WHERE document = ?", (review.document,))
        assert rows == [(0,)], table
    assert queue.tables.history(other.id)
    assert queue.decisions(other)


def test_texts_that_databases_refuse_are_kept(queue, tenant):
    hostile = "a\x00b\ud800<script>'; DROP TABLE reviews; --"
    review = opened(queue, tenant)
    queue.decide(review, "number", Decision("correct", hostile), version=0, claim="", reviewer="Ada")
    assert queue.extraction(review).values["number"] == hostile


def decide(queue, review, path, action="correct", value=None, version=0):
    return queue.decide(review, path, Decision(action, value), version=version, claim="", reviewer="Ada")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("total[0]", "total is a single value"),
        ("items[9000].price", r"items has 3 rows; add the next one as items\[3\]"),
        ("items[03].price", r"number, date, total, currency, seller.name, items\[\].name, items\[\].price"),
        ("items[٣].price", "no value"),
        ("items", "no value"),
        ("items[0]", "no value"),
        ("items.price", "no value"),
        ("seller", "no value"),
    ],
)
def test_a_decision_about_a_path_that_the_document_cannot_have_is_refused(queue, tenant, path, said):
    review = opened(queue, tenant)
    decide(queue, review, "total", value="145")
    for action in ("correct", "absent", "reject", "approve"):
        with pytest.raises(UsageError, match=said):
            decide(queue, review, path, action, 7)
    after = queue.extraction(review)
    assert (after.values["total"], len(after.values["items"])) == (145, 3)
    assert len(queue.tables.items(review.id)) == 11


def test_rows_are_added_one_behind_the_other_and_a_withdrawn_one_leaves_no_gap(queue, tenant):
    review = opened(queue, tenant)
    decide(queue, review, "items[3].name", value="Sail")
    decide(queue, review, "items[4].name", value="Oar")
    queue.undo(review, "items[3].name", version=1, claim="", reviewer="Ada")
    after = queue.extraction(review)
    assert [row and row["name"] for row in after.values["items"]][3:] == ["Oar"]
    assert after["items[3].name"].status == "corrected"
    assert "items[4].name" not in after.evidence
    decide(queue, review, "items[3].name", value="Mast", version=2)
    assert [row["name"] for row in queue.extraction(review).values["items"]][3:] == ["Mast", "Oar"]


def test_two_reviewers_who_add_the_same_row_do_not_overwrite_each_other(queue, tenant):
    review = opened(queue, tenant)

    def add(name: str) -> bool:
        try:
            decide(queue, review, "items[3].name", value=name)
        except StaleItem:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(add, ("Sail", "Oar", "Mast", "Keel"))) == 1
    assert len(queue.extraction(review).values["items"]) == 4
    with pytest.raises(StaleItem):
        decide(queue, review, "items[4].name", value="Sail", version=7)


def test_approving_a_corrected_value_keeps_the_correction(queue, tenant):
    review = opened(queue, tenant)
    decide(queue, review, "total", value="145")
    made = decide(queue, review, "total", "approve", version=1)
    assert (made.state, made.decision["value"]) == ("corrected", 145)
    assert queue.extraction(review).values["total"] == 145


def test_a_value_that_nobody_gave_cannot_be_approved(queue, tenant):
    review = opened(queue, tenant)
    with pytest.raises(UsageError, match=r"items\[3\].name has no value to approve"):
        decide(queue, review, "items[3].name", "approve")
    assert "items[3].name" not in queue.extraction(review).evidence


def test_a_missing_list_that_has_rows_by_now_is_not_absent(queue, tenant):
    extraction = bill_extraction(tenant, anywhere())
    extraction = replace(
        extraction,
        values={**extraction.values, "items": []},
        evidence={path: one for path, one in extraction.evidence.items() if not path.startswith("items")}
        | {"items": LeafEvidence("items", "not_found")},
    )
    review = queue.open(extraction, SCHEMA, reference(tenant, tenant))
    decide(queue, review, "items[0].name", value="Rope")
    with pytest.raises(UsageError, match="items has rows"):
        decide(queue, review, "items", "absent", version=1)
    assert queue.extraction(review).values["items"] == [{"name": "Rope"}]


def test_a_field_with_several_values_takes_another_one(queue, tenant):
    extraction = bill_extraction(tenant, anywhere())
    kept = {path: one for path, one in extraction.evidence.items() if path != "number"}
    listed = {f"number[{at}]": LeafEvidence(f"number[{at}]", "unverified") for at in (0, 1)}
    extraction = replace(
        extraction, values={**extraction.values, "number": ["INV-1", "INV-2"]}, evidence={**kept, **listed}
    )
    review = queue.open(extraction, SCHEMA, reference(tenant, tenant))
    decide(queue, review, "number[2]", value="INV-3")
    assert queue.extraction(review).values["number"] == ["INV-1", "INV-2", "INV-3"]
    with pytest.raises(UsageError, match=r"no value number; choose from .*, number\[\]"):
        decide(queue, review, "number", value="INV-4")
