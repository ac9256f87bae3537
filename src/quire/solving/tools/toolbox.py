"""The tools of one attempt of a solver or a reviewer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from quire.core.context import Json
from quire.core.errors import InputError
from quire.core.runner import Role, ToolAnswer, ToolSpec
from quire.core.types import BBox, shortened
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.schema import ExtractSchema, asked_schema
from quire.evidence.extract.values import LeafEvidence
from quire.output.place_crops import around
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.tools.arguments import BadCall, ToolArguments
from quire.solving.tools.catalog_views import CatalogViews
from quire.solving.tools.pictures import fitting_png
from quire.solving.tools.proposals import Proposals
from quire.solving.tools.tool_specs import reviewer_specs, solver_specs

CropPicture: TypeAlias = Callable[[int, int, BBox | None], bytes]
"""Draws a page of the document at a position, or a box of it, as PNG. Raises InputError."""
LARGEST_CALL = 100_000
"""Characters of the arguments of a call."""
_OPEN = 12


class SolveTools:
    """Reads the documents of a task, and collects what a model proposes, or finds wrong with an answer.

    `by` is the name of the runner. With a `picture` function there is a tool that shows pictures. An object belongs to
    one attempt, and to one thread.
    """

    def __init__(
        self,
        documents: JoinedCatalog,
        schema: ExtractSchema,
        *,
        role: Role = "solver",
        by: str = "tools",
        picture: CropPicture | None = None,
    ) -> None:
        self._documents = documents
        self._views = CatalogViews(documents)
        self._proposals = Proposals(documents, schema, by)
        self._picture = picture
        self._role = role
        make = solver_specs if role == "solver" else reviewer_specs
        self._specs = tuple(make(pictures=picture is not None))
        called: Mapping[str, Callable[[ToolArguments], ToolAnswer]] = {
            "search": self._search,
            "read_page": self._read_page,
            "read_table": self._read_table,
            "view_crop": self._view_crop,
            "cite": self._cite,
            "propose": self._propose,
            "not_found": self._not_found,
            "finding": self._finding,
            "note": self._note,
        }
        self._called = {spec.name: called[spec.name] for spec in self._specs}

    @classmethod
    def over(
        cls, catalogs: Sequence[SourceCatalog], schema: Mapping[str, Json], *, role: Role = "solver"
    ) -> SolveTools:
        """The tools over some documents, without pictures, to try a runner. Raises UsageError for a schema that cannot
        be filled."""
        return cls(JoinedCatalog(catalogs), asked_schema(schema, ()), role=role)

    @property
    def specs(self) -> Sequence[ToolSpec]:
        return self._specs

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool. Wrong names and arguments are answers with `error`, never exceptions."""
        function = self._called.get(name) if isinstance(name, str) else None
        try:
            if function is None:
                raise BadCall(f"there is no tool {shortened(str(name))!r}; there are {', '.join(self._called)}")
            if not isinstance(arguments, Mapping):
                raise BadCall("the arguments should be a JSON object")
            _check_size(arguments)
            return function(ToolArguments(arguments))
        except BadCall as error:
            return ToolAnswer({"error": str(error)}, error=True)

    def output(self) -> Mapping[str, bytes]:
        """The files of what was proposed, or of what a reviewer has found."""
        return self._proposals.answer_files() if self._role == "solver" else self._proposals.finding_files()

    def _search(self, given: ToolArguments) -> ToolAnswer:
        return ToolAnswer(self._views.search(given.needed("query", most=500), given.number("from") or 0))

    def _read_page(self, given: ToolArguments) -> ToolAnswer:
        document, page, start = given.text("document"), given.number("page"), given.number("from") or 0
        if page is None:
            return ToolAnswer(self._views.map(self._views.short_name(document) if document else None, start))
        return ToolAnswer(self._views.page(self._views.page_number(document, page), start))

    def _read_table(self, given: ToolArguments) -> ToolAnswer:
        start = given.number("from")
        return ToolAnswer(self._views.table(given.needed("record").strip(" []"), start or 0))

    def _view_crop(self, given: ToolArguments) -> ToolAnswer:
        assert self._picture is not None
        name, page = given.text("record").strip(" []"), given.number("page")
        if name:
            number, box = self._place_of(name)
        elif page is not None:
            number, box = self._views.page_number(given.text("document"), page), None
        else:
            raise BadCall("name a record, or a page")
        at, own = self._documents.place_of(number)
        try:
            image = fitting_png(self._picture(at, own, box))
        except (InputError, ValueError) as error:
            raise BadCall(f"the picture cannot be drawn: {shortened(str(error), 200)}") from None
        shown = {"record": name} if name else {}
        return ToolAnswer({**self._views.place(number), **shown, "picture": "in the next message"}, image)

    def _place_of(self, name: str) -> tuple[int, BBox | None]:
        """The page and the box of a record, or of a block without a text."""
        catalog = self._documents.whole
        found = catalog.by_id.get(name) or catalog.block_by_id.get(name)
        if found is None:
            raise BadCall(f"there is no record {shortened(name)!r}; take ids from search, read_page or read_table")
        return found.page, around(place.bbox for place in found.places if place.page == found.page)

    def _cite(self, given: ToolArguments) -> ToolAnswer:
        return ToolAnswer({"verified": True, **self._shown(self._proposals.cited(given))})

    def _propose(self, given: ToolArguments) -> ToolAnswer:
        evidence, value = self._proposals.propose(given)
        path = {"path": evidence.path, "value": value}
        if evidence.status == "unverified":
            advice = "kept, but not verified: repair it by proposing again with another record or quote"
            return ToolAnswer({**path, "error": f"{evidence.reason}; {advice}"}, error=True)
        remark = {"remark": f"citation corrected: {evidence.reason}"} if evidence.status == "repaired" else {}
        return ToolAnswer({**path, "verified": True, **self._shown(evidence), **remark, **self._left()})

    def _not_found(self, given: ToolArguments) -> ToolAnswer:
        return ToolAnswer({"path": self._proposals.give_up(given), "kept": True, **self._left()})

    def _finding(self, given: ToolArguments) -> ToolAnswer:
        return ToolAnswer({"path": self._proposals.find(given).path, "kept": True})

    def _note(self, given: ToolArguments) -> ToolAnswer:
        self._proposals.note(given.needed("text"))
        return ToolAnswer({"kept": True})

    def _left(self) -> dict[str, Json]:
        """The paths that have nothing yet."""
        left = self._proposals.open_paths
        return {"open": [*left[:_OPEN], *([f"and {len(left) - _OPEN} more"] if len(left) > _OPEN else [])]}

    def _shown(self, evidence: LeafEvidence) -> dict[str, Json]:
        """Where a value stands, from the catalog."""
        if evidence.page is None:
            return {}
        boxes = [[box.left, box.top, box.width, box.height] for box in evidence.bboxes[:4]]
        record = {"record": evidence.records[0]} if evidence.records else {}
        printed = {"printed": shortened(evidence.quote, 300)} if evidence.quote else {}
        return {**printed, **record, **self._views.place(evidence.page), "boxes": boxes}


def _check_size(arguments: Mapping[str, Any]) -> None:
    try:
        size = len(json.dumps(dict(arguments)))
    except (RecursionError, ValueError, TypeError):
        raise BadCall("the arguments are nested too deep, or no JSON") from None
    if size > LARGEST_CALL:
        raise BadCall(f"the arguments have {size:,} characters; give at most {LARGEST_CALL:,}")
