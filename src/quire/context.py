"""The contracts of durable code: workflows, their context, runtimes and stores."""

from quire.core.context import ONCE as ONCE
from quire.core.context import Claim as Claim
from quire.core.context import Context as Context
from quire.core.context import Json as Json
from quire.core.context import Retry as Retry
from quire.core.context import RunState as RunState
from quire.core.context import RunStatus as RunStatus
from quire.core.context import Runtime as Runtime
from quire.core.context import Store as Store
from quire.core.context import Workflow as Workflow
