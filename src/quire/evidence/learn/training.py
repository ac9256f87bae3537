"""Learns from samples: which candidate of a document is the value of a leaf."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb
from typing import NamedTuple

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.evidence.extract.schema import LeafSpec
from quire.evidence.learn.choices import LeafChoice
from quire.evidence.learn.confirmed_choices import ConfirmedValue, right_choices
from quire.evidence.learn.described import DescribedDocument, LeafRows
from quire.evidence.learn.layouts import KnownLayout, LayoutPlace, most_similar, place_of, similarity
from quire.evidence.learn.model import LeafScore, LearnedLeaf, LearnedModel
from quire.evidence.learn.regression import ChoiceRows, hardest, learnt_weights
from quire.evidence.learn.samples import Sample
from quire.evidence.learn.spelling import KnownSpellings, words_of
from quire.evidence.learn.written_forms import way_of

FEWEST = 5
"""Samples that anything is learnt from."""
MANY = 40
"""Confirmed values of a field that say more about the next document than rules for all kinds of documents do."""
CHANCE = 1 / 8
"""The highest probability that weights learnt from few values beat the rules by chance alone."""
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
    """A model, and the values that came out wrong in the cross-validation on the samples."""

    model: LearnedModel
    mistakes: Sequence[LearningMistake]
    unplaced: Sequence[tuple[str, str]]
    """Documents and paths of values that no candidate says: nothing can be learnt from them."""
    undecided: Sequence[tuple[str, Sequence[str]]] = ()
    """Documents whose samples say nothing about some fields, neither a value nor that there is none, and these."""
    usable: Mapping[str, int] = field(default_factory=dict)
    """The number of usable samples by path; a field needs `FEWEST`. Fields with several values have none."""


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
    layouts = [one.layout for one in studied]
    documents = tuple(sorted({one.sample.document for one in studied}))
    model = LearnedModel(tuple(one.sample.digest for one in studied), leaves, layouts, documents)
    return Learning(
        model,
        [mistake for lesson in lessons for mistake in lesson.mistakes],
        [(one.sample.name, lesson.leaf.path) for lesson in lessons for one in lesson.unplaced],
        [(one.sample.name, lacks) for one in studied if (lacks := one.sample.undecided)],
        {lesson.leaf.path: len(lesson.usable) for lesson in lessons if lesson.single},
    )


def _usable(samples: Iterable[Sample]) -> list[Sample]:
    ordered = sorted(samples, key=lambda one: one.digest)
    listed = sorted({one.id: one for one in ordered}.values(), key=lambda one: one.digest)
    if len(listed) < FEWEST:
        raise UsageError(f"there are {len(listed)} samples; learning starts with {FEWEST}")
    if len({one.leaves.digest for one in listed}) > 1:
        raise UsageError(
            "the samples have different schemas; learn from those of one at a time (--schema or --fields names it)"
        )
    return listed


class _Studied:
    """A sample with its choices, and where its values stand."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        catalog = sample.catalog
        self.document = DescribedDocument(catalog, sample.leaves)
        self.words = words_of(catalog)
        self.places: dict[str, LayoutPlace] = {}

        self.layout = KnownLayout(self.document.marks, self.places)
        self._similar: dict[int, float] = {}

    def nearest(self, others: Iterable[_Studied]) -> tuple[float, KnownLayout] | None:
        """The most similar layout of others, if it is similar enough."""
        return most_similar((self._similarity(one), one.layout) for one in others)

    def _similarity(self, other: _Studied) -> float:
        """Every leaf asks for that of the same pairs, for each fold."""
        found = self._similar.get(id(other))
        if found is None:
            found = self._similar[id(other)] = similarity(self.document.marks, other.document.marks)
            other._similar[id(self)] = found
        return found


@dataclass(frozen=True, slots=True)
class _Case:
    """A sample for one leaf. `right` are the choices that are right, None for no value: empty if no candidate says the
    value."""

    studied: _Studied
    expected: Sequence[Json]
    choices: Sequence[LeafChoice]
    right: Sequence[LeafChoice | None]

    def of_kinds(self, kinds: Sequence[str]) -> _Case:
        """Without choices of other kinds, unless they are proposed."""
        kept = [one for one in self.choices if one.candidate.kind in kinds or one.rank is not None]
        return replace(self, choices=kept)

    @property
    def proposed(self) -> LeafChoice | None:
        return next((one for one in self.choices if one.rank == 0), None)


