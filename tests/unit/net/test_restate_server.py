"""A Restate server that is not there, or says no."""

from __future__ import annotations

import pytest

from quire.cli.devcluster.program import free_ports
from quire.core.errors import UsageError
from quire.net.restate_server import RestateServer, Unreachable


def test_a_server_that_is_not_there_is_explained():
    (port,) = free_ports(1)
    server = RestateServer(f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port}")
    with pytest.raises(Unreachable, match=rf"no Restate server answers at http://127.0.0.1:{port}.*quire up") as caught:
        server.send("quire-documents", "echo", b"{}", key="k")
    assert caught.value.category == "network"
    assert caught.value.retryable
    assert not server.ready()


def test_the_admin_interface_is_beside_the_ingress():
    assert RestateServer("http://restate.example:8080/").admin == "http://restate.example:9070"
    assert RestateServer("http://restate:8080", "http://admin:1/").admin == "http://admin:1"


def test_an_address_that_is_none_is_refused():
    with pytest.raises(UsageError, match="restate:8080"):
        RestateServer("restate:8080", "restate:9070").send("a", "b", b"", key="c")


def test_a_name_cannot_smuggle_in_a_question():
    with pytest.raises(UsageError, match="not an invocation id"):
        RestateServer().invocation("x' OR '1' = '1")
