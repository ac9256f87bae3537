"""Senders and recipients by their place on the page, where no label names them: the sender is named at its top."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from quire.evidence.extract.candidates.candidate import Candidate
from quire.evidence.extract.rules.address_blocks import AddressBlocks
from quire.lexicon.addresses import address_marks, is_stop
from quire.lexicon.companies import has_legal_form, is_registration
from quire.lexicon.labels import LabelMatcher, label_words
from quire.lexicon.phrases import solid

TOP = 0.45
"""Of the first page: below it stands no sender."""
COMPANY, SHOP = 0.3, 0.2
"""The bonus of a name that says its legal form, or else its trade."""
_TRADE = re.compile(
    r"(?<!\w)(?:company|enterprises?|trading|group|holdings?|services?|restaurants?|restoran|ristorante|restaurante|"
    r"brasserie|gasthaus|gasthof|wirtshaus|hotel|motel|inn|cafe|café|coffee|bistro|bar|diner|grill|pizzeria|kitchen|pub|"
    r"stores?|shop|mart|market|markt|supermarket|supermarkt|pharmacy|farmasi|farmacia|pharmacie|apotheke|drogerie|"
    r"bakery|bäckerei|boulangerie|panader[ií]a|hardware|marketing|industries|solutions|stesen|kedai|pasaraya|"
    r"perniagaan|syarikat|tankstelle|station[- ]service|garage|clinic|klinik|parking|taxis?)(?!\w)",
    re.IGNORECASE,
)
"""Words of trades, which names of shops have."""
RECIPIENT = 0.35
"""The deduction from a name or an address as the sender's that a label, or a salutation, says to be the recipient's."""
NAMED = 0.1
"""The deduction from an address with the name of the sender in it, where it also stands without."""
OTHER = 0.25
"""The deduction from an address as the sender's where another one stands below the name of the sender."""
_DOCUMENT_WORDS = (
    "invoice receipt bill tax statement order contract quotation quote estimate simplified cash sales copy duplicate "
    "original rechnung quittung kassenbon lieferschein auftrag bestellung vertrag angebot beleg gutschrift facture "
    "recu "
    "commande contrat devis ticket factuur bon bestelling fattura ricevuta scontrino ordine contratto factura recibo "
    "pedido contrato fatura nota credit note proforma summary page welcome thank thanks resit adjustment debit "
    "delivery memo cashier table customer guest check agreement exhibit appendix annex schedule confidential "
    "confidentiality disclosure form report letter memorandum notice vereinbarung anlage accord avenant "
    "acuerdo accordo between"
)
_DOCUMENT = frozenset(_DOCUMENT_WORDS.split())
_KINDS_OF_DOCUMENT = {
    "invoice": "invoice rechnung facture factuur fattura factura fatura",
    "order": "order orders auftrag bestellung commande bestelling ordine pedido",
    "contract": "contract vertrag contrat contratto contrato agreement",
    "receipt": "receipt quittung recu ricevuta recibo",
}
_PHRASE = re.compile(
    r"\b(?:thank|welcome|please|goods sold|licensee|operated|visit|attn|attention|page \d|closed|open)\b", re.I
)
_AT = re.compile(r"(?:@|www\.|https?://(?:www\.)?)([\w-]+(?:\.[\w-]+)*)\.[a-z]{2,}", re.IGNORECASE)


def document_kind(candidates: Sequence[Candidate]) -> str:
    """The kind that a document names in a title at its top: `invoice`, `order`, `contract`, `receipt`; or nothing."""
    best, size = "", 0.0
    for candidate in candidates:
        if candidate.page != 1 or candidate.bbox.top > TOP or candidate.kind != "name" or candidate.text.count(" ") > 3:
            continue
        words = {word.casefold().strip(".:") for word in candidate.text.split()}
        for kind, names in _KINDS_OF_DOCUMENT.items():
            if words & set(names.split()) and candidate.size > max(size, 1.15):
                best, size = kind, candidate.size
    return best


