"""How the line items of financial statements are called: by schemas, and on the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_QUALIFIERS = frozenset(
    ("net", "total", "allowance", "doubtful", "account", "less", "expense", "income", "stock", "cost")
)
"""Words that may stand behind the name of a line item without making it another one."""
SHORTEST_MENTIONED = 6
"""Letters of a name in a question: shorter ones, such as sales, are said of many things."""
_NOTE = re.compile(r"\([^)]{0,3}\)|\((?:note|see|unaudited)[^)]*\)|[\d*†‡]+$", re.IGNORECASE)
_ABSENT = re.compile(r"\((?:loss|losses|benefit|deficit|income|used in|decrease|increase)\)|/\s*\(\w+\)", re.IGNORECASE)
_WORDS = re.compile(r"[a-z&]+")
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("s", ""))
_SAME = {"stockholder": "shareholder", "share": "stock", "sale": "revenue", "turnover": "revenue", "earning": "income"}
_SAME |= {"profit": "income", "provision": "expense"}
_DROPPED = frozenset(("the", "of", "and", "in", "to", "for", "on", "from", "by", "our", "a", "an", "&", "common"))


@dataclass(frozen=True, slots=True)
class LineItem:
    """`names` are how schemas call it, `labels` how statements do, the usual ones first.

    `is_point`: it is for a day, not for a period. `is_outflow`: its name says that it is paid, so that a figure in
    brackets is not negative.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    is_point: bool = False
    is_outflow: bool = False


def _item(names: str, labels: str, *, is_point: bool = False, is_outflow: bool = False) -> LineItem:
    return LineItem(tuple(names.split("|")), tuple(labels.split("|")), is_point, is_outflow)


