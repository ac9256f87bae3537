"""The pool on a good day: answers, events, questions, what is kept, recycling, bounds."""

from __future__ import annotations

from quire.pool import Job, Pool


def test_a_job_is_called_in_a_worker_and_its_answer_comes_back():
    with Pool(1) as pool:
        assert pool.submit(Job("tests.fakes.jobs:double", 21), timeout_s=60).result().header == {"number": 42}
