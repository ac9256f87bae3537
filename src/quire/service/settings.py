from __future__ import annotations

from dataclasses import dataclass

from quire.service.contract.policy import Policy


@dataclass(frozen=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 5001
    store: str = ""
    facts: str | None = None
    runtime: str = "local"
    ingress: str | None = None
    admin: str | None = None
    workers: int | None = None
    processes: int = 1
    api_key: str = ""
    allow_no_key: bool = False
    ui: bool = True
    tenants: bool = False
    tenant_header: str = "X-Tenant-Id"
    policy: Policy = Policy()
    max_body_bytes: int = 250 << 20
    max_file_bytes: int = 250 << 20
    max_pages: int = 0
    private_networks: tuple[str, ...] = ()
    fetch_timeout_s: float = 120.0
    max_queue: int = 10000
    max_tenant_tasks: int = 0
    max_sync_wait_s: float = 120.0
    max_poll_wait_s: float = 60.0
    cors_origins: tuple[str, ...] = ("*",)
    cors_methods: tuple[str, ...] = ("*",)
    cors_headers: tuple[str, ...] = ("*",)
    show_version: bool = True
    show_capabilities: bool = True
    management: bool = False
    single_use_results: bool = True
    result_removal_s: float = 300.0
    drain_s: float = 30.0
    root_path: str = ""
    proxy_headers: bool = True
    keep_alive_s: int = 60
    ssl_certfile: str | None = None
    ssl_keyfile: str | None = None
    ssl_keyfile_password: str | None = None
    log_level: str = "WARNING"
