"""Expensive requests: look up the answer, claim it, wait for a slot, ask with a timeout, save before interpreting.

All requests to engines pass through here, from `read`, durable runs and `Pipeline`. Nothing in this package is specific
to pictures: anything with a name, a policy, a timeout and a concurrency limit can be asked.
"""

from __future__ import annotations

from quire.asking.asker import Answered, Ask, Asker
from quire.asking.calls import Crashed, runs_here
from quire.asking.slots import TooSlow, take_place
from quire.asking.talk import Talk
from quire.core.engine import Costly

__all__ = ["Answered", "Ask", "Asker", "Costly", "Crashed", "Talk", "TooSlow", "runs_here", "take_place"]
