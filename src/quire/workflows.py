"""The workflows of Quire for durable code of one's own: a runtime that has them, and the request of a batch."""

from quire.durable.folders.batch_request import BatchRequest as BatchRequest
from quire.durable.runtimes import local_runtime as local_runtime
