"""The JSON of reviews, as models for the OpenAPI description."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from quire.evidence.extract.values import SURE
from quire.evidence.review.decisions import Action, ItemState
from quire.evidence.review.items import DOUBTS, Doubt
from quire.service.api.schemas import ApiSchema, PageBox

Value = str | int | float | bool | None
REVIEWER = 100
"""Characters of the name of a reviewer."""


class ReviewRequest(ApiSchema):
    """A document whose extraction is to be reviewed: that of its run, or one that was made elsewhere."""

    document: str = Field(max_length=200)
    extraction: dict[str, Any] | None = Field(None, description="What `quire extract` prints, if it is from elsewhere.")
    schema_: dict[str, Any] | list[str] | str | None = Field(None, alias="schema", description="The schema of that.")
    doubts: list[Doubt] = Field(list(DOUBTS), description="The reasons for which a value needs a decision.")
    below: float = Field(
        SURE, ge=0, le=1, description="A value that answers its field with a lower probability is `low`."
    )


class ClaimRequest(ApiSchema):
    """Which values a reviewer wants next. Empty lists and texts allow all."""

    reviewer: str = Field("", max_length=REVIEWER)
    claim: str | None = Field(
        None,
        pattern="^[0-9a-f]{32}$",
        description="The name of the claim, random, so that it can be given back even if the answer is lost.",
    )
    doubts: list[Doubt] = Field([], description="Only values with these doubts; all open values by default.")
    field: str = Field("", max_length=1000)
    run: str = Field("", max_length=200)
    review: str = Field("", max_length=200)
    path: str = Field("", max_length=1000, description="With `review`: this value, or the list that it is in.")
    after_review: str = Field("", max_length=200, description="With `after_path`: first those behind that value.")
    after_path: str = Field("", max_length=1000)
    again: bool = Field(True, description="Begin again at the first value when none is behind `after_path`.")


class DecisionRequest(ApiSchema):
    """A decision about a value, as it was in a version. `value`, `quote` and the place are for `correct`."""

    path: str = Field(max_length=1000)
    action: Action | Literal["undo"]
    version: int = Field(ge=0, le=10**9)
    claim: str = Field("", max_length=100)
    reviewer: str = Field("", max_length=REVIEWER)
    value: Value = None
    quote: str = Field("", max_length=20_000)
    page: int | None = Field(None, ge=1, le=10**7)
    bboxes: list[PageBox] = Field([], max_length=1000)
    blocks: list[str] = Field([], max_length=1000)
    note: str = Field("", max_length=2000)


class SampleRequest(ApiSchema):
    """Whether a review is a sample to learn from."""

    sample: bool


class ReviewSummary(BaseModel):
    """A review. `open` counts the values that still need a decision, by doubt; `states` counts all values.

    `pages` is the id under which `/api/documents` shows the document, as long as the review exists.
    """

    id: str
    document: str
    pages: str
    run: str
    name: str
    opened: float
    ended: float | None
    sample: bool
    open: dict[str, int]
    states: dict[str, int]


class ReviewedItem(BaseModel):
    """A value of a review: what the schema says about it, what was extracted, and what was decided.

    `value` is the current one, `evidence` that of the extraction. `part` is the list it belongs to, or its own path.
    """

    review: str
    path: str
    field: str
    part: str
    title: str
    description: str
    type: str
    kind: str | None
    enum: list[Any]
    doubt: str
    state: ItemState
    version: int
    reviewer: str
    value: Any
    extracted: Any
    evidence: dict[str, Any]
    conflict: dict[str, Any] | None
    missing: dict[str, Any] | None
    decision: dict[str, Any] | None


class ReviewDetail(ReviewSummary):
    """A review with its values, and the extraction as it is after the decisions."""

    items: list[ReviewedItem]
    extraction: dict[str, Any]


class ReviewList(BaseModel):
    """Reviews, the latest first. `next` is the value of `before` for the next page."""

    reviews: list[ReviewSummary]
    next: str | None


class ReviewQueueView(BaseModel):
    """How many open values there are, by doubt and by field, and the first of them."""

    total: int
    doubts: dict[str, int]
    fields: dict[str, int]
    items: list[ReviewedItem]


class ReviewColumn(BaseModel):
    """A field of the rows of a list."""

    field: str
    title: str


class ClaimedItems(BaseModel):
    """Values that a reviewer has for `lease_s` seconds: one, or all of a list. `left` are open and wanted, with these.

    `claim` is null when there is nothing left, or others have what is: `held` counts it by the names of reviewers.
    """

    claim: str | None
    lease_s: float
    review: ReviewSummary | None
    part: str
    columns: list[ReviewColumn]
    items: list[ReviewedItem]
    left: int
    held: dict[str, int]


class ClaimLease(BaseModel):
    """A claim that was renewed."""

    claim: str
    lease_s: float


class ReviewEntry(BaseModel):
    """An entry of the history: it made that version of the value. `undo` withdraws the decision before it."""

    path: str
    version: int
    action: str
    decision: dict[str, Any] | None
    reviewer: str
    at: float


class ReviewHistory(BaseModel):
    """Everything that was decided in a review, in the order of time."""

    history: list[ReviewEntry]


class StaleFault(BaseModel):
    """Why a decision was refused, and how the value is by now."""

    detail: str
    item: ReviewedItem
