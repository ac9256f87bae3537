#!/bin/sh
# Sets up the Python clients of docling-serve that the tests run against `quire serve`, once, from the package index.
# Prints their folder. Exit code 1: they cannot be had here; standard error says why and what is not tested.
#
# Two environments, because the tokenizers of langchain-docling take seconds to import: docling/ and langchain/. LightRAG
# is installed with what its loader imports. Of Open WebUI (with hundreds of dependencies) there is only the loader's
# module, as it is in the wheel. LlamaIndex is a folder to import from beside Quire, without the large packages that
# Quire has or that a retriever does not import. None of it is part of Quire.
set -u

UV=0.13.7
DOCLING="docling-client==2.143.0 docling-slim[cli]==2.143.0 docling-serve-client==1.14.0 docling-serve-haystack==2.0.0
    docling-mcp==3.3.0 json-repair==0.63.5"
LANGCHAIN="langchain-docling==3.0.0 docling-slim==2.143.0"
LIGHTRAG="lightrag-hku==1.5.7"
LLAMA_INDEX="llama-index-core==0.14.25"
LLAMA_INDEX_WITHOUT="numpy pillow networkx nltk tiktoken aiohttp setuptools"
OPEN_WEBUI=0.12.4
LOADER=open_webui/retrieval/loaders/main.py

root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/.venv/clients}
wanted=$(echo "$UV $DOCLING $LANGCHAIN $LIGHTRAG $LLAMA_INDEX $OPEN_WEBUI" | tr -s ' \n' ' ')

give_up() {
    echo "NOT TESTED: clients of docling-serve in Python. $1" >&2
    exit 1
}

try() {
    said=$("$@" 2>&1) || give_up "$* failed: $said"
}

install() { # with uv, which takes seconds; with pip where only that is set up for the index
    part=$1
    shift
    "$uv" pip install -q --python "$folder/$part" "$@" >/dev/null 2>&1 ||
        try "$folder/uv/bin/python" -m pip --python "$folder/$part" install -q "$@"
}

if [ "$(cat "$folder/versions" 2>/dev/null)" != "$wanted" ]; then
    python=$root/.venv/bin/python
    [ -x "$python" ] || python=python3
    rm -rf "$folder"
    try "$python" -m venv "$folder/uv"
    try "$folder/uv/bin/python" -m pip install -q "uv==$UV"
    uv="$folder/uv/bin/uv"
    for part in docling langchain; do
        try "$uv" venv -q --python "$python" "$folder/$part"
    done
    # shellcheck disable=SC2086 # several packages
    install docling $DOCLING
    # shellcheck disable=SC2086
    install langchain $LANGCHAIN
    install docling --no-deps "$LIGHTRAG"
    echo "$LLAMA_INDEX_WITHOUT" | tr ' ' '\n' >"$folder/without"
    "$uv" pip install -q --python "$python" --target "$folder/llama-index" --excludes "$folder/without" \
        "$LLAMA_INDEX" >/dev/null 2>&1 || try "$python" -m pip install -q --target "$folder/llama-index" "$LLAMA_INDEX"
    try "$folder/uv/bin/python" -m pip download -q --no-deps -d "$folder/wheels" "open-webui==$OPEN_WEBUI"
    try "$python" -m zipfile -e "$folder/wheels/open_webui-$OPEN_WEBUI-py3-none-any.whl" "$folder/wheels/open-webui"
    mkdir -p "$folder/open-webui"
    try mv "$folder/wheels/open-webui/$LOADER" "$folder/open-webui/main.py"
    rm -rf "$folder/wheels"
    echo "$wanted" >"$folder/versions"
fi
echo "$folder"
