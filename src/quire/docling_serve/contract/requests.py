"""The JSON bodies of requests: sources, targets, callbacks and what holds them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, field_validator, model_validator

from quire.docling_serve.contract.request_options import ConvertOptions, HierarchicalOptions, HybridOptions


class _Body(BaseModel):
    model_config = ConfigDict(extra="ignore")


class AnyHttpSource(_Body):
    kind: Literal["http"] = "http"
    url: AnyHttpUrl
    headers: dict[str, Any] = Field(default={}, repr=False)


class HttpSource(AnyHttpSource):
    @field_validator("url")
    @classmethod
    def _no_archive(cls, url: AnyHttpUrl) -> AnyHttpUrl:
        if (url.path or "").lower().endswith(".zip"):
            raise ValueError("ZIP URLs are not accepted on the convert endpoint")
        return url


class FileSource(_Body):
    kind: Literal["file"] = "file"
    base64_string: str = Field(repr=False)
    filename: str


class _S3(_Body):
    endpoint: str
    bucket: str
    verify_ssl: bool = True
    region: str | None = None
    access_key: str | None = Field(default=None, repr=False)
    secret_key: str | None = Field(default=None, repr=False)
    key_prefix: str = ""
    max_num_elements: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _both_keys_or_neither(self) -> _S3:
        if (self.access_key is None) != (self.secret_key is None):
            raise ValueError("access_key and secret_key must be provided together")
        return self


class _AzureBlob(_Body):
    account_name: str
    container: str
    connection_string: str = Field(repr=False)
    blob_prefix: str = ""
    max_num_elements: int | None = None


class _GoogleCloudStorage(_Body):
    bucket: str
    key_prefix: str = ""
    max_num_elements: int | None = Field(default=None, ge=1)
    project: str | None = None
    service_account_key: dict[str, Any] | None = Field(default=None, repr=False)


class S3Source(_S3):
    kind: Literal["s3"] = "s3"


class AzureBlobSource(_AzureBlob):
    kind: Literal["azure_blob"] = "azure_blob"


class GoogleCloudStorageSource(_GoogleCloudStorage):
    kind: Literal["google_cloud_storage"] = "google_cloud_storage"


class InBodyTarget(_Body):
    kind: Literal["inbody"] = "inbody"


class ZipTarget(_Body):
    kind: Literal["zip"] = "zip"


class PutTarget(_Body):
    kind: Literal["put"] = "put"
    url: AnyHttpUrl


class PresignedUrlTarget(_Body):
    """Accepted to be refused with the text that docling's client knows, and not in the OpenAPI text."""

    kind: Literal["presigned_url"] = "presigned_url"


class S3Target(_S3):
    kind: Literal["s3"] = "s3"


class AzureBlobTarget(_AzureBlob):
    kind: Literal["azure_blob"] = "azure_blob"


class GoogleCloudStorageTarget(_GoogleCloudStorage):
    kind: Literal["google_cloud_storage"] = "google_cloud_storage"


Source = Annotated[FileSource | HttpSource, Field(discriminator="kind")]
BatchSource = Annotated[
    AnyHttpSource | S3Source | AzureBlobSource | GoogleCloudStorageSource,
    Field(discriminator="kind"),
]
StorageTarget = S3Target | AzureBlobTarget | GoogleCloudStorageTarget
Target = Annotated[
    InBodyTarget | ZipTarget | StorageTarget | PutTarget | PresignedUrlTarget, Field(discriminator="kind")
]
BatchTarget = Annotated[StorageTarget | PresignedUrlTarget, Field(discriminator="kind")]
AnySource = FileSource | AnyHttpSource | S3Source | AzureBlobSource | GoogleCloudStorageSource
AnyTarget = InBodyTarget | ZipTarget | StorageTarget | PutTarget | PresignedUrlTarget


class Callback(_Body):
    url: AnyHttpUrl
    headers: dict[str, str] = Field(default={}, repr=False)
    ca_cert: str = ""


class ProgressSetNumDocs(_Body):
    kind: Literal["set_num_docs"]
    num_docs: int


class ProcessedDocsItem(_Body):
    source: str
    status: str
    error: str | None = None


class ProgressUpdateProcessed(_Body):
    kind: Literal["update_processed"]
    num_processed: int
    num_succeeded: int
    num_partially_succeeded: int
    num_failed: int
    docs: list[ProcessedDocsItem]


class ProgressDocumentCompleted(_Body):
    kind: Literal["document_completed"]
    document: ProcessedDocsItem
    total_processed: int
    total_docs: int | None = None


class ProgressTaskCompleted(_Body):
    kind: Literal["task_completed"]
    task_status: Literal["success", "failure"]
    failure: dict[str, Any] | None = None


class ProgressCallback(_Body):
    """What a worker of docling-serve tells its server, and what a callback receives."""

    task_id: str
    progress: Annotated[
        ProgressSetNumDocs | ProgressUpdateProcessed | ProgressDocumentCompleted | ProgressTaskCompleted,
        Field(discriminator="kind"),
    ]


class ConvertRequest(_Body):
    options: ConvertOptions = ConvertOptions()
    sources: list[Source] = Field(min_length=1)
    target: Target = InBodyTarget()
    callbacks: list[Callback] = []


class BatchConvertRequest(_Body):
    options: ConvertOptions = ConvertOptions()
    sources: list[BatchSource] = Field(min_length=1)
    target: BatchTarget | None = None
    targets: list[BatchTarget] | None = None
    callbacks: list[Callback] = []


class ChunkRequest(_Body):
    """What the requests of both chunkers share."""

    convert_options: ConvertOptions = ConvertOptions()
    sources: list[Source] = Field(min_length=1)
    include_converted_doc: bool = False
    target: Target = InBodyTarget()
    callbacks: list[Callback] = []


class HybridChunkRequest(ChunkRequest):
    chunking_options: HybridOptions = HybridOptions()


class HierarchicalChunkRequest(ChunkRequest):
    chunking_options: HierarchicalOptions = HierarchicalOptions()


class OldOptions(ConvertOptions):
    return_as_file: bool = False


class OldRequest(_Body):
    """A request of `v1alpha`."""

    options: OldOptions = OldOptions()
    http_sources: list[HttpSource] = []
    file_sources: list[FileSource] = []

    @model_validator(mode="after")
    def _something_to_convert(self) -> OldRequest:
        if not self.http_sources and not self.file_sources:
            raise ValueError("Request must have at least one of http_sources and file_sources.")
        return self

    def request(self) -> ConvertRequest:
        """The same in the words of `v1`."""
        sources: list[Source] = [*self.http_sources, *self.file_sources]
        if self.options.return_as_file:
            return ConvertRequest(options=self.options, sources=sources, target=ZipTarget())
        return ConvertRequest(options=self.options, sources=sources)
