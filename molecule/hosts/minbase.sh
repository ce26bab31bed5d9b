#!/bin/sh
# Makes the image that all others stand on, unless it is there, and prints its name: Debian's smallest, which has no systemd, no ip
# and no ps, with what the project's README asks for.
# Usage: minbase.sh (as root, with network; takes about a minute)
set -eu

name=localhost/daos-assay-minbase:$(sha256sum "$0" | cut -c1-12)
work=$(mktemp --directory --suffix=.daos-assay-image)
tree=$work/tree

finish() {
    status=$?
    if [ "$status" != 0 ]; then
        cat "$work/log" >&2
    fi
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT
exec 3>&1 > "$work/log" 2>&1

needed=
for program in debootstrap podman runc iptables; do
    command -v "$program" || needed="$needed $program"
done
if [ -n "$needed" ]; then
    apt-get update
    # shellcheck disable=SC2086 # the list is several words
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $needed containernetworking-plugins
fi

if ! podman image exists "$name"; then
    debootstrap --variant=minbase --include=ca-certificates,git,make,python3 bookworm "$tree"
    chmod 755 "$tree"
    rm -r "$tree/var/lib/apt/lists"
    chroot "$tree" apt-get clean
    tar --directory "$tree" --create . | podman import - "$name"
fi
echo "$name" >&3
