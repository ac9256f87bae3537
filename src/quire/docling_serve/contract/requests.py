"""The JSON bodies of requests: sources, targets, callbacks and what holds them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, field_validator, model_validator

from quire.docling_serve.contract.request_options import (
    ConvertDocumentsOptions,
    HierarchicalChunkerOptions,
    HybridChunkerOptions,
)


class _Body(BaseModel):
    model_config = ConfigDict(extra="ignore")


class AnyHttpSourceRequest(_Body):
    kind: Literal["http"] = "http"
    url: AnyHttpUrl
    headers: dict[str, Any] = Field(default={}, repr=False)


class HttpSourceRequest(AnyHttpSourceRequest):
    @field_validator("url")
    @classmethod
    def _no_archive(cls, url: AnyHttpUrl) -> AnyHttpUrl:
        if (url.path or "").lower().endswith(".zip"):
            raise ValueError("ZIP URLs are not accepted on the convert endpoint")
        return url


class FileSourceRequest(_Body):
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


class S3SourceRequest(_S3):
    kind: Literal["s3"] = "s3"


class AzureBlobSourceRequest(_AzureBlob):
    kind: Literal["azure_blob"] = "azure_blob"


class GoogleCloudStorageSourceRequest(_GoogleCloudStorage):
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


Source = Annotated[FileSourceRequest | HttpSourceRequest, Field(discriminator="kind")]
BatchSource = Annotated[
    AnyHttpSourceRequest | S3SourceRequest | AzureBlobSourceRequest | GoogleCloudStorageSourceRequest,
    Field(discriminator="kind"),
]
StorageTarget = S3Target | AzureBlobTarget | GoogleCloudStorageTarget
Target = Annotated[
    InBodyTarget | ZipTarget | StorageTarget | PutTarget | PresignedUrlTarget, Field(discriminator="kind")
]
BatchTarget = Annotated[StorageTarget | PresignedUrlTarget, Field(discriminator="kind")]
AnySource = (
    FileSourceRequest
    | AnyHttpSourceRequest
    | S3SourceRequest
    | AzureBlobSourceRequest
    | GoogleCloudStorageSourceRequest
)
AnyTarget = InBodyTarget | ZipTarget | StorageTarget | PutTarget | PresignedUrlTarget


class CallbackSpec(_Body):
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


class ProgressCallbackRequest(_Body):
    """Progress that a worker of docling-serve tells its server, and that a callback receives."""

    task_id: str
    progress: Annotated[
        ProgressSetNumDocs | ProgressUpdateProcessed | ProgressDocumentCompleted | ProgressTaskCompleted,
        Field(discriminator="kind"),
    ]


class ConvertSourcesRequest(_Body):
    options: ConvertDocumentsOptions = ConvertDocumentsOptions()
    sources: list[Source] = Field(min_length=1)
    target: Target = InBodyTarget()
    callbacks: list[CallbackSpec] = []


class BatchConvertSourcesRequest(_Body):
    options: ConvertDocumentsOptions = ConvertDocumentsOptions()
    sources: list[BatchSource] = Field(min_length=1)
    target: BatchTarget | None = None
    targets: list[BatchTarget] | None = None
    callbacks: list[CallbackSpec] = []


class ChunkRequest(_Body):
    """The common part of the requests of both chunkers."""

    convert_options: ConvertDocumentsOptions = ConvertDocumentsOptions()
    sources: list[Source] = Field(min_length=1)
    include_converted_doc: bool = False
    target: Target = InBodyTarget()
    callbacks: list[CallbackSpec] = []


class HybridChunkerOptionsDocumentsRequest(ChunkRequest):
    chunking_options: HybridChunkerOptions = HybridChunkerOptions()


class HierarchicalChunkerOptionsDocumentsRequest(ChunkRequest):
    chunking_options: HierarchicalChunkerOptions = HierarchicalChunkerOptions()


class OldOptions(ConvertDocumentsOptions):
    return_as_file: bool = False


class OldConvertRequest(_Body):
    """A request of `v1alpha`."""

    options: OldOptions = OldOptions()
    http_sources: list[HttpSourceRequest] = []
    file_sources: list[FileSourceRequest] = []

    @model_validator(mode="after")
    def _something_to_convert(self) -> OldConvertRequest:
        if not self.http_sources and not self.file_sources:
            raise ValueError("Request must have at least one of http_sources and file_sources.")
        return self

    def request(self) -> ConvertSourcesRequest:
        """The same in the words of `v1`."""
        sources: list[Source] = [*self.http_sources, *self.file_sources]
        if self.options.return_as_file:
            return ConvertSourcesRequest(options=self.options, sources=sources, target=ZipTarget())
        return ConvertSourcesRequest(options=self.options, sources=sources)
