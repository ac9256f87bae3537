"""Settings of the service, by precedence: command line, environment, file, default.

Operators of docling-serve keep their environment: every variable of theirs that means something here is read, the
others are accepted and listed once. What docling-serve lacks has names that begin with `QUIRE_SERVE_`.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from quire.core.config import Setting, checked, from_text
from quire.core.errors import ConfigurationError, UsageError
from quire.docling_serve.contract.enums import ImageRefMode
from quire.docling_serve.contract.policy import OCR_PRESETS, SOURCES, TARGETS, Policy

FILE_VARIABLE = "DOCLING_SERVE_CONFIG_FILE"
RECOGNISED = ("DOCLING_", "DOCLINGCORE_", "UVICORN_", "QUIRE_SERVE_", "OTEL_")
"""The prefixes of variables that are accepted, whether or not they mean something here."""
MIB = 1 << 20
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def _setting(default: object, variables: str, *setting: Any, **more: Any) -> Any:
    """`variables` are separated by spaces; the first that is set counts."""
    made = Setting(*setting, **more)
    return field(default=default, repr=not made.secret, metadata={"setting": made, "variables": variables.split()})


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Every setting of `quire serve` with its default. A secret is not in its representation."""

    host: str = _setting("127.0.0.1", "UVICORN_HOST", "text", "address to listen on")
    port: int = _setting(5001, "UVICORN_PORT", "number", "port to listen on; 0: any that is free")
    processes: int = _setting(1, "UVICORN_WORKERS", "number", "processes that answer requests", least=1)
    root_path: str = _setting("", "UVICORN_ROOT_PATH", "text", "path under which a proxy serves it")
    proxy_headers: bool = _setting(True, "UVICORN_PROXY_HEADERS", "flag", "trust X-Forwarded headers of a local proxy")
    keep_alive_s: float = _setting(60.0, "UVICORN_TIMEOUT_KEEP_ALIVE", "seconds", "how long an idle connection is kept")
    shutdown_s: float = _setting(
        30.0, "UVICORN_TIMEOUT_GRACEFUL_SHUTDOWN", "seconds", "how long a shutdown waits for requests"
    )
    tls_certificate: str | None = _setting(None, "UVICORN_SSL_CERTFILE", "path", "certificate for HTTPS")
    tls_key: str | None = _setting(None, "UVICORN_SSL_KEYFILE", "path", "its private key")
    tls_key_password: str | None = _setting(
        None, "UVICORN_SSL_KEYFILE_PASSWORD", "text", "password of the private key", secret=True
    )
    api_key: str = _setting(
        "", "QUIRE_SERVE_API_KEY DOCLING_SERVE_API_KEY", "text", "key that requests must send", secret=True
    )
    allow_no_key: bool = _setting(
        False, "QUIRE_SERVE_ALLOW_NO_KEY", "flag", "listen on other addresses than loopback without a key"
    )
    allowed_hosts: tuple[str, ...] = _setting(
        (),
        "QUIRE_SERVE_ALLOWED_HOSTS",
        "names",
        "host names of the server; without a key, on loopback, those of this machine are the default",
    )
    ui: bool = _setting(True, "DOCLING_SERVE_ENABLE_UI", "flag", "serve the page for people")
    api_docs: bool = _setting(True, "DOCLING_SERVE_ENABLE_API_DOCS", "flag", "serve the pages about the API")
    capabilities: bool = _setting(True, "DOCLING_SERVE_ENABLE_CAPABILITIES_ENDPOINT", "flag", "serve /v1/capabilities")
    version_info: bool = _setting(True, "DOCLING_SERVE_SHOW_VERSION_INFO", "flag", "serve /version")
    management: bool = _setting(False, "DOCLING_SERVE_ENABLE_MANAGEMENT_ENDPOINTS", "flag", "serve /v1/memory")
    metrics: bool = _setting(True, "DOCLING_SERVE_OTEL_ENABLE_PROMETHEUS", "flag", "serve /metrics")
    metrics_port: int | None = _setting(
        None, "DOCLING_SERVE_METRICS_PORT", "number", "another port for /metrics", least=1
    )
    error_details: bool = _setting(
        False, "DOCLING_SERVE_DEBUG_ERROR_DETAILS", "flag", "answer with the text of unexpected errors"
    )
    log_level: str = _setting("WARNING", "DOCLING_SERVE_LOG_LEVEL", "text", "least severity that is logged")
    log_format: str = _setting("text", "DOCLING_SERVE_LOG_FORMAT", "text", "format of the log", ("text", "json"))
    log_header_prefix: str = _setting(
        "X-Docling-Log-", "DOCLING_SERVE_LOG_HEADER_PREFIX", "text", "prefix of headers that are logged"
    )
    scratch: str | None = _setting(None, "DOCLING_SERVE_SCRATCH_PATH", "path", "folder for temporary files")
    sync_wait_s: float = _setting(120.0, "DOCLING_SERVE_MAX_SYNC_WAIT", "seconds", "how long a synchronous call waits")
    single_use_results: bool = _setting(
        True, "DOCLING_SERVE_SINGLE_USE_RESULTS", "flag", "remove a result after it was fetched"
    )
    result_removal_delay_s: float = _setting(
        300.0, "DOCLING_SERVE_RESULT_REMOVAL_DELAY", "seconds", "how long after it was fetched"
    )
    max_pages: int = _setting(5000, "DOCLING_SERVE_MAX_NUM_PAGES", "number", "pages of a document", least=1)
    max_file_bytes: int = _setting(250 * MIB, "DOCLING_SERVE_MAX_FILE_SIZE", "number", "size of a document", least=1)
    max_body_bytes: int = _setting(250 * MIB, "QUIRE_SERVE_MAX_BODY_BYTES", "number", "size of a request", least=1)
    max_sources: int = _setting(3, "DOCLING_SERVE_MAX_SOURCES_PER_REQUEST", "number", "documents of a request", least=1)
    max_timeout_s: float = _setting(
        604800.0, "DOCLING_SERVE_MAX_DOCUMENT_TIMEOUT", "seconds", "longest timeout that a request may ask for"
    )
    timeout_s: float = _setting(
        14400.0, "QUIRE_SERVE_DOCUMENT_TIMEOUT_S", "seconds", "timeout of a document when the request has none"
    )
    max_images_scale: float = _setting(2.0, "DOCLING_SERVE_MAX_IMAGES_SCALE", "factor", "largest images_scale")
    image_modes: tuple[str, ...] = _setting(
        tuple(ImageRefMode), "DOCLING_SERVE_ALLOWED_IMAGE_EXPORT_MODES", "names", "values of image_export_mode"
    )
    source_types: tuple[str, ...] = _setting(
        SOURCES, "DOCLING_SERVE_ALLOWED_SOURCE_TYPES", "names", "kinds of sources on the batch route"
    )
    target_types: tuple[str, ...] = _setting(TARGETS, "DOCLING_SERVE_ALLOWED_TARGET_TYPES", "names", "kinds of targets")
    ocr_presets: tuple[str, ...] = _setting(
        OCR_PRESETS, "DOCLING_SERVE_ALLOWED_OCR_PRESETS", "names", "values of ocr_preset"
    )
    titles: bool = _setting(
        False, "QUIRE_SERVE_TITLES", "flag", "mark titles of PDFs and scans, where docling-serve has headings alone"
    )
    remote_models: bool = _setting(
        False,
        "DOCLING_SERVE_ENABLE_REMOTE_SERVICES",
        "flag",
        "ask the models that requests name, at picture_description_api",
    )
    strict_enrichments: bool = _setting(
        False,
        "QUIRE_SERVE_STRICT_ENRICHMENTS",
        "flag",
        "refuse requests for enrichments that no model can do here",
    )
    cors_origins: tuple[str, ...] = _setting(
        (),
        "DOCLING_SERVE_CORS_ORIGINS",
        "names",
        "sites whose scripts may call; any with a key, none without by default",
    )
    cors_methods: tuple[str, ...] = _setting(("*",), "DOCLING_SERVE_CORS_METHODS", "names", "methods that they may use")
    cors_headers: tuple[str, ...] = _setting(
        ("*",), "DOCLING_SERVE_CORS_HEADERS", "names", "headers that they may send"
    )
    workers: int | None = _setting(
        None,
        "QUIRE_SERVE_WORKERS DOCLING_SERVE_ENG_LOC_NUM_WORKERS",
        "number",
        "pages processed in parallel; one per CPU",
        least=1,
    )
    search: str = _setting(
        "reads",
        "QUIRE_SERVE_SEARCH",
        "text",
        "documents that /api/search finds: of Quire's own API, of all tasks until they are removed, or none",
        ("reads", "all", "none"),
    )
    embedder: str = _setting(
        "auto", "QUIRE_SERVE_EMBEDDER", "text", "model for their vectors: a name, a folder, or none for words alone"
    )
    reranker: str = _setting(
        "none", "QUIRE_SERVE_RERANKER", "text", "model for rerank=true of /api/search: a name, a folder, a URL of TEI"
    )
    index: str | None = _setting(
        None, "QUIRE_SERVE_INDEX", "text", "search engine with the index, like qdrant+http://host:6333"
    )
    review_samples: str = _setting(
        "marked",
        "QUIRE_SERVE_REVIEW_SAMPLES",
        "text",
        "reviews that are samples to learn from: those that reviewers mark, or all that have ended",
        ("marked", "all"),
    )
    learned: str | None = _setting(
        None, "QUIRE_SERVE_LEARNED", "path", "folder of models of `quire learn`, which extractions may name"
    )
    runners: tuple[str, ...] = _setting(
        (),
        "QUIRE_SERVE_RUNNERS",
        "names",
        "runners that solves may name; offline by default, and tools where QUIRE_LLM_URL names a model",
    )
    warm_up: bool = _setting(
        True,
        "QUIRE_SERVE_WARM_UP DOCLING_SERVE_LOAD_MODELS_AT_BOOT",
        "flag",
        "start a worker and load the OCR engine before the server is ready",
    )
    max_queued: int = _setting(1000, "QUIRE_SERVE_MAX_QUEUED", "number", "tasks that may wait", least=1)
    tenants: bool = _setting(False, "QUIRE_SERVE_TENANTS", "flag", "separate tenants by a header")
    tenant_header: str = _setting(
        "X-Tenant-Id",
        "QUIRE_SERVE_TENANT_HEADER DOCLING_SERVE_ENG_RAY_TENANT_ID_HEADER",
        "text",
        "the header with the tenant",
    )
    max_queued_per_tenant: int | None = _setting(
        None,
        "QUIRE_SERVE_MAX_QUEUED_PER_TENANT DOCLING_SERVE_ENG_RAY_MAX_QUEUED_TASKS",
        "number",
        "tasks of a tenant that may wait",
        least=1,
    )
    private_networks: tuple[str, ...] = _setting(
        (),
        "QUIRE_SERVE_ALLOWED_PRIVATE_IPS DOCLINGCORE_ALLOWED_PRIVATE_IPS",
        "names",
        "private networks that URLs may lead to",
    )
    profile_timings: bool = _setting(
        False, "DOCLING_DEBUG_PROFILE_PIPELINE_TIMINGS", "flag", "answer with the times of stages"
    )

    def __post_init__(self) -> None:
        for network in self.private_networks:
            try:
                ipaddress.ip_network(network, strict=False)
            except ValueError:
                raise UsageError(f"{network!r} is no network: write it like 10.0.0.0/8") from None
        if self.log_level.upper() not in LEVELS:
            raise UsageError(f"there is no log level {self.log_level!r}; choose from {', '.join(LEVELS)}")

    def policy(self, *, tesseract_data: Iterable[str] = (), vision: str | None = None) -> Policy:
        """The policy for requests, given the data of Tesseract that is installed and the vision engine in use."""
        return Policy(
            max_sources=self.max_sources,
            max_timeout_s=self.max_timeout_s,
            timeout_s=min(self.timeout_s, self.max_timeout_s),
            max_images_scale=self.max_images_scale,
            max_pages=self.max_pages,
            max_file_bytes=self.max_file_bytes,
            image_modes=frozenset(self.image_modes) & frozenset(ImageRefMode),
            ocr_presets=frozenset(self.ocr_presets) & frozenset(OCR_PRESETS),
            sources=frozenset(self.source_types) & frozenset(SOURCES),
            targets=frozenset(self.target_types) & frozenset(TARGETS),
            tesseract_data=frozenset(tesseract_data),
            vision=vision,
            remote_models=self.remote_models,
            strict_enrichments=self.strict_enrichments,
            titles=self.titles,
        )


