"""Ranks the candidates of a document for each leaf of a schema."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from quire.core.context import Json
from quire.evidence.extract.candidates.candidate import Candidate
from quire.evidence.extract.patterns import value_pattern
from quire.evidence.extract.rules.arithmetic import Arithmetic
from quire.evidence.extract.rules.layout import Senders, document_kind, largest
from quire.evidence.extract.rules.leaves import WantedLeaf
from quire.evidence.extract.rules.score import LabelFit, LabelFitting
from quire.evidence.extract.schema import LeafSpec, ValueKind
from quire.lexicon.addresses import address_marks
from quire.lexicon.booleans import said_boolean
from quire.lexicon.labels import LabelMatcher, is_form_label
from quire.lexicon.phrases import solid

LEAST = 0.42
"""The least score with which a candidate is proposed."""
TITLED = 0.15
"""The bonus of the number of an invoice over other numbers on a document that calls itself invoice."""
REPEATED = 0.03
"""The bonus of a value for each further place where it stands, up to three."""
LABELLED = 0.5
"""The weight of a label for a sender, who is found by the place of the name and needs none."""
DOUBTED = 0.3
"""The deduction from a candidate that OCR read without any confidence."""
SURE = 0.75
"""The least with which the head of a row says that it is that of a total."""
MANY = 2
"""Cells in a column: where there are more, none of them is that of the document."""
SPREAD = 0.6
"""The factor on the label of a column for each of several values below it."""
LABEL = 0.9
"""The least with which a whole text is the label of something: `Qty` beside `Description` is the next head."""
A_LABEL = 0.4
"""The factor on a name or a short text that is itself a label."""
A_PART = 0.85
"""The factor on the beginning of a text where any text is wanted: `30` of `30 days`."""
OTHER, NAMED = 0.6, 0.85
"""The factor on a value of another kind than the name of a field promises, and the least with which its label must
name the field."""
ADDS_UP, ANOTHER, PROVEN = 0.1, 0.3, 0.45
"""The bonus of an amount that other amounts of the page show to be the net, the tax or the total that is asked for; the
deduction if they show that it is another one of these; and its least score, without any label."""
OF_ROW = 0.15
"""The bonus of the sum of a column in a row of totals behind that of another column."""
IN_STREET = 1.7
"""The least `address_marks` of a line whose numbers are those of a house and a street."""
_RANGE = r"\s*(?:[-–—]|to|through|thru|until|till|bis|au|a|al|t/m|tot|hasta|até)\s*"
_DATE = r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}\.? \w+\.? \d{4}|\w+ \d{1,2},? \d{4})"
_STARTS = re.compile(rf"^{_RANGE}{_DATE}", re.IGNORECASE)
_ENDS = re.compile(rf"{_DATE}{_RANGE}$", re.IGNORECASE)
_DATED = re.compile(  # Rechnung 4711 vom 7. Mai, Invoice 42 dated 3 May
    r"(?:invoice|receipt|bill|order|contract|agreement|rechnung|quittung|auftrag|bestellung|vertrag|facture|commande|contrat|"
    r"factuur|fattura|ordine|contratto|factura|pedido|contrato|fatura)\b.*\b(?:dated|of|from|vom|du|van|del|di|de)\s*$",
    re.IGNORECASE,
)
_PAY_BY = re.compile(  # Bitte überweisen Sie den Betrag bis zum 21. Juli
    r"\b(?:pay|paid|payment|payable|due|collect|[üu]berweis\w+|zahl\w+|begleich\w+|abgebucht|pay[ée]r?|r[ée]gl\w+|"
    r"betal\w+|voldoen|pag\w+)\b.*\b(?:by|before|on|until|bis(?: zum| sp[äa]testens)?|vor dem|am|avant le|"
    r"au plus tard le|uiterlijk(?: op)?|v[óo][óo]r|entro il|antes del?|at[ée]|el)\s*$",
    re.IGNORECASE,
)
_DATES = ("date", "effective_date")
_ALONE: frozenset[ValueKind] = frozenset({"email", "iban", "url", "phone"})


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with how well it fits a leaf, from 0 to a little above 1, and the label that says so."""

    score: float
    candidate: Candidate
    label: str = ""
    named: float = 0.0
    """The score with which the label names the leaf."""
    adds_up: bool | None = None
    """Whether other amounts of the page say that it is what the leaf asks for; None where they say nothing."""


_LEAST_SIGNS: Mapping[str, int] = {"phone": 6, "iban": 10, "tax_number": 7}
"""Letters and digits of a value: what has fewer is a part of one, or the rate of a tax."""


def _least_signs(wanted: WantedLeaf) -> int:
    return _LEAST_SIGNS.get(wanted.concept.id if wanted.concept is not None else wanted.kind, 0)


