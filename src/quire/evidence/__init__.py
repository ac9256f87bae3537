"""Blocks to values that can be shown: each value with the text, the box and the crop that it came from.

`catalog` lists what a value can cite, `extract` proposes values for the leaves of a schema, `verify` compares them
with what is printed, `review` is what people decide, `learn` what follows from their decisions, `cite` answers
questions in sentences with passages. Comes in: a result and a schema or a question. Goes out: values with evidence, and
a reason where there is none.
"""
