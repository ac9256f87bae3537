"""Decorators that turn a function into a stage of a pipeline. The function can still be called as before, and may be
`async`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from quire.core.engine import Capability, Policy, Recognition
from quire.core.keys import Profile
from quire.core.picture import Picture
from quire.core.plugin_checks import check_function
from quire.core.types import Layout
from quire.pages.recognize.plain import FunctionEngine, Reader, from_function
from quire.pipelines.result import PipelineResult
from quire.pipelines.roles import Classifies, Crop, Prepares
from quire.system.awaited import settled

P = ParamSpec("P")
R = TypeVar("R")
F_contra = TypeVar("F_contra", contravariant=True)
S_co = TypeVar("S_co", covariant=True)

Cuts: TypeAlias = Sequence[Crop] | Picture
Written: TypeAlias = Path | None


@dataclass(frozen=True, slots=True)
class FunctionStageProfile(Profile):
    """A function declares no settings: change its version when it changes."""

    name: str
    version: str


@dataclass(frozen=True)
class _Function(Generic[P, R]):
    function: Callable[P, R]
    name: str
    version: str = "1"
    requires: frozenset[Capability] = frozenset()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    @property
    def profile(self) -> Profile:
        return FunctionStageProfile(self.name, self.version)


class FunctionPreprocessor(_Function[[Picture], Prepares | Awaitable[Prepares]]):
    def preprocess(self, picture: Picture) -> Prepares:
        return settled(self.function(picture))


class FunctionDetector(_Function[[Picture], Layout | Awaitable[Layout]]):
    def detect(self, picture: Picture, page: int = 1) -> Layout:
        return settled(self.function(picture))


class FunctionClassifier(_Function[[Layout, Picture], Classifies | Awaitable[Classifies]]):
    def classify(self, layout: Layout, picture: Picture) -> Classifies:
        return settled(self.function(layout, picture))


class FunctionRegionPreprocessor(_Function[[Crop], Cuts | Awaitable[Cuts]]):
    def preprocess_region(self, crop: Crop) -> Sequence[Crop]:
        made = settled(self.function(crop))
        return [Crop(crop.region, made, crop.box)] if isinstance(made, Picture) else made


class FunctionCorrector(_Function[[Recognition], Recognition | Awaitable[Recognition]]):
    def correct(self, recognition: Recognition) -> Recognition:
        return settled(self.function(recognition))


class FunctionExporter(_Function[[PipelineResult], Written | Awaitable[Written]]):
    @property
    def format(self) -> str:
        return self.name

    def export(self, result: PipelineResult) -> Sequence[Path]:
        written = settled(self.function(result))
        return [] if written is None else [Path(written)]


class _Made(Protocol[F_contra, S_co]):
    def __call__(self, function: F_contra, name: str, version: str, requires: frozenset[Capability]) -> S_co: ...


class _Decorator(Generic[F_contra, S_co]):
    """`@decorator` or `@decorator(name=…, version=…, requires=…)`. The function is called with `names`."""

    def __init__(self, make: _Made[F_contra, S_co], names: str) -> None:
        self._make, self._names = make, names

    @overload
    def __call__(self, function: F_contra, /) -> S_co: ...

    @overload
    def __call__(
        self, function: None = None, /, *, name: str = "", version: str = "1", requires: Iterable[Capability] = ()
    ) -> Callable[[F_contra], S_co]: ...

    def __call__(
        self,
        function: F_contra | None = None,
        /,
        *,
        name: str = "",
        version: str = "1",
        requires: Iterable[Capability] = (),
    ) -> S_co | Callable[[F_contra], S_co]:
        def made(given: F_contra) -> S_co:
            check_function(given, self._names)
            return self._make(given, name or getattr(given, "__name__", "function"), version, frozenset(requires))

        return made if function is None else made(function)


preprocessor: _Decorator[Callable[[Picture], Prepares | Awaitable[Prepares]], FunctionPreprocessor]
preprocessor = _Decorator(FunctionPreprocessor, "picture")
"""A function from the picture of a page to a better one; a `PreparedPicture` if boxes must be mapped back."""

detector: _Decorator[Callable[[Picture], Layout | Awaitable[Layout]], FunctionDetector]
detector = _Decorator(FunctionDetector, "picture")
"""A function from a picture to the regions on it."""

classifier: _Decorator[Callable[[Layout, Picture], Classifies | Awaitable[Classifies]], FunctionClassifier]
classifier = _Decorator(FunctionClassifier, "layout, picture")
"""A function that assigns roles to the regions of a layout."""

region_preprocessor: _Decorator[Callable[[Crop], Cuts | Awaitable[Cuts]], FunctionRegionPreprocessor]
region_preprocessor = _Decorator(FunctionRegionPreprocessor, "crop")
"""A function from the crop of a region to a better picture, or to the crops to be read instead."""

postprocessor: _Decorator[Callable[[Recognition], Recognition | Awaitable[Recognition]], FunctionCorrector]
postprocessor = _Decorator(FunctionCorrector, "recognition")
"""A pure function that corrects a recognition."""

exporter: _Decorator[Callable[[PipelineResult], Written | Awaitable[Written]], FunctionExporter]
exporter = _Decorator(FunctionExporter, "result")
"""A function that exports the result; a path that it returns is emitted as an event."""


@overload
def recognizer(function: Reader, /) -> FunctionEngine: ...


@overload
def recognizer(
    *,
    name: str = "",
    version: str = "1",
    capabilities: Iterable[Capability] = ("text",),
    policy: Policy = "io",
    timeout_s: float = 60.0,
    max_concurrency: int = 1,
) -> Callable[[Reader], FunctionEngine]: ...


def recognizer(
    function: Reader | None = None,
    /,
    *,
    name: str = "",
    version: str = "1",
    capabilities: Iterable[Capability] = ("text",),
    policy: Policy = "io",
    timeout_s: float = 60.0,
    max_concurrency: int = 1,
) -> FunctionEngine | Callable[[Reader], FunctionEngine]:
    """A function from a picture and a question to text, lines or recognitions as an engine: see `from_function`."""

    def made(given: Reader) -> FunctionEngine:
        check_function(given, "picture, question")
        return from_function(
            name or getattr(given, "__name__", "function"),
            given,
            version=version,
            capabilities=capabilities,
            policy=policy,
            timeout_s=timeout_s,
            max_concurrency=max_concurrency,
        )

    return made if function is None else made(function)
