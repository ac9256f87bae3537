#!/bin/sh
# Installs the Debian packages that some tests need, where they are missing and that is possible.
# Usage: system_packages.sh PART…; a PART is tesseract, postgresql, haproxy, libreoffice, java, chromium or bubblewrap; all of them without one.
# Exit code 0: all are there. 1: some are not; standard error says which and what is not tested without them.
set -u

packages() {
    case "$1" in
        # The program, the data of a few languages, and a font to draw Cyrillic letters with.
        tesseract) echo "tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd tesseract-ocr-deu tesseract-ocr-frk" \
            "tesseract-ocr-rus fonts-dejavu-core" ;;
        postgresql) echo "postgresql" ;;
        haproxy) echo "haproxy" ;;
        # Without its Java, its help and its desktops; a font that its documents ask for.
        libreoffice) echo "libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui" \
            "fonts-dejavu-core" ;;
        java) echo "default-jdk-headless maven" ;;
        # The browser, a font with which its texts have a shape, and small ones for scripts whose signs combine.
        chromium) echo "chromium fonts-dejavu-core fonts-lohit-deva fonts-lohit-beng-bengali fonts-lohit-taml" \
            "fonts-lohit-telu fonts-lklug-sinhala fonts-khmeros fonts-tlwg-loma-ttf fonts-sil-padauk" \
            "fonts-sil-scheherazade" ;;
        bubblewrap) echo "bubblewrap" ;;
        *) echo "unknown part: $1" >&2; return 2 ;;
    esac
}

untested() {
    case "$1" in
        tesseract) echo "reading with Tesseract" ;;
        postgresql) echo "facts and runs in PostgreSQL" ;;
        haproxy) echo "several workers behind HAProxy" ;;
        libreoffice) echo "office files printed to pages, and old ones" ;;
        java) echo "docling's client in Java" ;;
        chromium) echo "the page in the browser" ;;
        bubblewrap) echo "agents that are kept in their folder" ;;
    esac
}

elsewhere() { # not Debian: what counts is that the programs are there
    case "$1" in
        tesseract)
            for data in eng deu frk rus; do
                tesseract --list-langs 2>/dev/null | grep -qx "$data" || echo "tesseract-ocr-$data"
            done ;;
        postgresql) command -v postgres >/dev/null || echo "postgresql" ;;
        haproxy) command -v haproxy >/dev/null || echo "haproxy" ;;
        libreoffice) command -v soffice >/dev/null || echo "libreoffice" ;;
        java) { command -v javac && command -v mvn; } >/dev/null || echo "default-jdk-headless maven" ;;
        chromium) command -v chromium >/dev/null || echo "chromium" ;;
        bubblewrap) command -v bwrap >/dev/null || echo "bubblewrap" ;;
    esac
}

missing() {
    # Any JDK will do, wherever it comes from.
    { [ "$1" != java ] && command -v dpkg-query >/dev/null; } || { elsewhere "$1"; return; }
    for package in $(packages "$1"); do # LibreOffice with its windows will do
        installed "$package" || installed "${package%-nogui}" || echo "$package"
    done
}

installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'
}

install() {
    if [ "$(id -u)" = 0 ]; then
        root=""
    elif sudo -n true 2>/dev/null; then
        root="sudo -n"
    else
        return 1
    fi
    command -v apt-get >/dev/null || return 1
    echo "Installing $1"
    fetch() {
        $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 >/dev/null 2>&1
    }
    # The lists of packages of a fresh machine are empty or old.
    fetch "$1" || { $root apt-get update -qq >/dev/null 2>&1; fetch "$1"; }
}

[ $# -gt 0 ] || set -- tesseract postgresql haproxy libreoffice java chromium bubblewrap
lacking=0
for part in "$@"; do
    packages "$part" >/dev/null || exit 2
    wanted=$(missing "$part" | tr '\n' ' ')
    [ -z "$wanted" ] || { install "$wanted"; wanted=$(missing "$part" | tr '\n' ' '); }
    [ -n "$wanted" ] || continue
    lacking=1
    printf 'NOT TESTED: %s. Missing: %s\nTo test it: apt install %s\n' "$(untested "$part")" "$wanted" "$wanted" >&2
done
exit $lacking
