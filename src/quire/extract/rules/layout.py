"""What the place of a candidate says about it where no label does: who sends a document is named at its top."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from quire.extract.candidates.addresses import address_marks, is_stop
from quire.extract.candidates.values import Candidate
from quire.extract.rules.labels import LabelMatcher, label_words
from quire.verify.phrases import solid

TOP = 0.45
"""Of the first page: below it stands no sender."""
_COMPANY = re.compile(
    r"(?<!\w)(?:inc|incorporated|corp|corporation|llc|l\.l\.c|llp|lp|ltd|limited|plc|co|company|gmbh|mbh|ag|kg|ohg|e\.?k|ug|"
    r"se|s\.?a\.?s?|sarl|s\.a\.r\.l|eurl|sasu|b\.?v|n\.?v|v\.?o\.?f|s\.?r\.?l|s\.?p\.?a|s\.?l\.?u?|lda|ltda|sdn|bhd|s/b|"
    r"pte|pty|oy|ab|a/s|aps|as|enterprises?|trading|group|holdings?|services?|restaurant|restoran|hotel|cafe|bistro|"
    r"store|shop|mart|market|supermarket|pharmacy|farmasi|bakery|hardware|marketing|industries|solutions)(?!\w)",
    re.IGNORECASE,
)
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
    """What a document calls itself in a title at its top: `invoice`, `order`, `contract`, `receipt`; or nothing."""
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
    """Which of the names of a document is that of its sender, and which of the addresses."""

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
        self._starts = sorted(
            (one.bbox.top, one.bbox.left) for one in self._first if one.kind == "address" and one.bbox.top < TOP
        )

    def name(self, candidate: Candidate) -> float:
        """From 0 to 1: how likely a name is the sender's by its place and looks."""
        if candidate.page != self._page:
            return 0.0
        text = candidate.text.replace("\n", " ")
        letters = sum(map(str.isalpha, text))
        if letters < 3 or text.startswith("(") or _PHRASE.search(text) or self._is_title(text):
            return 0.0
        box = candidate.bbox
        known = self._hosts and any(_is_host(host, solid(text)) for host in self._hosts)
        if box.top > TOP and not known and not (_COMPANY.search(text) and self._times[solid(text)] > 1):
            return 0.0
        figure = 0.42 * max(0.0, 1 - (box.top - self._begin) / TOP)
        figure += 0.22 * (_COMPANY.search(text) is not None)
        figure += 0.25 * bool(known)
        figure += 0.12 * min(max(candidate.size - 1, 0.0), 1.0) + 0.04 * candidate.bold
        figure += 0.06 * min(self._times[solid(text)] - 1, 2)
        figure += 0.15 * any(0 < top - box.bottom + 0.002 < 0.05 for top, _ in self._starts)
        figure -= 0.25 * text.islower() + 0.15 * is_stop(text) + 0.1 * (address_marks(text) >= 1)
        figure -= 0.3 * any(figure >= 0.9 for figure in self._matcher.names(text).values())
        figure -= 0.05 * max(text.count(" ") - 5, 0) + 0.25 * (sum(map(str.isdigit, text)) > 4)
        return min(max(figure, 0.0), 1.0)

    def address(self, candidate: Candidate, below: Candidate | None) -> float:
        """From 0 to 1: how likely an address is the sender's; `below` is the sender's name."""
        if candidate.page != self._page:
            return 0.0
        lines = candidate.text.split("\n")
        marks = sum(min(address_marks(line), 2.0) for line in lines)
        figure = 0.12 * min(marks, 4.0) + 0.04 * len(lines) + 0.25 * max(0.0, 1 - candidate.bbox.top / 0.6)
        if below is not None and candidate.page == below.page:
            gap = candidate.bbox.top - below.bbox.bottom
            figure += 0.15 * (-0.01 < gap < 0.12) - 0.2 * (gap < -0.02)
        return min(max(figure, 0.0), 1.0)

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
