"""Ready-made pipelines: forms, drawings, and documents whose fields are not known yet."""

from quire.pipelines.domains import discover, drawings, forms

__all__ = ["discover", "drawings", "forms"]