LINE_ITEMS: tuple[LineItem, ...] = (
    _item(
        "revenue|revenues|sales|net sales|total revenue|turnover",
        "total revenues|total net revenues|revenues, net|net revenues|net sales|total net sales|"
        "revenues|revenue, net|sales|turnover|umsatzerlöse",
    ),
    _item(
        "cost of revenue|cost of sales|cost of goods sold|cogs",
        "total costs of revenues|cost of revenue|cost of revenues|cost of sales|"
        "cost of products sold|cost of goods sold|costs of goods sold",
    ),
    _item(
        "gross profit",
        "gross profit|gross margin",
    ),
    _item(
        "operating expenses|opex|total operating expenses",
        "total operating expenses|operating expenses|total selling and administrative expense",
    ),
    _item(
        "operating income|operating profit|ebit|income from operations",
        "operating income|income from operations|operating profit|earnings from operations|"
        "operating income (loss)|profit from operations",
    ),
    _item(
        "net income|net earnings|profit for the period|net profit",
        "net income attributable to|net earnings attributable to|net income (loss) attributable to|"
        "net earnings|net income|net income (loss)|profit for the period|profit for the year|"
        "net loss",
    ),
    _item(
        "income tax expense|income taxes|tax expense|provision for income taxes",
        "income tax expense|provision for income taxes|income tax provision|"
        "income tax expense (benefit)|provision for taxes on income|income taxes",
    ),
    _item(
        "effective tax rate|tax rate",
        "effective tax rate|effective income tax rate",
    ),
    _item(
        "interest expense",
        "interest expense|interest expense, net|interest and debt expense|finance costs",
    ),
    _item(
        "basic eps|basic earnings per share|eps basic",
        "basic earnings per share|earnings per common share basic|"
        "earnings (loss) per common share: basic|earnings per share basic|"
        "income per common share basic|basic income per share|basic",
    ),
    _item(
        "diluted eps|diluted earnings per share|eps diluted",
        "diluted earnings per share|earnings per common share diluted|"
        "earnings (loss) per common share: diluted|earnings per share diluted|"
        "income per common share diluted|diluted income per share|diluted",
    ),
    _item(
        "stock based compensation|share based compensation",
        "stock-based compensation expense|stock-based compensation|share-based compensation|"
        "share-based compensation expense",
    ),
    _item(
        "research and development|r&d|research and development expense",
        "research and development|research and development expenses|r&d expenses",
    ),
    _item(
        "depreciation and amortization|d&a",
        "depreciation and amortization|depreciation, amortization and other",
    ),
    _item(
        "restructuring charge|restructuring charges|restructuring",
        "restructuring charges|restructuring|"
        "employee termination, asset impairment, and other charges|restructuring and other charges",
    ),
    _item(
        "cash|cash and cash equivalents",
        "cash and cash equivalents|cash and equivalents|cash and cash equivalents, end of period",
        is_point=True,
    ),
    _item(
        "cash st investments|cash and short term investments",
        "cash, cash equivalents and short-term investments|"
        "total cash and equivalents and short-term investments|"
        "cash and cash equivalents and marketable securities of corporate funds",
        is_point=True,
    ),
    _item(
        "short term investments",
        "short-term investments|short-term marketable securities",
        is_point=True,
    ),
    _item(
        "marketable securities",
        "marketable securities",
        is_point=True,
    ),
    _item(
        "money market funds",
        "money market funds",
        is_point=True,
    ),
    _item(
        "accounts receivable|trade receivables|receivables",
        "accounts receivable, net|accounts receivable|accounts receivable, trade, net|trade receivables",
        is_point=True,
    ),
    _item(
        "total receivables",
        "total receivables|total accounts receivable|accounts receivable, net",
        is_point=True,
    ),
    _item(
        "inventories|inventory|total inventories",
        "inventories|inventories, net|merchandise inventories|inventory",
        is_point=True,
    ),
    _item(
        "current assets|total current assets",
        "total current assets",
        is_point=True,
    ),
    _item(
        "property plant and equipment|ppe|pp e|pp&e|ppne|net ppne|fixed assets",
        "property, plant and equipment, net|property, plant and equipment|"
        "property and equipment, net|net property and equipment",
        is_point=True,
    ),
    _item(
        "goodwill",
        "goodwill",
        is_point=True,
    ),
    _item(
        "total assets|assets",
        "total assets",
        is_point=True,
    ),
    _item(
        "accounts payable|trade payables",
        "accounts payable|accounts payable, trade|trade payables",
        is_point=True,
    ),
    _item(
        "current liabilities|total current liabilities",
        "total current liabilities",
        is_point=True,
    ),
    _item(
        "total liabilities|liabilities",
        "total liabilities",
        is_point=True,
    ),
    _item(
        "long term debt|noncurrent debt",
        "long-term debt|long-term debt, net|long-term debt, net of current portion|"
        "long-term debt, less current portion",
        is_point=True,
    ),
    _item(
        "short term debt|current debt|current portion of long term debt",
        "short-term debt|current portion of long-term debt|short-term financial obligations|"
        "notes payable|current portion of long-term debt and short-term financial obligations",
        is_point=True,
    ),
    _item(
        "total debt|debt",
        "total debt|total long-term debt, including current portion",
        is_point=True,
    ),
    _item(
        "dividends payable",
        "dividends payable",
        is_point=True,
    ),
    _item(
        "retained earnings|accumulated deficit",
        "retained earnings|retained earnings (deficit)|accumulated deficit|reinvested earnings",
        is_point=True,
    ),
    _item(
        "additional paid in capital|capital in excess of par",
        "additional paid-in capital|capital in excess of par value|capital in excess of stated value",
        is_point=True,
    ),
    _item(
        "shareholders equity|stockholders equity|total equity|equity",
        "total stockholders’ equity|total shareholders’ equity|stockholders’ equity|shareholders’ equity|total equity",
        is_point=True,
    ),
    _item(
        "operating cash flow|cash from operations|cash flow from operations",
        "net cash provided by operating activities|"
        "net cash provided by (used in) operating activities|cash provided (used) by operations|"
        "net cash flows provided by operating activities|net cash from operating activities",
    ),
    _item(
        "investing cash flow|cash flow from investing",
        "net cash provided by (used in) investing activities|net cash used in investing activities|"
        "net cash flows used in investing activities|cash provided (used) by investing activities",
    ),
    _item(
        "financing cash flow|cash flow from financing",
        "net cash provided by (used in) financing activities|"
        "net cash flows provided by financing activities|net cash used in financing activities|"
        "cash used by financing activities",
    ),
    _item(
        "capex|capital expenditure|capital expenditures",
        "capital expenditures|purchases of property, plant and equipment|"
        "purchases of property, plant and equipment, net|"
        "additions to property, plant and equipment|purchases of property and equipment|"
        "purchases of property, plant and equipment (pp&e)",
        is_outflow=True,
    ),
    _item(
        "dividends paid|cash dividends",
        "dividends paid|cash dividends paid|dividends paid — common and preferred|"
        "dividends paid to shareholders|payments of dividends",
        is_outflow=True,
    ),
    _item(
        "share repurchases|stock repurchases|buybacks",
        "repurchases of common stock|repurchase of common stock|purchases of treasury shares|"
        "purchases of treasury stock|share repurchases",
        is_outflow=True,
    ),
    _item(
        "working capital",
        "working capital",
        is_point=True,
    ),
)


