"""What a question asks for: the sentence that matters, the statements it is about, and other words for its terms."""

from __future__ import annotations

import re
from collections.abc import Mapping

from quire.search.statements import Statement
from quire.search.terms import terms

_SENTENCES = re.compile(r"(?<=[.?!:;])\s+(?=[A-Z\"'(]|what|which|how|who|is|are|did|does)")
_INSTRUCTION = re.compile(
    r"(?:assume|answer|address|base|calculate|enumerate all of them|express|for example|format|give|if\b.*\b(?:then|state)"
    r"|note that|please|provide|respond|return|round|the answer|use|what was asked|write|your answer)\b",
    re.IGNORECASE | re.DOTALL,
)
_ASKED: Mapping[Statement, re.Pattern[str]] = {
    "balance": re.compile(r"balance sheet|statement of financial (?:position|condition)"),
    "income": re.compile(r"(?:income|profit and loss|p&l|earnings) statement|statement of (?:income|operations|earnings|p)"),
    "cash flow": re.compile(r"cash ?flow statement|statement of cash ?flow"),
}
_IMPLIED: Mapping[Statement, re.Pattern[str]] = {
    "balance": re.compile(
        r"working capital|(?:quick|current|debt.to.equity|asset turnover|inventory turnover) ratio|turnover ratio|pp&e|ppn?e\b"
        r"|(?:total|current|fixed|tangible) (?:current )?(?:assets|liabilities)|return on (?:assets|equity)|\broa\b|\broe\b"
        r"|days (?:payable|sales|inventory)|\b(?:dpo|dso|dio)\b|accounts (?:payable|receivable)|(?:share|stock)holders.{0,3}funds"
        r"|inventory turnover|capital structure|net debt|goodwill|retained earnings|property, plant"
    ),
    "income": re.compile(
        r"(?:gross|operating|net|profit|ebitda?)(?: income| profit)? margins?|net (?:income|profit|loss)|gross profit|\bcogs\b"
        r"|cost of (?:goods|sales|revenue)|operating (?:income|profit|expenses)|\bebitda?\b|effective tax rate|\beps\b"
        r"|earnings per share|(?:total|net|change in|growth (?:of|in)) (?:revenue|sales)|revenue growth|interest coverage"
        r"|days payable|\bdpo\b|asset turnover|inventory turnover|return on (?:assets|equity)|\broa\b"
    ),
    "cash flow": re.compile(
        r"capital expenditures?|\bcapex\b|free cash ?flow|\bfcf\b|(?:operating|investing|financing) activities"
        r"|cash ?flows? from|operating cash ?flow|(?:operations|investing|financing).{0,40}cash ?flow|dividends? paid"
        r"|cash conversion|depreciation and amorti[sz]ation|\bebitda\b"
    ),
}
_EXPLAINED = re.compile(r"\b(?:what drove|drivers?|why|reason|because|explain(?:ed)? by|expects?|forecast|guidance)\b")
EXPLICIT, IMPLIED, EXPLAINED = 1.0, 0.5, 0.1

_OTHER_WORDS: Mapping[str, str] = {
    r"capital expenditures?|\bcapex\b": "purchases of property plant and equipment additions",
    r"\bpp&?e\b|\bppne\b": "property plant and equipment net",
    r"\bcogs\b|cost of goods sold": "cost of sales cost of revenue",
    r"free cash ?flow|\bfcf\b": "net cash provided by operating activities purchases of property",
    r"operating margin": "operating income revenue",
    r"gross margin": "gross profit cost of sales revenue",
    r"working capital|current ratio|quick ratio": "total current assets total current liabilities",
    r"effective tax rate": "provision for income taxes before",
    r"\beps\b": "earnings per share",
    r"\broa\b|return on assets": "net income total assets",
    r"\bdpo\b|days payable": "accounts payable cost of sales inventories",
    r"\bebitda\b": "operating income depreciation amortization",
    r"legal (?:battle|dispute|matter|proceeding)s?|lawsuits?": "legal proceedings litigation contingencies",
    r"acquisitions?|acquired": "acquisition acquired business combination",
    r"revenues?": "sales",
    r"stock repurchases?|buybacks?": "repurchased shares",
    r"spin(?:ning)? off": "spin-off separation",
    r"telephone|phone": "tel telephone phone",
}
_OTHERS = tuple((re.compile(pattern), tuple(terms(words))) for pattern, words in _OTHER_WORDS.items())


def focus(text: str) -> str:
    """A question without the sentences that say how to answer it; as it is when nothing else is in it."""
    sentences = _SENTENCES.split(text)
    kept = [sentence for sentence in sentences if not _INSTRUCTION.match(sentence)]
    return " ".join(kept) or text


def asked_statements(text: str) -> dict[Statement, float]:
    """The statements that a question is about, and how surely: named, or implied by what is asked."""
    plain = text.casefold()
    named: dict[Statement, float] = {name: EXPLICIT for name, pattern in _ASKED.items() if pattern.search(plain)}
    if named:
        return named
    sure = EXPLAINED if _EXPLAINED.search(focus(text).casefold()) else IMPLIED
    return {name: sure for name, pattern in _IMPLIED.items() if pattern.search(plain)}


def other_words(text: str) -> tuple[str, ...]:
    """Terms that documents use for what a question says."""
    plain = text.casefold()
    found = [term for pattern, words in _OTHERS if pattern.search(plain) for term in words]
    return tuple(dict.fromkeys(found))
