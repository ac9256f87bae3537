"""Tasks over documents: what an agent gets to work with, who solves it, how the answer is checked and graded.

In: documents that were read, with their catalogs; the text of a task, a schema of the values that it asks for, and a
template to fill; fixtures with expected values. Out: workspaces, folders that are the same bytes wherever they are
made, with one digest; answers whose every value is verified; filled workbooks; traces, and reports that compare answers
with what was expected.

`workspace/` makes the folder, checks it, and collects what a runner wrote into it. `runners/` are the agents, behind
the protocol of `core/runner`, and `tools/` are what a model reads and proposes with. `answers` verifies what they
claim, `checks/` reviews it, `findings` are what a review has against it; `workbook/` fills templates. `trace/` is a run
that can be carried away, and `evaluation/` grades: a pure function of a fixture, an output and events. None of it knows
a store or a runtime: `durable/solves` runs it.
"""
