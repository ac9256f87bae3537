"""Extractors by name: those that need no language model, those that do, and those of other packages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

from quire.core.errors import UsageError
from quire.core.plugins import loaded, offered
from quire.evidence.extract.extractor import Extractor

DEFAULT = ("offline",)
BUILT_IN = {
    "offline": "quire.evidence.extract.offline:OfflineExtractor",
    "rules": "quire.evidence.extract.rules:RulesExtractor",
    "prose": "quire.evidence.extract.prose:ProseExtractor",
    "tables": "quire.evidence.extract.tables:TableExtractor",
    "statements": "quire.evidence.extract.statements:StatementExtractor",
    "sections": "quire.evidence.extract.sections:SectionExtractor",
    "model": "quire.evidence.extract.language_model:model_extractor",
    "learned": "quire.evidence.learn.learned_extractor:LearnedExtractor",
}
"""The place of the factory of each, `module:name`."""
COMPOSED = ("fallback", "consensus", "uncertainty_first")
"""Extractors that are made of others, by the names of the functions in `quire.evidence.extract.combinators`."""
COMPOSED_OF = "offline,model"


def extractor_names() -> tuple[str, ...]:
    return tuple(sorted({*BUILT_IN, *COMPOSED, *offered("extractor")}))


def find_extractor(name: str) -> Extractor:
    """The extractor of a name. After a colon follows what its factory takes: `learned:receipts.model`, or the names of
    those that it is made of: `fallback:offline,model`.

    Raises UsageError for an unknown name, and ConfigurationError for one that cannot be loaded or lacks its model.
    """
    plain, _, argument = name.partition(":")
    if plain in COMPOSED:
        compose = getattr(import_module("quire.evidence.extract.combinators"), plain)
        parts = (argument or COMPOSED_OF).split(",")
        if len(parts) != 2 and plain == "uncertainty_first":
            raise UsageError(f"{name[:80]} should name a cheap extractor and an expensive one")
        return cast("Extractor", compose(*map(find_extractor, parts)))
    factory = _factory(plain)
    return factory(argument) if argument else factory()


def find_extractors(given: Sequence[str | Extractor]) -> list[Extractor]:
    """Extractors by name or as objects; the default ones if none is given."""
    return [find_extractor(one) if isinstance(one, str) else one for one in given or DEFAULT]


def _factory(name: str) -> Callable[..., Extractor]:
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        return cast("Callable[..., Extractor]", getattr(import_module(module), attribute))
    points = offered("extractor")
    if name not in points:
        raise UsageError(f"there is no extractor {name[:50]!r}; choose from {', '.join(extractor_names())}")
    return cast("Callable[..., Extractor]", loaded("extractor", points[name]))
