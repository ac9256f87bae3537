"""Stages that users wire themselves, over regions of a page, in the process of the caller.

`roles` are the slots; `detect`, `classify` and `correct` fill them, `domains` are ready-made pipelines for forms,
drawings and unknown documents. Comes in: a document and stages. Goes out: a `PipelineResult`, the same blocks and
exports as any read. Users import it by the modules `quire.pipeline`, `quire.detect` and their like.
"""
