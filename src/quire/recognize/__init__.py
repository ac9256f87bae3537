"""Engines that read pictures of pages, and their composers. What is heavy is imported when it is called for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.engine import Engine, Policy
    from quire.recognize.compose import Uncertainty
    from quire.recognize.options import Effort
    from quire.recognize.plain import from_function
    from quire.recognize.vision import VisionEngine

__all__ = ["consensus", "echo", "fallback", "from_function", "rapidocr", "tesseract", "uncertainty_first", "vision"]


def rapidocr(*, effort: Effort = "balanced", languages: Sequence[str] = ()) -> Engine:
    """PP-OCR models on this machine's processors; the default engine."""
    from quire.recognize.rapidocr import engine

    return engine(effort=effort, languages=tuple(languages))


def tesseract(*, effort: Effort = "balanced", languages: Sequence[str] = ()) -> Engine:
    """The program `tesseract`, with the languages installed beside it."""
    from quire.recognize.tesseract import engine

    return engine(effort=effort, languages=tuple(languages))


def echo(text: str = "echo", *, confidence: float | None = None, policy: Policy = "cpu") -> Engine:
    """Says `text` everywhere and looks at nothing."""
    from quire.recognize.echo import EchoEngine, EchoProfile

    return EchoEngine(EchoProfile(text, confidence), policy)


def vision(
    url: str,
    model: str,
    *,
    api_key: str | None = None,
    prompt_language: str = "en",
    timeout_s: float = 120.0,
    max_concurrency: int = 4,
    headers: Mapping[str, str] | None = None,
    name: str = "",
) -> VisionEngine:
    """A vision model behind any OpenAI-compatible URL, such as `http://127.0.0.1:8000/v1`.

    Its name is `vision:<model>` unless you give it another: two servers of one model can be told apart by it.
    """
    from quire.recognize.vision import VisionEngine, VisionProfile, VisionServer

    server = VisionServer(url, api_key, tuple(sorted((headers or {}).items())))
    profile = VisionProfile.with_prompts(model, prompt_language)
    return VisionEngine(server, profile, timeout_s=timeout_s, max_concurrency=max_concurrency, name=name)


def fallback(*engines: Engine) -> Engine:
    """The first of the engines that answers."""
    from quire.recognize.compose import Fallback

    return Fallback(engines)


def consensus(*engines: Engine) -> Engine:
    """What most of the engines say, line by line."""
    from quire.recognize.compose import Consensus

    return Consensus(engines)


def uncertainty_first(
    primary: Engine, oracle: Engine, *, by: Uncertainty = "confidence", k: int | float = 0.1
) -> Engine:
    """The primary reads everything, the oracle once more the `k` (a number, or a share below 1) least certain lines."""
    from quire.recognize.compose import UncertaintyFirst

    return UncertaintyFirst((primary, oracle), by, k)


def __getattr__(name: str) -> object:
    if name == "from_function":
        from quire.recognize.plain import from_function

        return from_function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Factories(ModuleType):
    """This package. Importing its module `echo` must not hide the function `echo`, as it would otherwise."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Factories
