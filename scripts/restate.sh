#!/bin/sh
# Fetches the Restate server (BSL 1.1, never part of Quire) for the tests and for `quire up`, once, with npm.
# Prints the path of the program. Exit code 1: it cannot be had here; standard error says what is not tested and why.
set -u

give_up() {
    echo "NOT TESTED: runs on Restate. $1" >&2
    exit 1
}

VERSION=1.7.12
folder=${1:-$(cd "$(dirname "$0")/.." && pwd)/.venv/restate}

case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) platform=linux-x64 ;;
    Linux-aarch64) platform=linux-arm64 ;;
    Darwin-x86_64) platform=darwin-x64 ;;
    Darwin-arm64) platform=darwin-arm64 ;;
    *) platform="" ;;
esac

program=$folder/node_modules/@restatedev/restate-server-$platform/bin/restate-server
if [ -x "$program" ] && [ "$(cat "$folder/version" 2>/dev/null)" = "$VERSION" ]; then
    echo "$program"
    exit 0
fi

[ -n "$platform" ] || give_up "There is no server for $(uname -s) on $(uname -m)"
command -v npm >/dev/null || give_up "The server is installed with npm, which is not here. To test it: apt install npm"
mkdir -p "$folder"
said=$(npm install --silent --no-save --no-audit --no-fund --prefix "$folder" \
    "@restatedev/restate-server-$platform@$VERSION" 2>&1) || give_up "npm could not install the server: $said"
[ -x "$program" ] || give_up "The package of the server holds no $program"
echo "$VERSION" >"$folder/version"
echo "$program"
