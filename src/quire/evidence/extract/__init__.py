"""Values from documents, each with its evidence: what a schema asks for, who proposes values, and the result.

`quire.extract(source, schema)` is a function of `quire`, and `quire.extract` is this package too: importing a module of
it would hide the function, so the package can be called as well.
"""

import sys
from importlib import import_module
from types import ModuleType


class _CallablePackage(ModuleType):
    def __call__(self, *arguments: object, **options: object) -> object:
        return import_module("quire.reading.extract_call").extract(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage
