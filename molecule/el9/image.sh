#!/bin/sh
# Makes the image of hosts that call themselves Rocky 9.4, unless there is one of the same sources, and prints its name. Their RPM
# repositories are in /srv/repositories.
# Usage: image.sh (as root, with network; takes some five minutes)
set -eu

here=$(dirname "$(realpath "$0")")
base=$("$here/../hosts/minbase.sh")
name=localhost/daos-assay-el9:$(echo "$base" | cat "$0" "$here"/r*.* "$here/packages.txt" - | sha256sum | cut -c1-12)
work=$(mktemp --directory --suffix=.daos-assay-image)
container=$(basename "$work")
trap 'podman rm --force --ignore "$container" > /dev/null; rm -rf "$work"' EXIT

inside() {
    podman rm --force --ignore "$container" > /dev/null
    podman --runtime=runc run --network=host --name="$container" --env=DEBIAN_FRONTEND=noninteractive --env=LC_ALL=C \
        --volume="$here":/mnt/el9:ro --volume="$work/repositories":/mnt/repositories "$base" sh -euxc "$1" > "$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
}

if ! podman image exists "$name"; then
    mkdir "$work/repositories"
    inside '
        apt-get update
        apt-get install --yes --no-install-recommends rpm createrepo-c python3-yaml
        python3 /mnt/el9/repository.py /mnt/el9/rpms.yml /mnt/repositories
    '
    inside 'sh /mnt/el9/rocky.sh'
    podman commit --quiet "$container" "$name" > "$work/log"
fi
echo "$name"
