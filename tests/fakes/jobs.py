"""Jobs for the worker pool: well-behaved ones and every way to misbehave. They run in worker programs."""

from __future__ import annotations


def double(number, work):
    return {"number": 2 * number}, b""
