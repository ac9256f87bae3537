#!/bin/sh
# Installs the Debian packages that the tests of Tesseract need, where they are missing and that is possible.
# Exit code 0: all are there. 1: some are not; standard error says which and what is not tested without them.
set -u

# The program, the data of a few languages, and a font to draw Cyrillic letters with.
PACKAGES="tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd tesseract-ocr-deu tesseract-ocr-frk tesseract-ocr-rus
    fonts-dejavu-core"

elsewhere() { # not Debian: what counts is that the program has its data
    for data in eng deu frk rus; do
        tesseract --list-langs 2>/dev/null | grep -qx "$data" || echo "tesseract-ocr-$data"
    done
}

missing() {
    command -v dpkg-query >/dev/null || { elsewhere; return; }
    for package in $PACKAGES; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
    done
}

wanted=$(missing | tr '\n' ' ')
[ -n "$wanted" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    root=""
elif sudo -n true 2>/dev/null; then
    root="sudo -n"
else
    root="none"
fi

if [ "$root" != none ] && command -v apt-get >/dev/null; then
    echo "Installing $wanted"
    install() {
        $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted >/dev/null 2>&1
    }
    # The lists of packages of a fresh machine are empty or old.
    install || { $root apt-get update -qq >/dev/null 2>&1; install; }
    wanted=$(missing | tr '\n' ' ')
    [ -n "$wanted" ] || exit 0
fi

cat >&2 <<END
NOT TESTED: reading with Tesseract. Missing: $wanted
To test it: apt install $wanted
END
exit 1
