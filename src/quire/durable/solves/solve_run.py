"""A solve as durable code: the workspace, runners in a failover chain, checks, rounds, people, the files.

Deterministic between the calls of its context, so that it goes on after a crash where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.core.context import Context, Json, Retry
from quire.core.errors import RunCancelled, RunError
from quire.core.events import Event, EventKind
from quire.core.keys import Digest
from quire.core.runner import RETRIED, Role
from quire.durable.solves.solve_request import SolveRequest
from quire.durable.solves.solve_reviews import SolveReviews
from quire.durable.solves.solve_steps import SolveSteps
from quire.durable.steps.step_events import step_sink
from quire.reading.messages import DocumentReference, OpenedReview, SolvePlan, SolveResult, SolveState
from quire.solving.attempts import RunnerAttempt

PATIENT = Retry(attempts=3, backoff_s=0.5)
LONGEST_PAUSE_S = 120.0
"""Between two attempts of one runner."""
NO_DIGEST = Digest("")


class SolveRun:
    """One solve over documents that were read. `number` is that of the first document in its run."""

    def __init__(
        self, steps: SolveSteps, ctx: Context, request: SolveRequest, references: Sequence[DocumentReference]
    ) -> None:
        self._steps, self._ctx, self._request, self._references = steps, ctx, request, references
        self._reviews = SolveReviews(steps)
        self._attempts: list[RunnerAttempt] = []
        self._rounds: list[Digest] = []
        self._contents: dict[Digest, None] = {}
        self._backoff = Retry(backoff_s=request.backoff_s, max_backoff_s=LONGEST_PAUSE_S)

    async def play(self) -> SolveResult:
        """Raises RunError when no runner answers."""
        self._phase("started", "workspace")
        plan: SolvePlan = await self._run("workspace", self._steps.workspace, self._sink("workspace"))
        self._phase("finished", "workspace", {"digest": plan["workspace"], "files": plan["files"]})
        state = await self._solved(plan)
        reviews: list[str] = []
        if self._request.review != "none":
            state, reviews = await self._decided(state)
        self._phase("started", "finish")
        files, coverage = await self._run("finish", self._steps.finished, state)
        settled = not state["open"] and coverage["found"] == coverage["returned"]
        result: SolveResult = {
            "status": "complete" if settled or state.get("decided") else "open",
            "workspace": plan["workspace"],
            "manifest": plan["manifest"],
            "answer": files["extraction.json"],
            "files": files,
            "attempts": [one.to_json() for one in self._attempts],
            "rounds": self._rounds,
            "contents": [*self._contents],
            "coverage": coverage,
            "reviews": reviews,
        }
        self._phase("finished", "finish", {"status": result["status"], "coverage": coverage})
        return result

    async def _solved(self, plan: SolvePlan) -> SolveState:
        """The answer after the last round: the solver answers findings as long as there are any, and it can."""
        state: SolveState | None = None
        for number in range(self._request.rounds + 1):
            names = plan["runners"] if state is None else self._revising(plan)
            if not names:
                break
            self._phase("started", f"round {number}", {"round": number})
            attempt = await self._chain(plan, "solver", number, names, state)
            if attempt is None and state is not None:
                break  # the answer of the round before is better than none
            if attempt is None:
                raise RunError(self._failure(), category="runtime")
            state = self._kept(await self._run(f"check {number}", self._steps.checked, attempt))
            state = self._kept(await self._reviewed(plan, number, state))
            self._rounds.append(state["findings"])
            self._phase("finished", f"round {number}", {"round": number, "open": state["open"]})
            if not state["open"]:
                break
        assert state is not None
        return state

    def _revising(self, plan: SolvePlan) -> Sequence[str]:
        """The runners that can answer findings, the one that gave the answer first."""
        last = next((one.runner for one in reversed(self._attempts) if one.role == "solver" and one.succeeded), "")
        return sorted(plan["revising"], key=lambda name: name != last)

    async def _reviewed(self, plan: SolvePlan, number: int, state: SolveState) -> SolveState:
        """What another runner finds in the answer. A reviewer that fails is an attempt, and the checks count alone."""
        if not self._request.reviewer:
            return state
        attempt = await self._chain(plan, "reviewer", number, (self._request.reviewer,), state)
        if attempt is None:
            return state
        reviewed: SolveState = await self._run(f"review {number}", self._steps.reviewed, state, attempt)
        return reviewed

    async def _chain(
        self, plan: SolvePlan, role: Role, number: int, names: Sequence[str], state: SolveState | None
    ) -> RunnerAttempt | None:
        """Runner after runner until one answers; each is tried again after a failure that may pass."""
        for name in names:
            for count in range(1, self._request.attempts + 1):
                attempt = await self._attempt(
                    plan, RunnerAttempt(role, number, name, "", count, "ok", NO_DIGEST, NO_DIGEST), state
                )
                self._attempts.append(attempt)
                if attempt.succeeded:
                    return attempt
                if attempt.outcome not in RETRIED or count == self._request.attempts:
                    break
                await self._ctx.sleep(self._backoff.pause_s(count, 0.0))
        return None

    async def _attempt(self, plan: SolvePlan, asked: RunnerAttempt, state: SolveState | None) -> RunnerAttempt:
        name = f"{asked.role} {asked.round} {asked.runner} {asked.number}"
        about = {"role": asked.role, "round": asked.round, "runner": asked.runner, "attempt": asked.number}
        self._phase("started", name, about)
        try:
            made = await self._run(name, self._steps.attempt, plan, asked, state, self._sink(name), self._check)
        except RunError as error:
            made = replace(asked, outcome="terminal", reason=str(error), workspace=plan["workspace"]).to_json()
        attempt = RunnerAttempt.from_json(made)
        ended: dict[str, Json] = {**about, "outcome": attempt.outcome, "reason": attempt.reason}
        ended |= {"usage": made["usage"], "workspace": attempt.workspace, "prompt": attempt.prompt}
        self._phase("attempt", name, ended)
        return attempt

    async def _decided(self, state: SolveState) -> tuple[SolveState, list[str]]:
        """Put what is open up for review, and wait for the people who decide if that is asked for."""
        waits = self._request.review == "wait"
        opened: list[OpenedReview] = await self._run(
            "open reviews", self._reviews.opened, state, self._ctx.run_id, waits
        )
        ids = [one["review"] for one in opened]
        signals = [one["signal"] for one in opened if one["signal"]]
        if not signals:
            return state, ids
        self._phase("started", "review", {"reviews": ids})
        for signal in signals:
            await self._ctx.signal(signal)
        decided = self._kept(await self._run("decided", self._reviews.decided, state, ids))
        self._phase("finished", "review", {"reviews": ids})
        return decided, ids

    async def _run(self, name: str, step: Json, *args: object) -> Json:
        """A step about the request and its documents."""
        return await self._ctx.run(f"solve {name}", step, self._request, self._references, *args, retry=PATIENT)

    def _kept(self, state: SolveState) -> SolveState:
        self._contents |= dict.fromkeys((state["answer"], state["findings"], state["notes"]))
        return state

    def _check(self) -> None:
        if self._ctx.stopping == "now":
            raise RunCancelled("the run was cancelled")

    def _sink(self, step: str) -> Json:
        return step_sink(self._ctx, f"solve/{step}")

    def _phase(self, kind: EventKind, phase: str, payload: Json = None) -> None:
        run = self._ctx.run_id
        event = {"phase": phase, **(payload or {})}
        self._ctx.emit(Event(f"{run}/solve/{kind}/{phase}", run, 0, kind, "solve", payload=event))

    def _failure(self) -> str:
        reasons = "; ".join(f"{one.runner}: {one.outcome}: {one.reason}" for one in self._attempts[-5:])
        return f"no runner answered: {reasons}. Add `offline` to the runners: it needs no language model"
