"""A request of docling-serve's API to what Quire's workflow needs: plain JSON values, or a refusal that says why.

Every option is honoured, refused, or documented in docs/reference/docling-serve.md as one that cannot change the output
here. Nothing here does I/O.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Any

from quire.core.errors import UsageError
from quire.docling_serve.contract.enums import ImageRefMode, InputFormat, OutputFormat, ProcessingPipeline
from quire.docling_serve.contract.orders import Order, check_kinds
from quire.docling_serve.contract.policy import Policy, asked_enrichments, check_allowed, check_options
from quire.docling_serve.contract.refusals import refuse
from quire.docling_serve.contract.request_options import (
    DESCRIBE,
    NO_LAST_PAGE,
    ConvertDocumentsOptions,
    HierarchicalChunkerOptions,
    HybridChunkerOptions,
)
from quire.docling_serve.contract.requests import AnySource, FileSourceRequest
from quire.output.export.docling_images import OutputOptions
from quire.pages.recognize.languages import Language, resolve
from quire.reading.messages import EnrichArgument, TaskSettings

OLDEST_VERSION = (1, 5)
"""Of the DoclingDocument schema: docling-core projects down to it."""
CHUNKING_PRESETS: dict[str, HybridChunkerOptions | HierarchicalChunkerOptions] = {
    "default": HybridChunkerOptions(),
    "minilm_l6": HybridChunkerOptions(),
    "granite_embedding_278m": HybridChunkerOptions(tokenizer="ibm-granite/granite-embedding-278m-multilingual"),
    "multilingual_e5_large": HybridChunkerOptions(tokenizer="intfloat/multilingual-e5-large"),
    "hierarchical": HierarchicalChunkerOptions(),
}

_ENGINE_CODES = {"ch_sim": "zh", "ch_tra": "zh-Hant", "rs_latin": "sr-Latn", "rs_cyrillic": "sr", "tjk": "tg"}
"""Codes of EasyOCR that are no language tags."""


def translate(order: Order, policy: Policy, *, version: str | None = None) -> TaskSettings:
    """The order in Quire's words. Raises `RequestRefused` for what is not possible here.

    `version` is the highest version of the DoclingDocument schema that the caller reads, from `document_version`.
    """
    options = order.options
    check_options(options, policy)
    check_kinds(order, policy)
    targets = [target.model_dump(mode="json") for target in order.targets] or [{"kind": "inbody"}]
    settings: TaskSettings = {
        "type": "chunk" if order.route == "chunk" else "convert",
        "read": _reading(options, policy),
        "outputs": dict(_outputs(order, policy, version)),
        "target": targets[0],
        "more_targets": targets[1:],
        "callbacks": [callback.model_dump(mode="json") for callback in order.callbacks],
        "from_formats": _input_formats(options.from_formats),
        "timeout_s": options.document_timeout or policy.timeout_s or policy.max_timeout_s,
        "abort_on_error": options.abort_on_error,
    }
    if (enrich := _enriching(options, policy)) is not None:
        settings["enrich"] = enrich
    if (chunking := _chunking(order)) is not None:
        settings["chunking"] = chunking
    return settings


def document_version(header: str | None) -> str | None:
    """The header `Accept-Docling-Document-Version`."""
    if not header:
        return None
    match = re.fullmatch(r"([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})", header)
    if match is None:
        raise refuse(f"unparseable Accept-Docling-Document-Version '{header}'")
    if (int(match[1]), int(match[2])) < OLDEST_VERSION:
        oldest = ".".join(map(str, (*OLDEST_VERSION, 0)))
        raise refuse(f"unsupported Accept-Docling-Document-Version '{header}'; oldest supported is {oldest}")
    return header


def source_json(source: AnySource) -> dict[str, Any]:
    """A source as JSON, without the content of a file. Header values are texts."""
    value = source.model_dump(mode="json", exclude={"base64_string"})
    if "headers" in value:
        value["headers"] = {name: str(one) for name, one in value["headers"].items()}
    return value


def decoded(source: FileSourceRequest) -> bytes:
    """The content of a file in a JSON body. Characters that are not base64 are left out, as docling-serve does."""
    text = source.base64_string
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        kept = re.sub(r"[^A-Za-z0-9+/]", "", text)
        return base64.b64decode(kept[: len(kept) - (len(kept) % 4 == 1)] + "=" * (-len(kept) % 4))


def _reading(options: ConvertDocumentsOptions, policy: Policy) -> dict[str, Any]:
    """The options of the component `read`."""
    read: dict[str, Any] = {}
    first, last = options.page_range
    if (first, last) != (1, NO_LAST_PAGE):
        read["pages"] = f"{first}-" if last == NO_LAST_PAGE else f"{first}-{last}"
    if options.pipeline in (ProcessingPipeline.native, ProcessingPipeline.asr):
        raise refuse(f"pipeline '{options.pipeline}' is not available on this server. Send 'standard'.")
    if options.pipeline == ProcessingPipeline.vlm:
        read |= {"engines": [_vision(options, policy)], "ocr": "always"}
    elif not options.do_ocr:
        return {**read, "ocr": "never"}
    elif options.force_ocr:
        read["ocr"] = "always"
    languages = _languages(options.ocr_lang or ())
    if languages:
        read["lang"] = [language.code for language in languages]
    if "engines" not in read and _reads_with_tesseract(options, languages, policy):
        read["engines"] = ["tesseract"]
    return read


def _vision(options: ConvertDocumentsOptions, policy: Policy) -> str:
    if policy.vision is None:
        raise refuse("pipeline 'vlm' is not available: no vision engine is configured on this server.")
    named = next(
        (
            name
            for name in ("vlm_pipeline_model", "vlm_pipeline_model_local", "vlm_pipeline_model_api")
            if getattr(options, name) is not None
        ),
        None,
    )
    if named is not None:
        raise refuse(f"{named} is not available: the server's own vision engine reads with pipeline 'vlm'.")
    if options.vlm_pipeline_preset not in (None, "default"):
        raise refuse(
            f"vlm_pipeline_preset '{options.vlm_pipeline_preset}' is not allowed. Allowed values: ['default']."
        )
    return policy.vision


def _reads_with_tesseract(options: ConvertDocumentsOptions, languages: Sequence[Language], policy: Policy) -> bool:
    """Whether Tesseract reads: it is asked for and has the data. Clients name it by default, with languages that few
    servers have."""
    asked = options.ocr_preset in ("tesseract", "tesserocr")
    data = policy.tesseract_data
    return asked and bool(data) and all(language.installed(data) for language in languages)


def _languages(sent: Sequence[str]) -> list[Language]:
    """Language tags, codes of engines and names, one each or joined as Tesseract (`eng+deu`) and old clients do."""
    words = [word.strip() for text in sent for word in re.split(r"[,;+]", text)]
    languages: dict[str, Language] = {}
    for word in words:
        if word.lower() in ("", "auto"):
            continue
        try:
            language = resolve(_ENGINE_CODES.get(word.lower(), word))
        except UsageError as error:
            raise refuse(f"ocr_lang: {error}") from None
        languages[language.code] = language
    return list(languages.values())


def _outputs(order: Order, policy: Policy, version: str | None) -> OutputOptions:
    options = order.options
    placeholder = options.image_export_mode == ImageRefMode.placeholder
    formats = dict.fromkeys(one.value for one in options.to_formats)
    if order.route == "chunk":
        formats = {"json": None} if order.include_converted_doc else {}
    return {
        "formats": list(formats),
        "image_mode": options.image_export_mode.value,
        "images": options.include_images and not placeholder,
        "page_images": options.include_page_images and not placeholder,
        "images_scale": options.images_scale,
        "page_break": options.md_page_break_placeholder,
        "compact_tables": options.md_compact_tables,
        "version": version,
        "titles": policy.titles,
    }


def _enriching(options: ConvertDocumentsOptions, policy: Policy) -> EnrichArgument | None:
    """The questions to a vision model: the one that the request names for descriptions, where the server allows
    that."""
    kinds = asked_enrichments(options)
    if not kinds:
        return None
    named = options.picture_description_api
    described = named or options.picture_description_local
    argument: EnrichArgument = {
        "kinds": kinds,
        "prompt": described.prompt if described else DESCRIBE,
        "least_area": options.picture_description_area_threshold,
    }
    if named and policy.remote_models:
        argument["api"] = named.model_dump(mode="json")
    elif named:
        argument["api_refused"] = True
    return argument


def _chunking(order: Order) -> dict[str, Any] | None:
    if order.chunking is not None:
        return order.chunking.model_dump(mode="json")
    options = order.options
    preset = options.chunking_preset or "default"
    check_allowed("chunking_preset", preset, CHUNKING_PRESETS)
    if OutputFormat.chunks not in options.to_formats:
        return None
    return (options.chunking_options or CHUNKING_PRESETS[preset]).model_dump(mode="json")


def _input_formats(formats: Sequence[InputFormat]) -> list[str]:
    """The formats that are read; none where all of them are."""
    allowed = set(formats)
    return [] if allowed == set(InputFormat) else [one.value for one in InputFormat if one in allowed]
