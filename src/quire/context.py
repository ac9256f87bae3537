"""The contracts of durable code: workflows, their context, runtimes and stores."""

from quire.core.context import ONCE, Claim, Context, Json, Retry, RunState, RunStatus, Runtime, Store, Workflow

__all__ = ["ONCE", "Claim", "Context", "Json", "Retry", "RunState", "RunStatus", "Runtime", "Store", "Workflow"]