SETTINGS: Mapping[str, Setting] = {one.name: one.metadata["setting"] for one in fields(ServiceSettings)}
VARIABLES: Mapping[str, list[str]] = {one.name: one.metadata["variables"] for one in fields(ServiceSettings)}
"""The environment variables of each setting, the one that wins first."""


class LoadedSettings(NamedTuple):
    """The settings, and the names of settings of docling-serve that were set and mean nothing here."""

    settings: ServiceSettings
    ignored: tuple[str, ...]


def load_settings(given: Mapping[str, object], *, environment: Mapping[str, str]) -> LoadedSettings:
    """The settings for a service started with those `given` on the command line; None there is not given.

    Raises UsageError for a wrong value, ConfigurationError for a file that cannot be read.
    """
    sent = {name: text.strip() for name, text in environment.items() if text.strip()}
    file = _file(Path(sent[FILE_VARIABLE])) if FILE_VARIABLE in sent else {}
    found: dict[str, object] = {}
    for name, setting in SETTINGS.items():
        if given.get(name) is not None:
            found[name] = checked(setting, given[name], f"--{name.replace('_', '-')}", UsageError)
        elif variable := next((one for one in VARIABLES[name] if one in sent), None):
            found[name] = _value(setting, sent[variable], variable)
        elif variable := next((one for one in VARIABLES[name] if file.get(one) is not None), None):
            found[name] = _value(setting, file[variable], f"{sent[FILE_VARIABLE]}: {variable}")
    known = {FILE_VARIABLE, *(one for names in VARIABLES.values() for one in names)}
    unknown = {name for name in (*sent, *file) if name.startswith(RECOGNISED) and name not in known}
    return LoadedSettings(ServiceSettings(**found), tuple(sorted(unknown)))  # type: ignore[arg-type]  # all checked


def _value(setting: Setting, value: object, where: str) -> object:
    if isinstance(value, str):
        listed = setting.kind == "names" and value.startswith("[")
        value = _json(value) if listed else from_text(setting.kind, value)
    return checked(setting, value, where, UsageError)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _file(path: Path) -> dict[str, object]:
    """The settings in a file, by the name of their variable: `api_key` there is `DOCLING_SERVE_API_KEY`."""
    try:
        text = path.expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{FILE_VARIABLE} is {path}, which cannot be read: {error}") from error
    if path.suffix == ".json":
        values = _json(text)
    elif path.suffix in (".yaml", ".yml"):
        import yaml

        try:
            values = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ConfigurationError(f"{path}: {error}") from error
    else:
        raise ConfigurationError(f"{FILE_VARIABLE} is {path}; its name must end in .yaml, .yml or .json")
    if not isinstance(values, dict):
        raise ConfigurationError(f"{path} must have settings with their values, like `api_key: secret`")
    return {_variable(str(name)): value for name, value in values.items()}


def _variable(name: str) -> str:
    upper = name.upper()
    return upper if upper.startswith(RECOGNISED) else f"DOCLING_SERVE_{upper}"
