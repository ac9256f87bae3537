"""Validation of a flow: every reference resolves, every value has the right type, every unit can fan out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from quire.core.errors import QuireError
from quire.flow.component_registry import ComponentRegistry
from quire.flow.components import Component
from quire.flow.definition import (
    Expression,
    FlowDefinition,
    Input,
    InputReference,
    Literal,
    Step,
    StepReference,
    plain,
    references,
)
from quire.flow.tree import Mistake, Mistakes, nearest
from quire.flow.value_types import ANY, Type


def check(flow: FlowDefinition, components: ComponentRegistry) -> list[Mistake]:
    """All mistakes in a flow whose structure is valid, by line."""
    checker = _Checker(flow, components)
    checker.check()
    return checker.mistakes.sorted()


class _Checker:
    def __init__(self, flow: FlowDefinition, components: ComponentRegistry) -> None:
        self.flow = flow
        self.mistakes = Mistakes()
        self.steps = {step.id: step for step in flow.steps}
        self.components = {step.id: found for step in flow.steps if (found := self._find(step, components))}

    def check(self) -> None:
        for id, count in Counter(step.id for step in self.flow.steps).items():
            if count > 1:
                again = [step for step in self.flow.steps if step.id == id][1:]
                for step in again:
                    self.mistakes.add(step.line, f"there is a step {id!r} already; give this one another id")
        for step in self.flow.steps:
            self._check_references(step.input)
            self._check_options(step)
            if step.id in self.components:
                self._check_inputs(step, self.components[step.id])
                self._check_unit(step, self.components[step.id])
        self._check_cycles()
        self._check_references(self.flow.output)
        self._check_outputs()
        self._check_cases()

    def _find(self, step: Step, components: ComponentRegistry) -> Component | None:
        if not step.component:
            return None
        try:
            return components.find(step.component)
        except QuireError as error:
            self.mistakes.add(step.line, f"step {step.id!r}: {error}")
            return None

    def _check_references(self, expression: Expression) -> None:
        for reference in references(expression):
            if isinstance(reference, InputReference):
                if reference.name not in self.flow.inputs:
                    advice = nearest(reference.name, self.flow.inputs)
                    self.mistakes.add(reference.line, f"the flow has no input {reference.name!r}; {advice}")
            elif reference.step not in self.steps:
                self.mistakes.add(
                    reference.line, f"there is no step {reference.step!r}; {nearest(reference.step, self.steps)}"
                )
            else:
                self._check_path(reference)

    def _check_path(self, reference: StepReference) -> None:
        made_by = self.components.get(reference.step)
        if made_by is None or not reference.path or made_by.outputs is None:
            return
        if reference.path[0] not in made_by.outputs:
            advice = nearest(reference.path[0], made_by.outputs)
            self.mistakes.add(
                reference.line,
                f"{made_by.name} (step {reference.step!r}) has no output {reference.path[0]!r}; {advice}",
            )

    def _check_inputs(self, step: Step, component: Component) -> None:
        for name, port in component.inputs.items():
            if port.required and name not in step.input:
                self.mistakes.add(step.line, f"step {step.id!r} lacks the input {name!r}, which {component.name} needs")
        for name, given in step.input.items():
            line = step.line_of(f"input.{name}")
            if name not in component.inputs:
                where = "it is an option: write it under `options`" if name in component.options else None
                advice = where or nearest(name, component.inputs)
                self.mistakes.add(line, f"{component.name} has no input {name!r}; {advice}")
                continue
            port = component.inputs[name]
            self._check_value(line, f"the input {name!r} of step {step.id!r}", given, port.type)
            optional = isinstance(given, InputReference) and self._may_be_absent(given)
            if port.required and optional:
                self.mistakes.add(
                    line,
                    f"the input {name!r} of {component.name} is required, but {given.name!r} is optional"  # type: ignore[union-attr]
                    "; give it a default",
                )

    def _may_be_absent(self, reference: InputReference) -> bool:
        declared = self.flow.inputs.get(reference.name)
        return declared is not None and not declared.required and declared.default is None

    def _check_options(self, step: Step) -> None:
        for reference in references(step.options):
            if isinstance(reference, StepReference):
                self.mistakes.add(reference.line, "options may refer to inputs of the flow, not to steps; use `input`")
        self._check_references(tuple(one for one in references(step.options) if isinstance(one, InputReference)))
        component = self.components.get(step.id)
        if component is None:
            return
        for name, given in step.options.items():
            line = step.line_of(f"options.{name}")
            if name not in component.options:
                where = "it is an input: write it under `input`" if name in component.inputs else None
                advice = where or nearest(name, component.options)
                self.mistakes.add(line, f"{component.name} has no option {name!r}; {advice}")
            else:
                self._check_value(line, f"the option {name!r} of step {step.id!r}", given, component.options[name].type)
        for name, port in component.options.items():
            if port.required and name not in step.options:
                self.mistakes.add(step.line, f"step {step.id!r} lacks the option {name!r} of {component.name}")

    def _check_value(self, line: int, what: str, given: Expression, wanted: Type) -> None:
        """Constants are checked by value, references by their declared types."""
        match given:
            case InputReference() | StepReference():
                found = self._type_of(given)
                if not wanted.accepts(found) and not self._gathered(given):
                    self.mistakes.add(line, f"{what} is {found}, not {wanted}{_advice(wanted, found)}")
            case Literal():
                self._check_constant(line, what, given.value, wanted)
            case _ if not any(references(given)):
                self._check_constant(line, what, plain(given), wanted)

    def _check_constant(self, line: int, what: str, value: object, wanted: Type) -> None:
        if problem := wanted.problem(value):
            self.mistakes.add(line, f"{what} {problem}")

    def _type_of(self, reference: InputReference | StepReference) -> Type:
        if isinstance(reference, InputReference):
            declared = self.flow.inputs.get(reference.name)
            return declared.type if declared and not reference.path else ANY
        made_by = self.components.get(reference.step)
        if made_by is None:
            return ANY
        if not reference.path:
            return made_by.gives
        known = (made_by.outputs or {}).get(reference.path[0], ANY)
        return known if len(reference.path) == 1 else ANY

    def _gathered(self, given: InputReference | StepReference) -> bool:
        """Whether it is a list by page whose items have the component's output type."""
        made_by = self.components.get(given.step) if isinstance(given, StepReference) else None
        return made_by is not None and made_by.unit != "document"

    def _check_unit(self, step: Step, component: Component) -> None:
        if component.unit == "document":
            return
        origins = self._origins(step, {step.id})
        if not origins:
            self.mistakes.add(
                step.line,
                f"{component.name} works on each {component.unit}, but step {step.id!r} gets no document that was "
                "read; give it the result of a step like read",
            )
        elif len(origins) > 1:
            names = " and ".join(sorted(origins))
            self.mistakes.add(
                step.line, f"step {step.id!r} gets pages of several documents ({names}); their pages do not match"
            )

    def _origins(self, step: Step, seen: set[str]) -> set[str]:
        """The steps that read the documents over whose pages this step runs."""
        found: set[str] = set()
        for reference in references(step.input):
            if not isinstance(reference, StepReference):
                continue
            before = self.components.get(reference.step)
            if before is not None and before.gives.name == "result" and not reference.path:
                found.add(reference.step)
            elif before is not None and before.unit != "document" and reference.step not in seen:
                seen.add(reference.step)
                found |= self._origins(self.steps[reference.step], seen)
        return found

    def _check_cycles(self) -> None:
        sortable = {step.id for level in self.flow.levels() for step in level}
        caught = [step for step in self.flow.steps if step.id not in sortable and set(step.needs) <= set(self.steps)]
        in_cycle = [step for step in caught if self._leads_to(step.id, step.id, set())]
        if in_cycle:
            names = ", ".join(step.id for step in in_cycle)
            self.mistakes.add(in_cycle[0].line, f"the steps {names} form a cycle; remove one of the references")

    def _leads_to(self, start: str, goal: str, seen: set[str]) -> bool:
        for needed in self.steps[start].needs if start in self.steps else ():
            if needed == goal:
                return True
            if needed not in seen:
                seen.add(needed)
                if self._leads_to(needed, goal, seen):
                    return True
        return False

    def _check_outputs(self) -> None:
        given: Mapping[str, Expression] = self.flow.output if isinstance(self.flow.output, Mapping) else {}
        for name, declared in self.flow.outputs.items():
            if name not in given:
                if declared.required:
                    self.mistakes.add(declared.line, f"the output {name!r} is declared, but `output` does not set it")
            else:
                self._check_value(declared.line, f"the output {name!r}", given[name], declared.type)

    def _check_cases(self) -> None:
        for case in self.flow.cases:
            for problem in input_problems(self.flow.inputs, case.input):
                self.mistakes.add(case.line, f"case {case.name!r}: {problem}")


def input_problems(declared: Mapping[str, Input], given: Mapping[str, object]) -> list[str]:
    """The mistakes in the inputs of a run: unknown, missing, of the wrong type."""
    unknown = [f"the flow has no input {name!r}; {nearest(name, declared)}" for name in given if name not in declared]
    missing = [
        f"the input {name!r} is missing" for name, one in declared.items() if one.required and given.get(name) is None
    ]
    wrong = [
        f"the input {name!r} {problem}"
        for name, one in declared.items()
        if given.get(name) is not None and (problem := one.type.problem(given[name]))
    ]
    return [*unknown, *missing, *wrong]


def _advice(wanted: Type, found: Type) -> str:
    if (wanted.name, found.name) == ("result", "document"):
        return ": it has not been read yet; refer to a step like read"
    if (wanted.name, found.name) == ("document", "result"):
        return ": it was read already; refer to the input of the flow"
    return ""
