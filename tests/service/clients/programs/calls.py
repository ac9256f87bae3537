"""Makes calls for a test: one JSON object per line comes in, and one goes out.

Runs in the environment of a client, and so needs nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable


def make(*functions: Callable[..., object]) -> None:
    """Make the calls of the test until it closes the pipe. What clients print goes to standard error."""
    by_name = {function.__name__: function for function in functions}
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            call = json.loads(line)
            try:
                answer = {"value": by_name[call["name"]](**call["arguments"])}
            except Exception as error:  # the test decides what it means
                answer = {"error": type(error).__name__, "message": str(error)}
            print(json.dumps(answer), file=answers, flush=True)
