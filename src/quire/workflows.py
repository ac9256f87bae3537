"""The workflows of Quire for durable code of one's own: a runtime that has them, and the request of a batch."""

from quire.durable.folders.batch_request import BatchRequest
from quire.durable.runtimes import local_runtime

__all__ = ["BatchRequest", "local_runtime"]
