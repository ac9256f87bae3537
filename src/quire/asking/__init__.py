"""Asking for what costs: look up, claim, wait for a place, ask under a deadline, save before anyone interprets.

Engines are asked here, whether `read`, a durable run or a `Pipeline` needs them. Nothing in this package knows
pictures: whatever has a name, a policy, a time limit and a number of questions that it takes at a time can be asked.
"""

from __future__ import annotations

from quire.asking.asker import Answered, Ask, Asker
from quire.asking.calls import Crashed, runs_here
from quire.asking.places import Costly, TooSlow, take_place
from quire.asking.talk import Talk

__all__ = ["Answered", "Ask", "Asker", "Costly", "Crashed", "Talk", "TooSlow", "runs_here", "take_place"]
