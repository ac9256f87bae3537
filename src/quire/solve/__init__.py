"""Tasks over documents: what an agent gets to work with, and what it is taken to have done.

In: documents that were read, with their catalogs; the text of a task, a schema of the values that it asks for, and a
template to fill; fixtures with expected values. Out: workspaces, folders that are the same bytes wherever they are
made, with one digest; and reports that compare what came out with what was expected.

`workspace/` makes the folder, checks it, and collects what a runner wrote into it. It knows no runner and no store: the
pictures of pages come from a function. `evaluation/` grades: a pure function of a fixture and an output.
"""
