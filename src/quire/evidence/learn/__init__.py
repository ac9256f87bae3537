"""Learning from samples: documents with values that people confirmed.

`quire.learn(samples)` is a function of `quire`, and `quire.learn` is this package too: importing a module of it would
hide the function, so the package can be called as well.
"""

import sys
from importlib import import_module
from types import ModuleType


class _CallablePackage(ModuleType):
    def __call__(self, *arguments: object, **options: object) -> object:
        return import_module("quire.evidence.learn.training").learn(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage
