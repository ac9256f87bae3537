"""Sentences of a language model about passages, which cite them by number."""

from __future__ import annotations

import json
from collections.abc import Sequence

from quire.core import prompts
from quire.core.errors import EngineError
from quire.evidence.cite.citation_checks import CitedSentence
from quire.net.language_model import LanguageModel
from quire.pages.recognize.vision.reply import FENCED, written

MOST_SENTENCES = 50
LONGEST_PASSAGE = 4000
"""Characters of a passage that the model sees."""


def cited_sentences(model: LanguageModel, question: str, passages: Sequence[str]) -> list[CitedSentence]:
    """The sentences, unchecked. Raises EngineError when the model cannot be asked, or breaks the form."""
    request = {"model": model.model, "messages": _messages(question, passages), "temperature": 0, "stream": False}
    content = written(model.post(json.dumps(request).encode()), engine=model.name)
    fenced = FENCED.search(content)
    text = fenced[1] if fenced else content
    try:
        listed = json.loads(text[text.index("{") : text.rindex("}") + 1])["sentences"]
        return [CitedSentence(str(one["text"]), _numbers(one.get("passages"))) for one in listed[:MOST_SENTENCES]]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise EngineError(model.name, "the answer is not the requested JSON") from error


def _messages(question: str, passages: Sequence[str]) -> list[dict[str, str]]:
    numbered = "\n\n".join(f"[{at}] {passage[:LONGEST_PASSAGE]}" for at, passage in enumerate(passages, start=1))
    asked = f"{prompts.as_data('passages', numbered)}\n\nQuestion: {question}"
    return [{"role": "system", "content": prompts.load("cite").text}, {"role": "user", "content": asked}]


def _numbers(given: object) -> tuple[int, ...]:
    """Anything but a list of whole numbers cites nothing."""
    listed = given if isinstance(given, list) else []
    return tuple(one for one in listed if isinstance(one, int) and not isinstance(one, bool))
