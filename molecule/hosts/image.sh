#!/bin/sh
# Makes the image of the scenarios' hosts, unless there is one of the same packages, and prints its name.
# Usage: image.sh (as root, with network; takes about two minutes)
set -eu

here=$(dirname "$(realpath "$0")")
base=$("$here/minbase.sh")
name=localhost/daos-assay-host:$(echo "$base" | cat "$0" "$here/packages.txt" - | sha256sum | cut -c1-12)
work=$(mktemp --directory --suffix=.daos-assay-image)
trap 'podman rm --force --ignore "$(basename "$work")" > /dev/null; rm -rf "$work"' EXIT

# No package starts a daemon here, and what is thrown away on failure need not be synced to disk. Afterwards the roles are to start
# what they have configured, and nothing else does; a container may not raise limits, which PAM would do for whoever enters; and
# hosts have no key of munge and no machine id in common.
make_host='
    printf "#!/bin/sh\nexit 101\n" > /usr/sbin/policy-rc.d
    chmod 755 /usr/sbin/policy-rc.d
    echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/unsafe-io
    apt-get update
    apt-get install --yes --no-install-recommends "$@"
    rm -r /usr/sbin/policy-rc.d /etc/dpkg/dpkg.cfg.d/unsafe-io /var/lib/apt/lists
    apt-get clean
    systemctl --root=/ disable munge slurmctld slurmd
    echo UsePAM no > /etc/ssh/sshd_config.d/assay.conf
    rm /etc/munge/munge.key
    : > /etc/machine-id
'
if ! podman image exists "$name"; then
    # shellcheck disable=SC2046 # the list is several words
    podman --runtime=runc run --network=host --name="$(basename "$work")" --env=DEBIAN_FRONTEND=noninteractive --env=LC_ALL=C "$base" \
        sh -euc "$make_host" sh $(grep -v '^#' "$here/packages.txt") > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    podman commit --quiet "$(basename "$work")" "$name" > "$work/log"
fi
echo "$name"
