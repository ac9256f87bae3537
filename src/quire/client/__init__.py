"""The client of a Quire server: `quire.Client("http://localhost:5001").submit("report.pdf").result()`.

Comes in: a source and options. Goes out: the same values as those of `quire.read`, which a server has made.
"""

from quire.client.client import Client
from quire.client.reports import Counted, DocumentReport, RunReport
from quire.client.server_documents import ClientDocument, SearchMatch
from quire.client.server_runs import ClientRun
from quire.client.server_solves import ClientSolve

__all__ = [
    "Client",
    "ClientDocument",
    "ClientRun",
    "ClientSolve",
    "Counted",
    "DocumentReport",
    "RunReport",
    "SearchMatch",
]
