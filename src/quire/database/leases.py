"""Leases and claims: one process owns a key while the others wait.

A crashed process loses its claims, and its late writes are refused by the fencing token of the claim.
"""

from __future__ import annotations

import os
import socket
import time
from functools import cache
from pathlib import Path
from secrets import token_hex
from threading import Event, Lock

from quire.core.context import Claim
from quire.core.errors import FencedError
from quire.database.database import Database, boot
from quire.system.supervisor import SupervisedThread

LEASE_S = 30.0
"""How long an owner keeps its claims without a heartbeat."""

SEPARATOR = "/"

ALIVE = "owners.expires > ? AND owners.boot = ?"


class Claims:
    """The claims of one owner, which is this process. Thread-safe.

    While a claim exists, a heartbeat thread renews the owner's lease three times per lease length. An owner that
    pauses for longer can lose its claims; its next write then raises FencedError.
    """

    def __init__(self, database: Database, *, lease_s: float = LEASE_S) -> None:
        self._database = database
        self._lease_s = lease_s
        self.owner = SEPARATOR.join((_machine(), str(os.getpid()), _started(os.getpid()), token_hex(4)))
        self._lock = Lock()
        self._heartbeat: SupervisedThread | None = None
        self._renewed = 0.0

    def start_heartbeat(self) -> None:
        """Start the heartbeat. The first claim does it too; call this before a transaction that claims, because a
        rollback must not remove the lease."""
        with self._lock:
            if self._heartbeat is not None:
                return
            expire_dead_owners(self._database)
            self._renew()
            self._heartbeat = SupervisedThread("quire-lease", self._keep_renewing, longest_s=self._lease_s / 3)
            self._heartbeat.start()

    def claim(self, key: str) -> Claim | None:
        """Claim the key; None while a living owner has it, this one included."""
        self.start_heartbeat()
        database = self._database
        with database.transaction():
            held = database.rows(
                f"SELECT claims.owner, claims.token, {ALIVE} FROM claims LEFT JOIN owners "
                "ON owners.owner = claims.owner WHERE claims.key = ?",
                (database.now(), database.epoch, key),
            )
            if not held:
                added = "INSERT INTO claims (key, owner, token, takeovers) VALUES (?, ?, 1, 0) ON CONFLICT DO NOTHING"
                return Claim(key, 1) if database.change(added, (key, self.owner)) else None
            (owner, token, alive) = held[0]
            if alive and not _is_gone(str(owner)):
                return None
            left = owner != ""  # otherwise it was released
            changed = database.change(
                "UPDATE claims SET owner = ?, token = token + 1, takeovers = takeovers + ? "
                "WHERE key = ? AND owner = ? AND token = ?",
                (self.owner, int(left), key, owner, token),
            )
            return Claim(key, int(str(token)) + 1, takeover=left) if changed else None

    def check(self, claim: Claim) -> None:
        """Raises FencedError if the claim is lost. Locks the claim until the end of the caller's transaction."""
        mine = "UPDATE claims SET token = token WHERE key = ? AND owner = ? AND token = ?"
        if not self._database.change(mine, (claim.key, self.owner, claim.token)):
            raise FencedError(
                f"another process took over {claim.key[:16]} while this one did not respond; its result is used instead"
            )

    def release(self, claim: Claim) -> None:
        """Release the key; does nothing if the claim is lost already."""
        mine = (claim.key, self.owner, claim.token)
        with self._database.transaction():
            self._database.change(
                "DELETE FROM claims WHERE key = ? AND owner = ? AND token = ? AND takeovers = 0", mine
            )
            self._database.change("UPDATE claims SET owner = '' WHERE key = ? AND owner = ? AND token = ?", mine)

    def takeovers(self) -> int:
        """How often a claim was taken over from an owner that did not finish."""
        (found,) = self._database.rows("SELECT coalesce(sum(takeovers), 0) FROM claims")[0]
        return int(str(found))

    def close(self) -> None:
        """Release all claims and end the lease."""
        with self._lock:
            heartbeat, self._heartbeat = self._heartbeat, None
        if heartbeat is None:
            return
        heartbeat.stop()
        heartbeat.join()
        with self._database.transaction():
            self._database.change("DELETE FROM claims WHERE owner = ? AND takeovers = 0", (self.owner,))
            self._database.change("UPDATE claims SET owner = '' WHERE owner = ?", (self.owner,))
            self._database.change("DELETE FROM owners WHERE owner = ?", (self.owner,))

    def _renew(self) -> None:
        database = self._database
        database.change(
            "INSERT INTO owners (owner, boot, expires) VALUES (?, ?, ?) "
            "ON CONFLICT (owner) DO UPDATE SET expires = excluded.expires",
            (self.owner, database.epoch, database.now() + self._lease_s),
        )
        self._renewed = time.monotonic()

    def _keep_renewing(self, stopped: Event) -> None:
        """In the thread. After an error it renews at once; that the lease expires meanwhile is safe."""
        while not stopped.wait(max(0.0, self._renewed + self._lease_s / 3 - time.monotonic())):
            self._renew()


def expire_dead_owners(database: Database) -> None:
    """Expire the leases of crashed processes on this machine at once."""
    for (owner,) in database.rows("SELECT owner FROM owners WHERE expires > 0"):
        if _is_gone(str(owner)):
            database.change("UPDATE owners SET expires = 0 WHERE owner = ?", (owner,))


def forget_owners(database: Database, silent_s: float) -> None:
    """Remove the leases and claims of owners of an earlier epoch, or without a heartbeat for that long."""
    gone = "SELECT owner FROM owners WHERE expires < ? OR boot <> ?"
    values = (database.now() - silent_s, database.epoch)
    database.change(f"DELETE FROM claims WHERE owner IN ({gone})", values)
    database.change(f"DELETE FROM owners WHERE owner IN ({gone})", values)


def _is_gone(owner: str) -> bool:
    """Whether an owner is a process of this machine that has ended; False for other machines."""
    machine, _, process = owner.partition(SEPARATOR)
    return machine == _machine() and not _lives(process)


@cache
def _machine() -> str:
    """This boot of this machine, and the PID namespace: the scope in which a process id is unique. Host names and
    namespace numbers alone are not unique."""
    try:
        numbers = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        numbers = ""
    return f"{socket.gethostname()} {boot()} {numbers}"


def _lives(process: str) -> bool:
    """Whether a process, by its id and start time, still exists."""
    number, started, _ = process.split(SEPARATOR)
    return _started(int(number)) == started


def _started(process: int) -> str:
    """The start time of a process, which distinguishes it from a later one with the same id; "" when it does not
    exist, or is a zombie."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    except OSError:
        return "" if Path("/proc/self").exists() else "unknown"
