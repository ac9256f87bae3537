#!/bin/sh
# Fetches axe-core (MPL-2.0, used by the tests alone), which finds faults of accessibility in a page, once, with npm.
# Prints the path of its script. Exit code 1: it cannot be had here; standard error says why and what is not tested.
set -u

VERSION=4.14.0
folder=${1:-$(cd "$(dirname "$0")/.." && pwd)/.venv/axe}
script=$folder/node_modules/axe-core/axe.min.js

if [ ! -f "$script" ] || [ "$(cat "$folder/version" 2>/dev/null)" != "$VERSION" ]; then
    mkdir -p "$folder"
    if ! said=$(npm install --silent --no-save --no-audit --no-fund --prefix "$folder" "axe-core@$VERSION" 2>&1); then
        echo "NOT TESTED: accessibility of the page in the browser. npm cannot install axe-core: $said" >&2
        exit 1
    fi
    echo "$VERSION" >"$folder/version"
fi
echo "$script"
