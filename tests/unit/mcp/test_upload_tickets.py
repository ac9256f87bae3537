"""Tickets for uploads: valid for a while, at every replica with the same key, and nowhere else."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.mcp import upload_tickets
from quire.mcp.upload_tickets import VALID_S, UploadTickets


def test_any_replica_with_the_key_accepts_a_ticket():
    ticket = UploadTickets("key").make("港.pdf")
    first, second = UploadTickets("key").check(ticket), UploadTickets("key").check(ticket)
    assert first.name == "港.pdf"
    assert first == second


def test_a_ticket_of_another_server_or_a_changed_one_is_refused():
    ticket = UploadTickets("key").make("a.pdf")
    body, _, signature = ticket.partition(".")
    for wrong, tickets in [
        (ticket, UploadTickets("other")),
        (ticket, UploadTickets("")),
        (f"{body[:-2]}AA.{signature}", UploadTickets("key")),
        ("", UploadTickets("key")),
        ("ö.ö", UploadTickets("key")),
    ]:
        with pytest.raises(UsageError, match="no address for an upload"):
            tickets.check(wrong)


def test_a_ticket_expires(monkeypatch):
    tickets = UploadTickets("key")
    ticket, now = tickets.make("a.pdf"), upload_tickets.time.time()
    monkeypatch.setattr(upload_tickets.time, "time", lambda: now + VALID_S + 2)
    with pytest.raises(UsageError, match="has expired"):
        tickets.check(ticket)
