"""From which addresses documents may be fetched, and within which limits."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

NAT64 = ipaddress.ip_network("64:ff9b::/96")
INTERNAL = tuple(
    ipaddress.ip_network(one)
    for one in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "fec0::/10", "3fff::/20", "64:ff9b:1::/48")
)
"""Not of the public internet, though Python says so: reserved, formerly site-local, metadata of clouds."""


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """Limits for documents from URLs.

    `allow_private` also fetches from loopback, private and link-local addresses: of this machine and its network.
    `timeout_s` is for the whole download: all addresses of a host that are tried, and redirects included.
    """

    allow_private: bool = False
    max_bytes: int = 512 << 20
    timeout_s: float = 120.0
    max_redirects: int = 5
    networks: tuple[str, ...] = ()
    """Private networks that are allowed all the same, like `10.1.0.0/16`."""
    allowed_by: str = "--allow-private-urls or FetchPolicy(allow_private=True)"
    """The option or setting that allows private addresses here, for error messages."""

    def allows(self, address: str) -> bool:
        """Whether an address may be connected to."""
        if self.allow_private or is_public(address):
            return True
        ip = ipaddress.ip_address(address.partition("%")[0])
        return any(ip in ipaddress.ip_network(network, strict=False) for network in self.networks)


def is_public(address: str) -> bool:
    """Whether an address is public, including an IPv4 address embedded in IPv6."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo or (None, None))[1]
        if ip in NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    if any(ip in network for network in INTERNAL):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)
