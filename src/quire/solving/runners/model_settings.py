"""The model of a runner, from its name and the environment: on which server, with which key, context and prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from quire.core.errors import ConfigurationError, UsageError
from quire.net.language_model import KEY, MODEL, URL, LanguageModel

KEYS, VISION, CONTEXT, PRICES = "QUIRE_LLM_KEYS", "QUIRE_LLM_VISION", "QUIRE_LLM_CONTEXT", "QUIRE_LLM_PRICES"
"""The environment variables of runners, besides those of all language models."""
_SEES = "+vision"
_LEAST_CONTEXT = 1000


@dataclass(frozen=True, slots=True)
class ModelPrices:
    """US dollars for a million tokens that a model reads, and that it writes."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A model and what is known about it. `label` names it where it is not the one of the environment."""

    model: LanguageModel
    label: str
    vision: bool
    context_tokens: int | None
    prices: ModelPrices | None

    @classmethod
    def of(cls, argument: str, environment: Mapping[str, str]) -> ModelSettings:
        """From `MODEL`, `MODEL@URL` or "", each possibly with `+vision`, and the environment.

        The key of the configured server is never sent to another one: `QUIRE_LLM_KEYS` has those of others, as
        `host=key,host=key`. Raises ConfigurationError without a model, UsageError for a variable that is no number.
        """
        plain = argument.removesuffix(_SEES)
        name, at, url = plain.rpartition("@") if "://" in plain.rpartition("@")[2] else (plain, "", "")
        return cls(
            _model(name, url, environment),
            f"{name}@{urlsplit(url).netloc.lower()}" if at else name,
            plain != argument or environment.get(VISION, "") not in ("", "0"),
            _context(environment.get(CONTEXT, "")),
            _prices(environment.get(PRICES, "")),
        )


def _model(name: str, url: str, environment: Mapping[str, str]) -> LanguageModel:
    known = {one: environment.get(one, "") for one in (URL, MODEL, KEY)}
    wanted = {URL: url or known[URL], MODEL: name or known[MODEL]}
    if known[KEY] and (not url or _origin(url) == _origin(known[URL])):
        wanted[KEY] = known[KEY]
    elif url:
        wanted[KEY] = _keys(environment.get(KEYS, "")).get(urlsplit(url).netloc.lower(), "")
    found = LanguageModel.of(wanted)
    if found is None:
        raise ConfigurationError(
            f"the runner `tools` has no language model; set {URL} to an OpenAI-compatible server such as "
            f"http://127.0.0.1:8000/v1 and {MODEL} to the name of a model there (and {KEY} if it needs a key)"
        )
    return found


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme.lower(), parts.netloc.lower()


def _keys(given: str) -> dict[str, str]:
    pairs = [one.partition("=") for one in given.split(",") if one.strip()]
    if any(not host.strip() or not key.strip() for host, _, key in pairs):
        raise UsageError(f"{KEYS} should be like host=key,host=key")
    return {host.strip().lower(): key.strip() for host, _, key in pairs}


def _context(given: str) -> int | None:
    if not given:
        return None
    if not given.isdecimal() or int(given[:12]) < _LEAST_CONTEXT:
        raise UsageError(f"{CONTEXT} is {given[:50]!r}; give the tokens of the model's context, at least 1000")
    return int(given[:12])


def _prices(given: str) -> ModelPrices | None:
    if not given:
        return None
    try:
        read, written = map(float, given.split(","))
    except ValueError:
        read = written = -1.0
    if not 0 <= read < 1e6 or not 0 <= written < 1e6:
        raise UsageError(f"{PRICES} is {given[:50]!r}; give US dollars per million tokens, read and written: 0.5,1.5")
    return ModelPrices(read, written)
