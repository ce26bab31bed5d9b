#!/bin/sh
# Makes the image of hosts that call themselves what the scenario FAMILY says, unless there is one of the same sources, and prints its
# name. Their RPM repositories are in /srv/repositories.
# Usage: image.sh el9|leap15 (as root, with network; takes some five minutes)
set -eu

here=$(dirname "$(realpath "$0")")
family=$here/../$1
stand_in=$here/../daos/stand-in
base=$("$here/../hosts/minbase.sh")
sources=$(find "$here"/*.sh "$here"/*.py "$here"/daos.yml "$here"/packages.txt "$family"/*.sh "$family"/packages.txt "$family"/rpms.yml \
    "$stand_in" -type f | LC_ALL=C sort)
# shellcheck disable=SC2086 # the list is several words
name=localhost/daos-assay-$1:$(echo "$base" | cat $sources - | sha256sum | cut -c1-12)
work=$(mktemp --directory --suffix=.daos-assay-image)
container=$(basename "$work")
trap 'podman rm --force --ignore "$container" > /dev/null; rm -rf "$work"' EXIT

inside() {
    podman rm --force --ignore "$container" > /dev/null
    podman --runtime=runc run --network=host --name="$container" --env=DEBIAN_FRONTEND=noninteractive --env=LC_ALL=C \
        --volume="$here":/mnt/rpm:ro --volume="$family":/mnt/family:ro --volume="$stand_in":/mnt/stand-in:ro \
        --volume="$work/repositories":/mnt/repositories "$base" sh -euxc "$1" > "$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
}

if ! podman image exists "$name"; then
    mkdir "$work/repositories"
    inside '
        apt-get update
        apt-get install --yes --no-install-recommends rpm createrepo-c python3-yaml gnupg
        python3 /mnt/rpm/repository.py /mnt/repositories /mnt/stand-in /mnt/rpm/daos.yml /mnt/family/rpms.yml
    '
    inside 'sh /mnt/rpm/host.sh'
    podman commit --quiet "$container" "$name" > "$work/log"
fi
echo "$name"
