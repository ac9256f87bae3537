#!/bin/sh
# Fetches Azurite (MIT), the Azure storage server for the tests, once, with npm.
# Prints the path of the program. Exit code 1: it cannot be had here; standard error says why and what is not tested.
set -u

VERSION=3.35.0
folder=${1:-$(cd "$(dirname "$0")/.." && pwd)/.venv/azurite}
program=$folder/node_modules/.bin/azurite-blob

if [ ! -x "$program" ] || [ "$(cat "$folder/version" 2>/dev/null)" != "$VERSION" ]; then
    mkdir -p "$folder"
    if ! said=$(npm install --silent --no-save --no-audit --no-fund --prefix "$folder" "azurite@$VERSION" 2>&1); then
        echo "NOT TESTED: artifacts in Azure. npm cannot install Azurite: $said" >&2
        exit 1
    fi
    echo "$VERSION" >"$folder/version"
fi
echo "$program"