@dataclass(frozen=True, slots=True)
class _Exercise:
    """The lesson of a case: some of its choices."""

    studied: _Studied
    rows: LeafRows
    options: ChoiceRows


class _Outcome(NamedTuple):
    """The outcome of a case: None for no value."""

    case: _Case
    choice: LeafChoice | None
    value: Json


class _Decision(NamedTuple):
    """The parts of a lesson that are used: its choice, its spelling; neither leaves the leaf to the rules."""

    chooses: bool
    spells: bool


_RULES = _Decision(chooses=False, spells=False)
_DECISIONS = (_RULES, _Decision(False, True), _Decision(True, False), _Decision(True, True))


class _Lesson:
    """One leaf, learnt from all samples that say something about it."""

    def __init__(self, leaf: LeafSpec, studied: Sequence[_Studied]) -> None:
        self.leaf = leaf
        said = [(one, expected) for one in studied if (expected := one.sample.expected(leaf.path)) is not None]
        self.single = "[]" not in leaf.path and all(len(expected) <= 1 for _, expected in said)
        self._said = said
        cases = [self._case(one, expected) for one, expected in said] if self.single else []
        self._kinds = tuple(sorted({choice.candidate.kind for one in cases for choice in one.right if choice}))
        self.cases = [one.of_kinds(self._kinds) for one in cases]
        for one in self.cases:
            if one.right and one.right[0]:
                one.studied.places[leaf.path] = place_of(one.right[0])

    def _case(self, studied: _Studied, expected: Sequence[Json]) -> _Case:
        choices = studied.document.found.of(self.leaf)
        if not expected:
            return _Case(studied, expected, choices, (None,))
        right = right_choices(self.leaf, choices, expected, studied.sample.place(self.leaf.path))
        return _Case(studied, expected, choices, [choices[at] for at in right])

    @property
    def unplaced(self) -> list[_Studied]:
        return [one.studied for one in self.cases if not one.right]

    @cached_property
    def learned(self) -> LearnedLeaf:
        path, rules = self.leaf.path, self._rules_score
        if not self.single or not self._can_learn:
            return LearnedLeaf(path, rules, rules)
        score = self._total(self._decided)
        if self._decision == _RULES:
            return LearnedLeaf(path, rules, score)
        chooses, spells = self._decision
        return LearnedLeaf(
            path,
            rules,
            score,
            self._weights(self._exercises) if chooses else {},
            self._kinds if chooses else (),
            self._way() if chooses else "value",
            self._spellings(self.cases) if spells else KnownSpellings(),
        )

    @property
    def usable(self) -> list[_Case]:
        """The samples of which it is known which candidate is right."""
        return [one for one in self.cases if one.right]

    @cached_property
    def _can_learn(self) -> bool:
        """Not where the rules are so often right that nothing could be better by more than chance."""
        usable = self.usable
        if len(usable) < FEWEST or not any(one.right[0] for one in usable):
            return False
        wrong = sum(_wrong(self._score(one)) > 0 for one in self._ruled)
        return wrong > 0 and (self._has_many or likelihood_by_chance(wrong, 0) <= CHANCE)

    @property
    def _has_many(self) -> bool:
        return sum(bool(one.expected) for one in self.cases) >= MANY

    @cached_property
    def _decision(self) -> _Decision:
        """The decision of the cross-validation: with few values the rules unless others are better by more than chance,
        with many what is learnt unless it is worse by more than a standard deviation."""
        many = self._has_many
        fit = [one for one in _DECISIONS if one == _RULES or self._is_fit(one, many=many)]
        best = {one: self._total(self._validated[one]).f1 for one in fit}
        if many:
            return max(fit, key=lambda one: (one.chooses, one.spells, best[one]))
        return max(fit, key=lambda one: (best[one], -_DECISIONS.index(one)))

    def _is_fit(self, decision: _Decision, *, many: bool) -> bool:
        """By the documents that come out otherwise than by the rules, some better and some worse."""
        wrong = [_wrong(self._score(one)) for one in self._validated[decision]]
        before = [_wrong(self._score(one)) for one in self._validated[_RULES]]
        better = sum(now < then for now, then in zip(wrong, before, strict=True))
        worse = sum(now > then for now, then in zip(wrong, before, strict=True))
        if many:
            return worse <= better or (worse - better) ** 2 <= better + worse
        return likelihood_by_chance(better, worse) <= CHANCE

    @property
    def _decided(self) -> list[_Outcome]:
        if not self._can_learn:
            return self._ruled
        return self._validated[self._decision]

    @property
    def _ruled(self) -> list[_Outcome]:
        return [_Outcome(one, choice := one.proposed, choice and choice.value) for one in self.cases]

    def _total(self, outcomes: Sequence[_Outcome]) -> LeafScore:
        return sum((self._score(one) for one in outcomes), LeafScore())

    @property
    def mistakes(self) -> list[LearningMistake]:
        if not self.single:
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

    @cached_property
    def _rules_score(self) -> LeafScore:
        if self.single:
            return self._total(self._ruled)
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
    def _rows(self) -> list[LeafRows]:
        """Of each case."""
        return [one.studied.document.rows(one.choices) for one in self.cases]

    @cached_property
    def _exercises(self) -> list[_Exercise]:
        """The cases that can be learnt from, with the choices that it pays to learn from."""
        every = []
        for one, rows in zip(self.cases, self._rows, strict=True):
            right = {id(choice) for choice in one.right}
            if right:
                listed = [at for at, choice in enumerate((None, *rows.choices)) if id(choice) in right]
                every.append(_Exercise(one.studied, rows, ChoiceRows.of(rows.rows, listed)))
        kept = hardest([one.options for one in every])
        return [
            _Exercise(one.studied, one.rows.some(at), one.options.some(at)) for one, at in zip(every, kept, strict=True)
        ]

    @cached_property
    def _validated(self) -> Mapping[_Decision, list[_Outcome]]:
        """The outcome of each case by the lessons of the other folds, for each decision."""
        found: dict[_Decision, list[_Outcome]] = {one: [] for one in _DECISIONS}
        fold_of = {id(one.studied): number % FOLDS for number, one in enumerate(self.cases)}
        for fold in range(FOLDS):
            learnt = [one for one in self._exercises if fold_of[id(one.studied)] != fold]
            weights = self._weights(learnt) if learnt else {}
            spellings = self._spellings([one for one in self.cases if fold_of[id(one.studied)] != fold])
            known = [one.studied for one in learnt]
            for one, rows in zip(self.cases, self._rows, strict=True):
                if fold_of[id(one.studied)] != fold:
                    continue
                chosen = rows.placed(self.leaf.path, one.studied.nearest(known)).best(weights)
                for decision in _DECISIONS:
                    choice = chosen if decision.chooses else one.proposed
                    value = choice and (spellings.of_choice(choice) if decision.spells else choice.value)
                    found[decision].append(_Outcome(one, choice, value))
        return found

    def _spellings(self, cases: Sequence[_Case]) -> KnownSpellings:
        return KnownSpellings.of(self.leaf, [one.expected for one in cases], [one.studied.words for one in cases])

    def _weights(self, exercises: Sequence[_Exercise]) -> Mapping[int, float]:
        options = []
        for one in exercises:
            near = one.studied.nearest(two.studied for two in exercises if two is not one)
            options.append(one.options.extended(one.rows.placements(self.leaf.path, near)))
        return learnt_weights(options)

    def _way(self) -> str:
        right = [(one, choice) for one in self.cases if one.right and (choice := one.right[0])]
        return way_of([(choice.value, choice.candidate.text, one.expected[0]) for one, choice in right])


def likelihood_by_chance(better: int, worse: int) -> float:
    """The probability that at least so many of the documents that come out otherwise are better, if each is better or
    worse with the same likelihood: a sign test."""
    changed = better + worse
    return sum(comb(changed, number) for number in range(better, changed + 1)) * 0.5**changed


def _wrong(score: LeafScore) -> int:
    """Values that are missing, and those that should not be there."""
    return score.expected + score.found - 2 * score.right
