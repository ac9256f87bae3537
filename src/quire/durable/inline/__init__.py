"""Flows in the process of their caller: `Flow.load("read").run("report.pdf")`, and the test cases of a flow."""