class Senders:
    """Scores the names and the addresses of a document by how likely they are those of its sender."""

    def __init__(self, candidates: Sequence[Candidate], matcher: LabelMatcher) -> None:
        self._matcher = matcher
        first = min((candidate.page for candidate in candidates), default=1)
        self._first = [candidate for candidate in candidates if candidate.page == first]
        self._page = first
        self._begin = min((candidate.bbox.top for candidate in self._first), default=0.0)
        self._hosts = {
            solid(host) for one in candidates if one.kind in ("email", "url") for host in _AT.findall(one.text)
        }
        self._times = Counter(solid(one.text) for one in candidates if one.kind == "name")
        self._registered = [one.bbox.top for one in self._first if one.bbox.top < TOP and is_registration(one.text)]
        self._starts = sorted(
            (one.bbox.top, one.bbox.left) for one in self._first if one.kind == "address" and one.bbox.top < TOP
        )

    @cached_property
    def _blocks(self) -> AddressBlocks:
        return AddressBlocks(self._first, self._matcher, self._is_title)

    def name(self, candidate: Candidate) -> float:
        """From 0 to 1: how likely a name is the sender's by its place and looks."""
        if candidate.page != self._page:
            return 0.0
        text = candidate.text.replace("\n", " ")
        letters = sum(map(str.isalpha, text))
        if letters < 3 or text.startswith("(") or _PHRASE.search(text) or self._is_title(text):
            return 0.0
        box = candidate.bbox
        is_host = self._hosts and any(_is_host(host, solid(text)) for host in self._hosts)
        is_company = has_legal_form(text)
        if box.top > TOP and not is_host and not (is_company and self._times[solid(text)] > 1):
            return 0.0
        score = 0.42 * max(0.0, 1 - (box.top - self._begin) / TOP)
        score += COMPANY if is_company else SHOP * (_TRADE.search(text) is not None)
        score += 0.1 * any(-0.01 < top - box.bottom < 0.04 for top in self._registered)
        score += 0.25 * bool(is_host)
        score += 0.12 * min(max(candidate.size - 1, 0.0), 1.0) + 0.04 * candidate.bold
        score += 0.06 * min(self._times[solid(text)] - 1, 2)
        score += 0.15 * any(0 < top - box.bottom + 0.002 < 0.05 for top, _ in self._starts)
        score -= 0.25 * text.islower() + 0.15 * is_stop(text) + 0.1 * (address_marks(text) >= 1)
        score -= 0.3 * (address_marks(text) >= 1.6) + RECIPIENT * self._is_recipient(candidate)
        score -= 0.3 * any(score >= 0.9 for score in self._matcher.names(text).values())
        score -= (
            0.3 * text.endswith(("#", ":"))
            + 0.05 * max(text.count(" ") - 5, 0)
            + 0.25 * (sum(map(str.isdigit, text)) > 4)
        )
        return min(max(score, 0.0), 1.0)

    def address(self, candidate: Candidate, below: Candidate | None) -> float:
        """From 0 to 1: how likely an address is the sender's; `below` is the sender's name."""
        if candidate.page != self._page:
            return 0.0
        lines = candidate.text.split("\n")
        marks = sum(min(address_marks(line), 2.0) for line in lines)
        score = 0.12 * min(marks, 4.0) + 0.04 * len(lines) + 0.25 * max(0.0, 1 - candidate.bbox.top / 0.6)
        if below is not None and candidate.page == below.page:
            gap = candidate.bbox.top - below.bbox.bottom
            score += 0.15 * (-0.01 < gap < 0.12) - 0.2 * (gap < -0.02)
            block = self._blocks.of(candidate)
            score -= OTHER * (any(one.is_of(below) for one in self._blocks.all) and not (block and block.is_of(below)))
            score -= RECIPIENT * (block is not None and block.is_recipients)
            score -= NAMED * (candidate.origin != "span" and solid(below.text) in solid(candidate.text))
        return min(max(score, 0.0), 1.0)

    def recipient(self, name: Candidate, sender: Candidate | None) -> float:
        """From 0 to 1: how likely a name is the recipient's by the address below it."""
        if self._is_title(name.text) or is_stop(name.text):
            return 0.0
        return self._blocks.recipient(name, sender)

    def _is_recipient(self, name: Candidate) -> bool:
        """Whether a name is in a block that a label or a salutation says to be the recipient's."""
        return any(one.is_recipients and one.has(name) for one in self._blocks.all)

    def _is_title(self, text: str) -> bool:
        words = label_words(text)
        return not words or sum(word in _DOCUMENT or word == "number" for word in words) * 2 > len(words)


def _is_host(host: str, name: str) -> bool:
    """Whether a name is that of the owner of a host: azure-interior for Azure Interior GmbH."""
    return len(host) >= 4 and (host in name or (len(name) >= 5 and name in host))


def largest(amounts: Sequence[Candidate]) -> Mapping[float, float]:
    """Each amount of a document as a share of the largest."""
    values = {abs(one.value) for one in amounts if isinstance(one.value, float)}
    most = max(values, default=0.0) or 1.0
    return {value: value / most for value in values}
