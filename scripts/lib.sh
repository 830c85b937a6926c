# Shared by the other scripts: paths, output, and the packages to install. It is sourced, not run.

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"

# The libraries that Swift code links with; Package.swift has the apt names too.
BUILD_PACKAGES=(
    libsodium-dev libssl-dev libsqlite3-dev libxxhash-dev libzstd-dev libjansson-dev libmagic-dev libgd-dev
    libseccomp-dev libmicrohttpd-dev libcurl4-openssl-dev libqrencode-dev libzxing-dev libphonenumber-dev libicu-dev
    libnotify-dev pkg-config
)

# The web client is bundled by these; React's types come with React. The second list checks it, in a real browser too.
WEB_PACKAGES=(esbuild nodejs node-react node-react-dom unicode-data)
WEB_TEST_PACKAGES=(node-typescript node-csstype node-prop-types chromium chromium-headless-shell fonts-noto-color-emoji python3 python3-venv)

# How scripts/test builds for a whole run: what is tested is optimised, but keeps the assertions of a build for debugging and
# the standard library's checks of unsafe buffers. It goes to a directory of its own, so that other scripts' builds, which
# have other options, don't make it begin again.
ALL_TESTS_BUILD=(-c release --scratch-path .build/tests -Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug)

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    BOLD=$'\e[1m' DIM=$'\e[2m' GREEN=$'\e[32m' RED=$'\e[31m' PLAIN=$'\e[0m'
else
    BOLD='' DIM='' GREEN='' RED='' PLAIN=''
fi

say() { printf '\n%s==>%s %s\n' "$BOLD" "$PLAIN" "$*"; }
note() { printf '    %s\n' "$*"; }
die() {
    printf '%s: %s%s%s\n' "$(basename "$0")" "$RED" "$*" "$PLAIN" >&2
    exit 1
}

# The comment at the top of the calling script is its help text.
print_help() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

# Runs a command as root, directly or by sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this needs root, and there is no sudo: run as root: $*"
    fi
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Installs the missing ones of the named Debian packages, and says so. Returns quickly if none is missing.
need_packages() {
    command -v dpkg-query >/dev/null || {
        note "This is not a Debian: see to it yourself that these (or what your system calls them) are there: $*"
        return 0
    }
    local missing=() name
    for name in "$@"; do
        is_installed "$name" || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    local log=$ROOT/.build/apt-get.log
    mkdir -p "$ROOT/.build"
    say "Installing what is missing, by apt-get (its output: .build/apt-get.log): ${missing[*]}"
    {
        as_root apt-get update -q
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
    } </dev/null >"$log" 2>&1 || { tail -n 15 "$log" >&2; die "apt-get failed; all of its output is in $log"; }
}

# Like need_packages, for programs that Debian starts as services once they are installed: these are started neither now
# nor at the next boot. A package that was there before stays as it is.
need_packages_without_services() {
    local missing=() name
    command -v dpkg-query >/dev/null || return 0
    for name in "$@"; do
        is_installed "$name" || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    (
        # invoke-rc.d(8) asks this program for permission; 101 means no. An existing one belongs to the user.
        policy=/usr/sbin/policy-rc.d
        if [ ! -e "$policy" ]; then
            trap 'as_root rm -f "$policy"' EXIT
            printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
            as_root chmod 755 "$policy"
        fi
        need_packages "${missing[@]}"
    ) || return
    if [ -d /run/systemd/system ]; then
        for name in "${missing[@]}"; do as_root systemctl --quiet disable --now "$name" || true; done
    fi
}

# Requires a Swift toolchain of 6.2 or later, which apt does not have.
need_swift() {
    command -v swift >/dev/null || die "there is no Swift here: install 6.2 or later, see https://www.swift.org/install/linux"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || die "\"swift --version\" names no version"
    [ "$(printf '%s\n6.2\n' "$version" | sort -V | head -n 1)" = 6.2 ] \
        || die "Swift 6.2 or later is needed, this is $version: see https://www.swift.org/install/linux"
}

# build_web DIRECTORY: bundles the web client into that directory.
build_web() {
    need_packages "${WEB_PACKAGES[@]}"
    node Web/build/build.mjs "$1"
}

# make_python_environment DIRECTORY REQUIREMENTS: makes it anew when the list of packages or the system's Python changes.
make_python_environment() {
    local environment=$1 requirements=$2 python=python3 wanted
    [ -x /usr/bin/python3 ] && python=/usr/bin/python3
    wanted=$("$python" --version; cat "$requirements")
    [ "$(cat "$environment/made-from" 2>/dev/null)" = "$wanted" ] && return 0
    say "Making the Python environment for $(dirname "$requirements")"
    rm -rf "$environment"
    "$python" -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
    printf '%s\n' "$wanted" >"$environment/made-from"
}

# The time since the script began, for people.
elapsed() { printf '%d min %02d s' $((SECONDS / 60)) $((SECONDS % 60)); }
