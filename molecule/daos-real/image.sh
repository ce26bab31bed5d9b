#!/bin/sh
# Makes the image of this scenario's hosts, which is that of the other scenarios with what DAOS is linked with, unless there
# is one of the same packages, and prints its name.
# Usage: image.sh (as root, with network; takes about half a minute)
set -eu

here=$(dirname "$(realpath "$0")")
base=$("$here/../hosts/image.sh")
name=localhost/daos-assay-daos:$(echo "$base" | cat "$0" "$here/packages.txt" - | sha256sum | cut -c1-12)
work=$(mktemp --directory --suffix=.daos-assay-image)
trap 'podman rm --force --ignore "$(basename "$work")" > /dev/null; rm -rf "$work"' EXIT

if ! podman image exists "$name"; then
    # shellcheck disable=SC2046 # the list is several words
    podman --runtime=runc run --network=host --name="$(basename "$work")" --env=DEBIAN_FRONTEND=noninteractive "$base" sh -c '
        apt-get update && apt-get install --yes --no-install-recommends "$@" && apt-get clean && rm -r /var/lib/apt/lists
    ' sh $(grep -v '^#' "$here/packages.txt") > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    podman commit --quiet "$(basename "$work")" "$name" > "$work/log"
fi
echo "$name"