class Ranking:
    """The candidates of one document, ranked for the leaves of one schema."""

    def __init__(self, candidates: Sequence[Candidate], matcher: LabelMatcher) -> None:
        if all(candidate.confidence is None for candidate in candidates):
            matcher = matcher.exact
        self._matcher = matcher
        self._by_kind: dict[ValueKind, list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            self._by_kind[candidate.kind].append(candidate)
        self._senders = Senders(candidates, matcher)
        kind = document_kind(candidates)
        self._labels = LabelFitting(matcher, {f"{kind}_number": TITLED} if kind else {})
        self._shares = largest(self._by_kind["amount"])
        self._arithmetic = Arithmetic(
            self._by_kind["amount"], matcher, rates=self._by_kind["percentage"], numbers=self._by_kind["number"]
        )
        self._columns: dict[tuple[str, str], set[str]] = defaultdict(set)
        for candidate in candidates:
            if candidate.origin == "cell" and candidate.column_head:
                self._columns[candidate.block, candidate.column_head].add(candidate.record)
        self._last_page = max((candidate.page for candidate in candidates), default=1)

    def ranked(self, wanted: WantedLeaf) -> list[Ranked]:
        """The best candidates of a leaf, one for each value, best first."""
        found = [
            one
            for kind, weight in wanted.kinds.items()
            for candidate in self._by_kind.get(kind, ())
            if (one := self._scored(wanted, candidate, weight)) is not None
        ]
        found += [
            Ranked(OTHER * fit.score, candidate, fit.label)
            for kind in wanted.others
            for candidate in self._by_kind.get(kind, ())
            if candidate.paired and value_of(wanted.leaf, candidate) is not None
            if (fit := self._labels.of(wanted, candidate)).label == candidate.paired
            if fit.score >= NAMED
        ]
        return _by_value(found, numeric="amount" in wanted.kinds and wanted.kind != "text")

    def _scored(self, wanted: WantedLeaf, candidate: Candidate, weight: float) -> Ranked | None:
        leaf = wanted.leaf
        if value_of(leaf, candidate) is None:
            return None
        if leaf.pattern and not value_pattern(leaf.pattern).is_all_of(candidate.text):
            return None
        if wanted.kind == "code" and candidate.kind == "name" and len(candidate.text.split()) > 1:
            return None
        if wanted.kind == "code" and "%" in candidate.text:  # the rate of a tax and its amount
            return None
        if sum(map(str.isalnum, candidate.text)) < _least_signs(wanted):
            return None
        fit = self._labels.of(wanted, candidate)
        of_column = fit.label == candidate.column_head != candidate.paired
        if fit.label and of_column and self._is_one_of_many(candidate):
            fit = fit._replace(score=fit.score * SPREAD)
        if fit.label and solid(fit.label) == solid(candidate.text):
            return None
        if self._is_label(wanted, candidate):
            weight *= A_LABEL
        begins = candidate.origin == "span" and candidate.after and not candidate.before
        if wanted.kind == "text" and (begins or candidate.is_part):
            weight *= A_PART
        score = weight * fit.score + self._placed(wanted, candidate, fit)
        name = wanted.concept.id if wanted.concept is not None else ""
        amount = candidate.value if candidate.kind in ("amount", "number") else None
        adds_up = self._arithmetic.says(name, amount) if isinstance(amount, float) else None
        if adds_up is not None:
            score = max(score + ADDS_UP, PROVEN) if adds_up else score - ANOTHER
        elif isinstance(amount, float):
            adds_up = self._arithmetic.is_of_items(name, amount)
        if score <= 0:
            return None
        score += 0.02 * (candidate.origin in ("field", "cell", "line")) - 0.01 * min(candidate.page - 1, 5)
        score += 0.2 * (candidate.page in leaf.pages)
        if candidate.confidence is not None:
            score -= DOUBTED * (1 - candidate.confidence)
        label = fit.label if fit.score >= 0.4 else ""
        return Ranked(score, candidate, label, named=min(fit.score, 1.0) if label else 0.0, adds_up=adds_up)

    def _is_label(self, wanted: WantedLeaf, candidate: Candidate) -> bool:
        if candidate.kind not in ("name", "text") or wanted.leaf.enum:
            return False
        if candidate.is_label:
            return True
        named = self._matcher.names(candidate.text.split("\n")[0])
        is_payment_method = (
            wanted.concept is not None and wanted.concept.id == "payment_method"
        )  # `Cash` is a way to pay, too
        return candidate.text.endswith(":") or (not is_payment_method and max(named.values(), default=0.0) >= LABEL)

    def _is_one_of_many(self, candidate: Candidate) -> bool:
        """Whether a cell is one of a column of items, and not in the row of their total."""
        total = self._matcher.names(candidate.row_head).get("total", 0.0)
        return total < SURE and len(self._columns.get((candidate.block, candidate.column_head), ())) > MANY

    def _placed(self, wanted: WantedLeaf, candidate: Candidate, fit: LabelFit) -> float:
        """The points that the place, the value and other values of the document add to the label, or take from it."""
        name = wanted.concept.id if wanted.concept is not None else ""
        if name == "seller" and candidate.kind == "name":
            if candidate.is_label and is_form_label(candidate.text):
                return -fit.score
            return self._senders.name(candidate) - (1 - LABELLED) * fit.score
        if name == "buyer" and candidate.kind == "name" and fit.score < LABELLED:
            return max(self._senders.recipient(candidate, self.sender) - fit.score, 0.0)
        if wanted.kind == "address" and candidate.kind == "address":
            within = address_marks(fit.label) >= 1 and fit.label != candidate.paired  # the line above is one of it
            share = 1.0 if within else 1 - LABELLED
            return self._senders.address(candidate, self.sender) - share * fit.score
        if candidate.kind in ("amount", "number") and name in ("total", "gross"):
            return self._amount(candidate, fit)
        if name in ("period_from", "period_to"):
            return self._period(name, candidate, fit)
        if name in _DATES and _DATED.search(candidate.before):
            return max(0.75 - fit.score, 0.0)
        if name == "due_date" and _PAY_BY.search(candidate.before):
            return max(0.7 - fit.score, 0.0)
        if name in _DATES and not fit.score:
            return self._undated(candidate)
        if name == "currency":
            return self._currency(candidate)
        if wanted.kind in _ALONE and wanted.kind == candidate.kind:
            return 0.45 if len({one.value for one in self._by_kind[candidate.kind]}) == 1 else 0.2
        if (
            wanted.kind == "code"
            and fit.score
            and address_marks(f"{candidate.before} {candidate.text} {candidate.after}") >= IN_STREET
        ):
            return -fit.score  # No. 18, Jalan PJS 11/20
        if name == "invoice_number" and candidate.kind == "code" and fit.score < 0.5:
            return 0.3 * (candidate.size > 1.3 and candidate.bbox.top < 0.4)
        return 0.0

    @cached_property
    def sender(self) -> Candidate | None:
        """The name that is most likely the sender's."""
        return max(self._by_kind["name"], key=self._senders.name, default=None)

    def _amount(self, candidate: Candidate, fit: LabelFit) -> float:
        value = candidate.value
        if not isinstance(value, float) or not self._may_be_total(value, fit):
            return -fit.score
        value = abs(value)
        score = 0.1 * self._shares.get(value, 0.0) + 0.05 * (candidate.page == self._last_page)
        score += 0.05 * candidate.bbox.top + self._arithmetic.support(value)
        score += OF_ROW * bool(candidate.skipped and self._arithmetic.is_sum(value))
        return score if fit.score or candidate.kind == "amount" else 0.0

    def _may_be_total(self, value: float, fit: LabelFit) -> bool:
        """Whether it is more than nothing; or the largest below it, as the total of a credit note is."""
        return value > 0 or (value < 0 and fit.score >= SURE and self._shares.get(-value, 0.0) == 1)

    def _period(self, name: str, candidate: Candidate, fit: LabelFit) -> float:
        starts, ends = _STARTS.match(candidate.after), _ENDS.search(candidate.before)
        if starts or ends:
            return 0.05 if bool(starts) == (name == "period_from") else -0.8 * fit.score
        return -0.2 * fit.score

    def _undated(self, candidate: Candidate) -> float:
        """A date without a label: the only one of a document is its date, else the first at the top."""
        values = {one.value for one in self._by_kind["date"]}
        return 0.6 if len(values) == 1 else 0.45 - 0.1 * min(candidate.bbox.top, 1.0) - 0.1 * (candidate.page - 1)

    def _currency(self, candidate: Candidate) -> float:
        values = [one.value for one in self._by_kind["currency"]]
        return 0.3 + 0.5 * values.count(candidate.value) / len(values)


def value_of(leaf: LeafSpec, candidate: Candidate) -> Json:
    """The value of a candidate in the type of a leaf: a number, an ISO date, one of an enum; None if it is none."""
    value = candidate.value
    if leaf.enum:
        text = solid(candidate.text)
        return next((one for one in leaf.enum if solid(str(one)) == text), None)
    if leaf.type == "boolean":
        return said_boolean(candidate.text)
    if leaf.type in ("number", "integer"):
        if not isinstance(value, float) or (leaf.type == "integer" and not value.is_integer()):
            return None
        return int(value) if value.is_integer() else value
    return value if isinstance(value, str) else " ".join(candidate.text.split())


def _by_value(found: Iterable[Ranked], *, numeric: bool) -> list[Ranked]:
    """The best of each value, better the more places say it. Numbers are compared by value where one is wanted."""
    best: dict[object, Ranked] = {}
    places: dict[object, set[tuple[int, float]]] = defaultdict(set)
    for one in found:
        candidate = one.candidate
        value = candidate.value if numeric or isinstance(candidate.value, str) else candidate.text
        key = solid(value) if isinstance(value, str) else value
        places[key].add((candidate.page, candidate.bbox.top))
        if key not in best or one.score > best[key].score:
            best[key] = one
    raised = (replace(one, score=one.score + REPEATED * min(len(places[value]) - 1, 3)) for value, one in best.items())
    return sorted(raised, key=lambda one: (-one.score, one.candidate.order))
