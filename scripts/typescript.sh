#!/bin/sh
# Fetches TypeScript (Apache-2.0, used by the type check of the page alone) once, with npm. Prints the path of its compiler.
# Exit code 1: it cannot be had here; standard error says why and what is not checked.
set -u

VERSION=7.0.2
folder=${1:-$(cd "$(dirname "$0")/.." && pwd)/.venv/typescript}
compiler=$folder/node_modules/.bin/tsc

if [ ! -x "$compiler" ] || [ "$(cat "$folder/version" 2>/dev/null)" != "$VERSION" ]; then
    mkdir -p "$folder"
    if ! said=$(npm install --silent --no-save --no-audit --no-fund --prefix "$folder" "typescript@$VERSION" 2>&1); then
        echo "NOT CHECKED: the types of the page in the browser. npm cannot install TypeScript: $said" >&2
        exit 1
    fi
    echo "$VERSION" >"$folder/version"
fi
echo "$compiler"
