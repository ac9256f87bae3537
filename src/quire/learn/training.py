"""Learns from samples: which candidate of a document is the value of a leaf."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from quire.context import Json
from quire.errors import UsageError
from quire.extract.schema import LeafSpec
from quire.learn.agreeing import ConfirmedValue, right_choices
from quire.learn.choices import LeafChoice
from quire.learn.described import DescribedDocument, LeafRows
from quire.learn.layouts import KnownLayout, LayoutPlace, nearest, place_of
from quire.learn.model import LeafScore, LearnedLeaf, LearnedModel
from quire.learn.regression import ChoiceRows, hardest, learnt_weights
from quire.learn.samples import Sample
from quire.learn.spelling import KnownSpellings, words_of
from quire.learn.writing import way_of

FEWEST = 5
"""Samples that anything is learnt from."""
MANY = 20
"""Confirmed values of a field."""
FOLDS = 5


@dataclass(frozen=True, slots=True)
class LearningMistake:
    """What would have come out wrong for a sample if it had not been learnt from: None for no value. `page` is where
    the wrong value stands, or where the expected one does."""

    document: str
    path: str
    expected: Json
    got: Json
    page: int | None


@dataclass(frozen=True)
class Learning:
    """What was learnt, and what the cross-validation on the samples found wrong."""

    model: LearnedModel
    mistakes: Sequence[LearningMistake]
    unplaced: Sequence[tuple[str, str]]
    """Documents and paths of values that no candidate says: nothing can be learnt from them."""


def learn(samples: Iterable[Sample]) -> LearnedModel:
    """Learn from samples, at least five, which may be in any order. Seconds for fifty of them, on one core.

    A leaf of which a cross-validation says that the rules do as well is left to the rules. Raises UsageError for fewer
    samples, and for samples of different schemas.
    """
    return checked_learning(samples).model


def checked_learning(samples: Iterable[Sample]) -> Learning:
    """The same with what the cross-validation found wrong."""
    studied = [_Studied(one) for one in _usable(samples)]
    lessons = [_Lesson(leaf, studied) for leaf in studied[0].sample.leaves.leaves]
    leaves = {lesson.leaf.path: lesson.learned for lesson in lessons}
    layouts = [KnownLayout(one.document.marks, one.places) for one in studied]
    model = LearnedModel(tuple(one.sample.digest for one in studied), leaves, layouts)
    return Learning(
        model,
        [mistake for lesson in lessons for mistake in lesson.mistakes],
        [(one.sample.name, lesson.leaf.path) for lesson in lessons for one in lesson.unplaced],
    )


def _usable(samples: Iterable[Sample]) -> list[Sample]:
    ordered = sorted(samples, key=lambda one: one.digest)
    listed = sorted({one.id: one for one in ordered}.values(), key=lambda one: one.digest)
    if len(listed) < FEWEST:
        raise UsageError(f"there are {len(listed)} samples; learning starts with {FEWEST}")
    if len({one.leaves.digest for one in listed}) > 1:
        raise UsageError("the samples have different schemas; learn from those of one schema at a time")
    return listed


class _Studied:
    """A sample with its choices, and where its values stand."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.document = DescribedDocument(sample.catalog, sample.leaves)
        self.places: dict[str, LayoutPlace] = {}

    @cached_property
    def words(self) -> frozenset[int]:
        return words_of(self.sample.catalog)

    def layout(self) -> KnownLayout:
        return KnownLayout(self.document.marks, self.places)


@dataclass(frozen=True, slots=True)
class _Case:
    """A sample for one leaf. `right` are the rows that are right: empty if no candidate says the value."""

    studied: _Studied
    expected: Sequence[Json]
    rows: LeafRows
    right: Sequence[int]

    @property
    def proposed(self) -> LeafChoice | None:
        return next((one for one in self.rows.choices if one.rank == 0), None)


class _Outcome(NamedTuple):
    """What came out for a case: None for no value."""

    case: _Case
    choice: LeafChoice | None
    value: Json


class _Decision(NamedTuple):
    """What of a lesson is used: how it chooses, how it spells; neither leaves the leaf to the rules."""

    chooses: bool
    spells: bool


_RULES = _Decision(chooses=False, spells=False)
_DECISIONS = (_RULES, _Decision(False, True), _Decision(True, False), _Decision(True, True))


