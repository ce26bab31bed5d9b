#!/bin/bash
# See that Python can make virtual environments. On Debian that is a package of its own; what comes with it goes into the
# ledger from which `make teardown` works (roles/packages).
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
ledger=/var/lib/assay/ledger/packages

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
! python3 -c 'import ensurepip' 2>/dev/null || exit 0
if ! command -v apt-get >/dev/null; then
    echo "this Python lacks ensurepip; install your distribution's package that contains it" >&2
    exit 1
fi

# Whom sudo asks for a password may have none that it takes, and is then reported to the administrators.
as_root() {
    if ((UID == 0)); then "$@"; else sudo --non-interactive --preserve-env=DEBIAN_FRONTEND "$@"; fi
}

if ! as_root true 2>/dev/null; then
    echo "this Python cannot make virtual environments, and sudo lets you install nothing without a password;" \
        "the package python3-venv is needed: ask an administrator for it" >&2
    exit 1
fi

installed() {
    dpkg-query --show --showformat='${db:Status-Abbrev} ${Package}\n' | awk '/^.i/ { print $2 }' | sort
}

before=$(installed)
echo "installing python3-venv"
as_root apt-get update --quiet=2
# dpkg says a line for each step of each package; its errors come on the other stream.
as_root apt-get install --quiet=2 --yes --no-install-recommends python3-venv >/dev/null
as_root mkdir -p "$ledger"
comm -13 <(echo "$before") <(installed) | as_root tee "$ledger/setup" >/dev/null
