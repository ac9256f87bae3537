"""The stages of a pipeline in their slots, with checks: one role each, and an engine with the required capabilities."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias, cast, get_args, runtime_checkable

from quire.core.engine import CAPABILITIES, Capability, Engine
from quire.core.errors import ConfigurationError, UsageError
from quire.core.plugin_checks import check_call, check_engine, check_members, name_of
from quire.pipelines.result import PipelineResult
from quire.pipelines.roles import (
    SLOTS,
    Classifier,
    Corrector,
    LayoutDetector,
    Preprocessor,
    RegionPreprocessor,
    Slot,
)


@runtime_checkable
class Exporter(Protocol):
    """Exports the result. The files it wrote are emitted as events; `format` names their format."""

    @property
    def name(self) -> str: ...

    @property
    def format(self) -> str: ...

    def export(self, result: PipelineResult) -> Sequence[Path] | Awaitable[Sequence[Path]]: ...


PipelineStage: TypeAlias = (
    Preprocessor | LayoutDetector | Classifier | RegionPreprocessor | Engine | Corrector | Exporter
)


class _Role(NamedTuple):
    """A slot, the protocol of its stages, and the arguments of the method that identifies them."""

    slot: Slot
    protocol: type
    arguments: str


_ROLES: dict[str, _Role] = {
    "preprocess": _Role("preprocess", Preprocessor, "picture"),
    "detect": _Role("detect", LayoutDetector, "picture, page"),
    "classify": _Role("classify", Classifier, "layout, picture"),
    "preprocess_region": _Role("region_preprocess", RegionPreprocessor, "crop"),
    "ask": _Role("recognize", Engine, "picture, question"),
    "correct": _Role("post_process", Corrector, "recognition"),
    "export": _Role("export", Exporter, "result"),
}
"""The role of a stage by the method that identifies it; engines have their own check."""

_ONCE: frozenset[Slot] = frozenset(("detect", "classify", "recognize"))


@dataclass(frozen=True, slots=True)
class Placed:
    """A stage in its slot."""

    slot: Slot
    stage: PipelineStage

    @classmethod
    def of(cls, stage: object) -> Placed:
        found = {verb: role.slot for verb, role in _ROLES.items() if callable(getattr(stage, verb, None))}
        what = name_of(stage)
        if isinstance(stage, type) and found:
            raise ConfigurationError(f"{what} is a class; pass an instance: {what}(…)")
        if len(found) == 1 and isinstance(getattr(stage, "name", None), str):
            ((verb, slot),) = found.items()
            _check_role(stage, verb, what)
            return cls(slot, cast(PipelineStage, stage))
        if len(found) > 1:
            roles = ", ".join(sorted(found.values()))
            raise ConfigurationError(f"{what} has several roles ({roles}); a stage must have exactly one")
        hint = "; decorate a function with @preprocessor, @detector, …" if callable(stage) else ""
        raise ConfigurationError(f"{what} is not a stage: it needs a name and one of {', '.join(_ROLES)}{hint}")


def _check_role(stage: object, verb: str, what: str) -> None:
    """Raise ConfigurationError for what a stage lacks for its role."""
    if verb == "ask":
        check_engine(stage)
        return
    _, protocol, names = _ROLES[verb]
    check_members(stage, protocol)
    check_call(getattr(stage, verb), names.count(",") + 1, f"{what}.{verb}", names)


class Stages:
    """The stages in the order of their slots; those of one slot in the order in which they were given."""

    def __init__(self, placed: Sequence[Placed]) -> None:
        self.placed = tuple(sorted(placed, key=lambda one: SLOTS.index(one.slot)))
        for slot in _ONCE:
            if len(found := [one.stage.name for one in self.placed if one.slot == slot]) > 1:
                raise ConfigurationError(
                    f"there are {len(found)} stages for {slot}: {', '.join(found)}; only one is allowed"
                )
        engines = [one.stage for one in self.placed if one.slot == "recognize"]
        if not engines:
            raise ConfigurationError("a pipeline needs an OCR engine: pass one, such as quire.recognize.tesseract()")
        self.engine = cast(Engine, engines[0])
        self._check_capabilities()

    @classmethod
    def of(cls, stages: Sequence[object]) -> Stages:
        return cls([Placed.of(stage) for stage in stages])

    @property
    def preprocessors(self) -> tuple[Preprocessor, ...]:
        return cast(tuple[Preprocessor, ...], tuple(self._of("preprocess")))

    @property
    def detector(self) -> LayoutDetector | None:
        return cast(LayoutDetector | None, next(self._of("detect"), None))

    @property
    def classifier(self) -> Classifier | None:
        return cast(Classifier | None, next(self._of("classify"), None))

    @property
    def region_preprocessors(self) -> tuple[RegionPreprocessor, ...]:
        return cast(tuple[RegionPreprocessor, ...], tuple(self._of("region_preprocess")))

    @property
    def correctors(self) -> tuple[Corrector, ...]:
        return cast(tuple[Corrector, ...], tuple(self._of("post_process")))

    @property
    def exporters(self) -> tuple[Exporter, ...]:
        return cast(tuple[Exporter, ...], tuple(self._of("export")))

    def replaced(self, where: str, stage: object) -> Stages:
        """The stages with `stage` in place of all stages of a slot, or of the stage of that name."""
        new = Placed.of(stage)
        at = [number for number, one in enumerate(self.placed) if where in (one.slot, one.stage.name)]
        if not at:
            if where != new.slot:
                raise ConfigurationError(self._unknown(where))
            return Stages([*self.placed, new])
        old = self.placed[at[0]]
        if old.slot != new.slot:
            raise ConfigurationError(f"{new.stage.name} is for {new.slot} and cannot replace {where}")
        kept = [one for number, one in enumerate(self.placed) if number not in at]
        return Stages([*kept[: at[0]], new, *kept[at[0] :]])

    def inserted(self, where: str, stage: object) -> Stages:
        """The stages with `stage` right after a slot or the stage of that name."""
        new = Placed.of(stage)
        at = [number for number, one in enumerate(self.placed) if where in (one.slot, one.stage.name)]
        if at:
            place = at[-1] + 1
        elif where in SLOTS:
            place = sum(SLOTS.index(one.slot) <= SLOTS.index(where) for one in self.placed)
        else:
            raise ConfigurationError(self._unknown(where))
        order = [SLOTS.index(one.slot) for one in (*self.placed[:place], new, *self.placed[place:])]
        if order != sorted(order):
            raise ConfigurationError(f"{new.stage.name} is for {new.slot}, which cannot come after {where}")
        return Stages([*self.placed[:place], new, *self.placed[place:]])

    def _of(self, slot: Slot) -> Iterator[PipelineStage]:
        return (one.stage for one in self.placed if one.slot == slot)

    def _unknown(self, where: str) -> str:
        names = [one.stage.name for one in self.placed]
        return f"the pipeline has no {where!r}; it has {', '.join(names)} in the slots {', '.join(SLOTS)}"

    def _check_capabilities(self) -> None:
        has = self.engine.capabilities
        for one in self.placed:
            needed: frozenset[Capability] = getattr(one.stage, "requires", frozenset())
            for capability in sorted(needed - has):
                if capability not in CAPABILITIES:
                    known = ", ".join(get_args(Capability))
                    raise UsageError(f"{one.stage.name} requires {capability!r}; capabilities are {known}")
                raise ConfigurationError(
                    f"{one.stage.name} ({one.slot}) needs an engine with {capability}; {self.engine.name} has only "
                    f"{', '.join(sorted(has)) or 'none'}"
                )
