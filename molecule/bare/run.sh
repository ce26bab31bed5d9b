#!/bin/bash
# The README's commands on Debian's smallest: `make validate` in a container that has no systemd, no ip and no ps, and then
# `make teardown`, which has to leave it as it was.
# Usage: run.sh (as root, with network; the packages and the wheels are downloaded, or taken from uv's cache)
set -euo pipefail

here=$(dirname "$(realpath "$0")")
repository=$(realpath "$here/../..")
name=assay-bare-$(sha256sum <<< "$repository" | cut -c1-8)
work=$(mktemp --directory --suffix=.daos-assay-bare)
trap 'podman rm --force --time=2 --ignore "$name" > /dev/null; rm -rf "$work"' EXIT

export CONTAINERS_CONF=$here/../hosts/containers.conf

enter=(podman exec --workdir=/root/daos-assay "$name")
inside() {
    "${enter[@]}" "$@"
}

# What apt, dpkg, useradd and adduser keep for themselves, logs, and what root's own commands write, are no part of what was there.
list() {
    # shellcheck disable=SC2016 # dpkg-query's own variables
    inside dpkg-query --show --showformat='${db:Status-Abbrev} ${Package} ${Version}\n'
    inside cut --delimiter=: --fields=1 /etc/passwd /etc/group
    inside find / -xdev \( -path /root -o -path /var/log -o -path /var/cache -o -path /var/backups -o -path /var/lib/apt \
        -o -path /var/lib/dpkg -o -path /proc -o -path /sys -o -path /dev -o -path '/etc/*shadow-' -o -path /etc/passwd- -o -path /etc/group- -o -path /run/adduser \) \
        -prune -o -printf '%p %u:%g %m\n' | sort
}

# Registries are reached as this machine reaches them, and what it has downloaded already is not downloaded again.
cache=$("$repository/.venv/bin/uv" cache dir)
mkdir -p "$cache"
image=$("$here/../hosts/minbase.sh")
podman rm --force --time=2 --ignore "$name" > /dev/null
podman --runtime=runc run --detach --name="$name" --hostname=bare --cap-add=SYS_ADMIN --cap-add=SYS_NICE \
    --volume=/etc/ssl/certs/ca-certificates.crt:/etc/ssl/certs/ca-certificates.crt:ro --volume="$cache":/root/.cache/uv \
    --env=PIP_CERT --env=SSL_CERT_FILE "$image" sleep infinity > /dev/null
podman exec "$name" mkdir /root/daos-assay
git -C "$repository" ls-files -z --cached --others --exclude-standard |
    tar --directory="$repository" --null --files-from=- --create | podman exec --interactive "$name" tar --directory=/root/daos-assay --extract

for program in systemctl ip ps; do
    ! inside sh -c "command -v $program" || { echo "the image has $program, so that nothing would be shown" >&2; exit 1; }
done
list > "$work/before"
inside make validate
list > "$work/between"
inside make teardown
list > "$work/after"

if cmp --quiet "$work/before" "$work/between"; then
    echo "make validate has changed nothing, so that teardown shows nothing" >&2
    exit 1
fi
diff "$work/before" "$work/after" || { echo "make teardown has not left the host as it was: < before, > after" >&2; exit 1; }
# shellcheck disable=SC2016 # the container's own variables
left=$(inside sh -c '
    for status in /proc/[0-9]*/status; do
        grep --quiet "^State:[[:space:]][^Z]" "$status" && grep "^Name:[[:space:]]\(munge\|slurm\)" "$status"
    done 2> /dev/null || true')
[[ -z $left ]] || { echo "make teardown has left processes: $left" >&2; exit 1; }
echo "make teardown has left the host as it was"
