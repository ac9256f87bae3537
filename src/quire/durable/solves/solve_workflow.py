"""The workflow `solve`: a task over documents that were read, for flows."""

from __future__ import annotations

from quire.core.context import Context, Workflow
from quire.durable.solves.solve_request import SolveRequest
from quire.durable.solves.solve_run import SolveRun
from quire.durable.solves.solve_steps import SolveSteps
from quire.reading.messages import SolveArgument, SolveResult
from quire.system.stage_versions import workflow_version

FLOW = "solve"


def solve_workflow(steps: SolveSteps) -> Workflow:
    """The workflow over a store."""

    async def solve(ctx: Context, argument: SolveArgument) -> SolveResult:
        return await SolveRun(steps, ctx, SolveRequest.from_json(argument["request"]), argument["documents"]).play()

    return Workflow(FLOW, solve, workflow_version(), pool="documents")
