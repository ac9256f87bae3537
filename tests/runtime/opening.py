"""Which runtime to open, where and how: a value that can be handed to another process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from typing import Literal

from quire.core.context import Json, Runtime, Workflow
from quire.database.leases import LEASE_S
from quire.runtime.local import LocalRuntime, inline
from quire.store.opening import open_facts
from tests.runtime import workflows

Release = Literal["now", "later", "without held"]
RELEASES: dict[Release, tuple[Workflow, ...]] = {
    "now": workflows.WORKFLOWS,
    "later": workflows.LATER,
    "without held": tuple(one for one in workflows.WORKFLOWS if one.name != "held"),
}


@dataclass(frozen=True)
class Setting:
    """A runtime over the database at a place: the path of a file, or a URL.

    `works=False` asks and never works; `release` chooses the code.
    """

    kind: Literal["inline", "local"]
    place: str
    replays: bool = False
    works: bool = True
    lease_s: float = LEASE_S
    release: Release = "now"

    @classmethod
    def from_json(cls, told: Json) -> Setting:
        return cls(**told)

    def to_json(self) -> Json:
        return asdict(self)

    @contextmanager
    def opened(self) -> Iterator[Runtime]:
        code = RELEASES[self.release]
        pools = {} if self.works else {workflow.pool: 0 for workflow in code}
        if self.kind == "inline":
            with inline(code, pools=pools, replay_always=self.replays) as runtime:
                yield runtime
            return
        with closing(open_facts(self.place)) as database:
            options = {"pools": pools, "lease_s": self.lease_s, "replay_always": self.replays}
            with LocalRuntime(database, code, **options) as runtime:
                if self.works:
                    runtime.serve()
                yield runtime
