"""Who has a role in an agreement: `JPMorgan Chase Bank, N.A., as Administrative Agent`, `Acme Ltd (the “Tenant”)`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from quire.evidence.extract.prose.found import FoundInProse, distinct
from quire.evidence.extract.prose.names import NAME, canonical, is_name
from quire.evidence.extract.prose.running_text import RunningText
from quire.lexicon.words import phrase_pattern, word_groups

ROLE = re.compile(rf"\b(?P<role>{phrase_pattern(word_groups('party_words')['fields'])})$")
"""Names of fields that are roles, of which an agreement usually has one."""
_BEGINNING = 15_000
"""Characters in which an agreement names who takes part."""
_BETWEEN = r"(?:\s*,)?(?:\s+an?\s[^,;()“”\"]{3,60},)?\s*"


def holders(running: RunningText, role: str) -> list[FoundInProse]:
    """The names that are said to have a role, those that are said most often first."""
    named = list(_named(running.text, role))
    counts = Counter(str(one.value).casefold() for one in named)
    return distinct(sorted(named, key=lambda one: -counts[str(one.value).casefold()]))


def _named(text: str, role: str) -> Iterator[FoundInProse]:
    words = r"\s+".join(map(re.escape, role.split()))
    following = re.compile(
        rf"{_BETWEEN}(?:\(?\bas\s+(?:the\s+|sole\s+)*{words}\b|\(\s*(?:the\s+)?[“\"‘']{words}[”\"’'])", re.IGNORECASE
    )
    for found in NAME.finditer(text, 0, _BEGINNING):
        start = text.rfind("\n", found.start(), found.end()) + 1 or found.start()  # a name is in one block
        whole = re.sub(r",?\s+as$", "", text[start : found.end()])  # the word, not the legal form AS
        name = whole.rstrip(",. ")
        end = start + len(whole if whole.endswith(".") else name)
        if is_name(name) and any(following.match(text, place) for place in (start + len(name), end)):
            yield FoundInProse(canonical(text[start:end]), start, end, 0.8)
