"""OCR engines, which read pictures of pages, and their composers. Heavy modules are imported lazily."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.core.engine import Engine, Policy
    from quire.pages.recognize.compose import Uncertainty
    from quire.pages.recognize.options import Effort
    from quire.pages.recognize.plain import from_function
    from quire.pages.recognize.vision import VisionEngine

__all__ = ["consensus", "echo", "fallback", "from_function", "rapidocr", "tesseract", "uncertainty_first", "vision"]


def rapidocr(*, effort: Effort = "balanced", languages: Sequence[str] = ()) -> Engine:
    """OCR with the PP-OCR models on this machine's processors; the default engine."""
    from quire.pages.recognize.rapidocr import engine

    return engine(effort=effort, languages=tuple(languages))


def tesseract(*, effort: Effort = "balanced", languages: Sequence[str] = ()) -> Engine:
    """The OCR program `tesseract`, with its installed languages."""
    from quire.pages.recognize.tesseract import engine

    return engine(effort=effort, languages=tuple(languages))


def echo(text: str = "echo", *, confidence: float | None = None, policy: Policy = "cpu") -> Engine:
    """A dummy engine: returns `text` for every page without looking at it."""
    from quire.pages.recognize.echo import EchoEngine, EchoProfile

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

    Its name is `vision:<model>` by default; set another to distinguish two servers of one model.
    """
    from quire.net.model_server import ModelServer
    from quire.pages.recognize.vision import CALLED, VisionEngine, VisionProfile

    server = ModelServer(url, api_key, tuple(sorted((headers or {}).items())), CALLED)
    profile = VisionProfile.with_prompts(model, prompt_language)
    return VisionEngine(server, profile, timeout_s=timeout_s, max_concurrency=max_concurrency, name=name)


def fallback(*engines: Engine) -> Engine:
    """The first of the engines that answers."""
    from quire.pages.recognize.compose import Fallback

    return Fallback(engines)


def consensus(*engines: Engine) -> Engine:
    """A majority vote of the engines, line by line."""
    from quire.pages.recognize.compose import Consensus

    return Consensus(engines)


def uncertainty_first(
    primary: Engine, oracle: Engine, *, by: Uncertainty = "confidence", k: int | float = 0.1
) -> Engine:
    """The primary reads everything, the oracle re-reads the `k` (a number, or a share below 1) least certain lines."""
    from quire.pages.recognize.compose import UncertaintyFirst

    return UncertaintyFirst((primary, oracle), by, k)


def __getattr__(name: str) -> object:
    if name == "from_function":
        from quire.pages.recognize.plain import from_function

        return from_function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