class _Lesson:
    """One leaf, learnt from all samples that say something about it."""

    def __init__(self, leaf: LeafSpec, studied: Sequence[_Studied]) -> None:
        self.leaf = leaf
        said = [(one, expected) for one in studied if (expected := one.sample.expected(leaf.path)) is not None]
        self._single = "[]" not in leaf.path and all(len(expected) <= 1 for _, expected in said)
        self._said = said
        self.cases = [self._case(one, expected) for one, expected in said] if self._single else []
        for one in self.cases:
            if one.right and one.right[0]:
                one.studied.places[leaf.path] = place_of(one.rows.choices[one.right[0] - 1])

    def _case(self, studied: _Studied, expected: Sequence[Json]) -> _Case:
        rows = studied.document.rows(self.leaf)
        if not expected:
            return _Case(studied, expected, rows, (0,))
        right = right_choices(self.leaf, rows.choices, expected, studied.sample.place(self.leaf.path))
        return _Case(studied, expected, rows, [at + 1 for at in right])

    @property
    def unplaced(self) -> list[_Studied]:
        return [one.studied for one in self.cases if not one.right]

    @cached_property
    def learned(self) -> LearnedLeaf:
        path, rules = self.leaf.path, self._rules_score()
        if not self._single or rules.f1 == 1.0 or not self._can_learn:
            return LearnedLeaf(path, rules, rules)
        score = self._total(self._decided)
        if self._decision == _RULES:
            return LearnedLeaf(path, rules, score)
        chooses, spells = self._decision
        return LearnedLeaf(
            path,
            rules,
            score,
            self._weights(self._narrowed) if chooses else {},
            self._kinds if chooses else (),
            self._way() if chooses else "value",
            self._spellings(self.cases) if spells else KnownSpellings(),
        )

    @property
    def _can_learn(self) -> bool:
        return len(self._usable) >= FEWEST and any(one.right[0] for one in self._usable)

    @property
    def _usable(self) -> list[_Case]:
        return [one for one in self.cases if one.right]

    @cached_property
    def _decision(self) -> _Decision:
        """What the cross-validation speaks for: with few values the rules unless others are better by more than chance,
        with many what is learnt unless it is worse by more than chance. Many values of one kind of document say more
        about the next one than rules for all kinds do."""
        many = sum(bool(one.expected) for one in self.cases) >= MANY
        fit = [one for one in _DECISIONS if one == _RULES or self._is_fit(one, many=many)]
        best = {one: self._total(self._validated[one]).f1 for one in fit}
        if many:
            return max(fit, key=lambda one: (one.chooses, one.spells, best[one]))
        return max(fit, key=lambda one: (best[one], -_DECISIONS.index(one)))

    def _is_fit(self, decision: _Decision, *, many: bool) -> bool:
        """Of the documents that come out otherwise than by the rules, the better ones are more than half (or with many
        values the worse ones are not), by more than a standard deviation."""
        wrong = [_wrong(self._score(one)) for one in self._validated[decision]]
        before = [_wrong(self._score(one)) for one in self._validated[_RULES]]
        better = sum(now < then for now, then in zip(wrong, before, strict=True))
        worse = sum(now > then for now, then in zip(wrong, before, strict=True))
        if many:
            return worse <= better or (worse - better) ** 2 <= better + worse
        return better > worse and (better - worse) ** 2 > better + worse

    @property
    def _decided(self) -> list[_Outcome]:
        if not self._can_learn:
            return [_Outcome(one, choice := one.proposed, choice and choice.value) for one in self.cases]
        return self._validated[self._decision]

    def _total(self, outcomes: Sequence[_Outcome]) -> LeafScore:
        return sum((self._score(one) for one in outcomes), LeafScore())

    @property
    def mistakes(self) -> list[LearningMistake]:
        if not self._single:
            return [
                LearningMistake(one.sample.name, self.leaf.path, list(expected), got, None)
                for one, expected in self._said
                if (got := self._proposed(one)) is not None
                and self._score_several(expected, got).right < max(len(expected), len(got))
            ]
        scored = ((one, self._score(one)) for one in self._decided)
        return [self._mistake(one) for one, score in scored if score.right < max(score.expected, score.found)]

    def _mistake(self, outcome: _Outcome) -> LearningMistake:
        case, sample = outcome.case, outcome.case.studied.sample
        place = sample.place(self.leaf.path)
        page = outcome.choice.candidate.page if outcome.choice else place.page if place is not None else None
        expected = case.expected[0] if case.expected else None
        return LearningMistake(sample.name, self.leaf.path, expected, outcome.value, page)

    def _proposed(self, studied: _Studied) -> list[Json]:
        return [one.value for one in studied.document.found.proposed(self.leaf)]

    def _rules_score(self) -> LeafScore:
        if self._single:
            return self._total([_Outcome(one, one.proposed, one.proposed and one.proposed.value) for one in self.cases])
        scores = (self._score_several(expected, self._proposed(one)) for one, expected in self._said)
        return sum(scores, LeafScore())

    def _score(self, outcome: _Outcome) -> LeafScore:
        expected, got = outcome.case.expected, outcome.value
        right = got is not None and any(ConfirmedValue(self.leaf, value).is_said_by(got) for value in expected)
        return LeafScore(len(expected), int(got is not None), int(right))

    def _score_several(self, expected: Sequence[Json], got: Sequence[Json]) -> LeafScore:
        right = sum(any(map(ConfirmedValue(self.leaf, value).is_said_by, got)) for value in expected)
        return LeafScore(len(expected), len(got), min(right, len(got)))

    @cached_property
    def _kinds(self) -> tuple[str, ...]:
        right = (one.rows.choices[at - 1] for one in self.cases for at in one.right if at)
        return tuple(sorted({choice.candidate.kind for choice in right}))

    @cached_property
    def _narrowed(self) -> list[_Case]:
        """The cases that can be learnt from, with the choices that it pays to learn from."""
        kinds = frozenset(self._kinds)
        narrowed = []
        for one in self.cases:
            if one.right:
                right = {id(one.rows.rows[at]) for at in one.right}
                rows = one.rows.of_kinds(kinds)
                narrowed.append((one, rows, [at for at, row in enumerate(rows.rows) if id(row) in right]))
        kept = hardest([ChoiceRows(rows.rows, right) for _, rows, right in narrowed])
        return [
            _Case(one.studied, one.expected, rows.some(at), [at.index(row) for row in right])
            for (one, rows, right), at in zip(narrowed, kept, strict=True)
        ]

    @cached_property
    def _validated(self) -> Mapping[_Decision, list[_Outcome]]:
        """What would come out for each case by what is learnt from those of the other folds, for each decision."""
        found: dict[_Decision, list[_Outcome]] = {one: [] for one in _DECISIONS}
        fold_of = {id(one.studied): number % FOLDS for number, one in enumerate(self.cases)}
        kinds = frozenset(self._kinds)
        for fold in range(FOLDS):
            learnt = [one for one in self._narrowed if fold_of[id(one.studied)] != fold]
            weights = self._weights(learnt) if learnt else {}
            spellings = self._spellings([one for one in self.cases if fold_of[id(one.studied)] != fold])
            known = [one.studied.layout() for one in learnt]
            for one in self.cases:
                if fold_of[id(one.studied)] != fold:
                    continue
                rows = one.rows.of_kinds(kinds).placed(self.leaf.path, nearest(one.studied.document.marks, known))
                chosen = rows.ranked(weights)[0][1]
                for decision in _DECISIONS:
                    choice = chosen if decision.chooses else one.proposed
                    value = choice and (spellings.of_choice(choice) if decision.spells else choice.value)
                    found[decision].append(_Outcome(one, choice, value))
        return found

    def _spellings(self, cases: Sequence[_Case]) -> KnownSpellings:
        return KnownSpellings.of(self.leaf, [one.expected for one in cases], [one.studied.words for one in cases])

    def _weights(self, cases: Sequence[_Case]) -> Mapping[int, float]:
        options = []
        for one in cases:
            others = [two.studied.layout() for two in cases if two is not one]
            near = nearest(one.studied.document.marks, others)
            options.append(ChoiceRows(one.rows.placed(self.leaf.path, near).rows, one.right))
        return learnt_weights(options)

    def _way(self) -> str:
        right = [(one, one.rows.choices[one.right[0] - 1]) for one in self.cases if one.right and one.right[0]]
        return way_of([(choice.value, choice.candidate.text, one.expected[0]) for one, choice in right])


def _wrong(score: LeafScore) -> int:
    """Values that are missing, and those that should not be there."""
    return score.expected + score.found - 2 * score.right
