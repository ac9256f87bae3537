"""Reviews that people do: the queue in the database, and the steps of a run that opens a review and waits for it.

Comes in: an extraction with its schema. Goes out: the extraction after the decisions, and samples to learn from. Values
and decisions themselves, without a database, are in `evidence.review`.
"""