def plain_label(text: str) -> str:
    """A label without notes, `(loss)` and the like, and what is in brackets."""
    return " ".join(_ABSENT.sub(" ", _NOTE.sub(" ", text)).replace("’", "'").split()).casefold()


@lru_cache(maxsize=4096)
def label_words(text: str) -> tuple[str, ...]:
    """The words of a label that say what it is, each in one form."""
    found = []
    for word in _WORDS.findall(plain_label(text).replace("'", "").replace("-", " ")):
        if word in _DROPPED:
            continue
        stem = next((word[: -len(end)] + put for end, put in _ENDINGS if word.endswith(end) and len(word) > 4), word)
        found.append(_SAME.get(stem, stem))
    return tuple(found)


@lru_cache(maxsize=512)
def item_named(name: str) -> LineItem | None:
    """The line item that a schema calls `name`; None for what is no known one."""
    wanted = _spaced(name)
    return next((item for item in LINE_ITEMS if wanted in item.names), None)


def item_in(question: str) -> LineItem | None:
    """The line item whose name is the longest that a text mentions."""
    text = f" {_spaced(question)} "
    mentioned = [
        (len(name), -at, item)
        for at, item in enumerate(LINE_ITEMS)
        for name in (*item.names, *map(_spaced, item.labels))
        if len(name) >= SHORTEST_MENTIONED and f" {name} " in text
    ]
    return max(mentioned, key=lambda one: one[:2])[2] if mentioned else None


def _spaced(text: str) -> str:
    return " ".join(re.sub(r"[^\w&]|_", " ", text).casefold().split())


def likeness(label: str, wanted: Sequence[str]) -> float:
    """How surely a row with a label is one of the items; those that come first count a little more."""
    words = label_words(label)
    best = 0.0
    for at, one in enumerate(wanted):
        names = label_words(one)
        if not names or not words:
            continue
        if plain_label(label) == plain_label(one) or _is_owners(label, one):
            score = 1.0
        elif words == names:
            score = 0.99
        elif words[: len(names)] == names and (set(words[len(names) :]) <= _QUALIFIERS or "," in label):
            score = 0.85
        else:
            continue
        best = max(best, score - 0.02 * at)
    return best


def _is_owners(label: str, wanted: str) -> bool:
    """Whether a label is that of an item attributable to a company, whatever its name, and not to its minorities."""
    return wanted.endswith(" to") and plain_label(label).startswith(plain_label(wanted)) and "controlling" not in label
