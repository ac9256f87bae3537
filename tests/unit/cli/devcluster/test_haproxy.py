"""The configuration of the balancer."""

from __future__ import annotations

from pathlib import Path

from quire.cli.devcluster.haproxy import configuration

ROOT = Path(__file__).parents[4]


def test_the_example_in_deploy_is_what_is_used_here():
    example = (ROOT / "deploy" / "haproxy.cfg").read_text().partition("\n")[2]
    assert example == configuration("0.0.0.0:9080", ["worker-1:9080", "worker-2:9080"], each=4)


def test_only_pages_for_engines_are_held_back():
    text = configuration("127.0.0.1:1", ["127.0.0.1:2"], each=3)
    workers, recognize = text.partition("backend workers")[2].split("backend recognize")
    assert "maxconn 3" in recognize
    assert "maxconn" not in workers
