#!/bin/sh
# Makes the image of this scenario's hosts, unless there is one of the same packages, and prints its name.
# Usage: image.sh (as root, with network; takes about two minutes)
set -eu

here=$(dirname "$(realpath "$0")")
name=localhost/daos-assay-host:$(cat "$0" "$here/packages.txt" | sha256sum | cut -c1-12)
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
    debootstrap --variant=minbase bookworm "$tree"
    chmod 755 "$tree"
    cp /etc/resolv.conf "$tree/etc/resolv.conf"
    # No package starts a daemon here, and what is thrown away on failure need not be synced to disk.
    printf '#!/bin/sh\nexit 101\n' > "$tree/usr/sbin/policy-rc.d"
    chmod 755 "$tree/usr/sbin/policy-rc.d"
    echo force-unsafe-io > "$tree/etc/dpkg/dpkg.cfg.d/unsafe-io"
    # shellcheck disable=SC2046 # the list is several words
    DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$tree" apt-get install --yes --no-install-recommends \
        $(grep -v '^#' "$here/packages.txt")
    rm -r "$tree/usr/sbin/policy-rc.d" "$tree/etc/dpkg/dpkg.cfg.d/unsafe-io" "$tree/var/lib/apt/lists"
    chroot "$tree" apt-get clean
    # The roles are to start what they have configured, and nothing else does.
    chroot "$tree" systemctl disable munge slurmctld slurmd
    # A container may not raise limits, which PAM would do for whoever enters.
    echo UsePAM no > "$tree/etc/ssh/sshd_config.d/assay.conf"
    # Hosts have no key of munge and no machine id in common.
    rm "$tree/etc/munge/munge.key"
    : > "$tree/etc/machine-id"
    tar --directory "$tree" --create . | podman import - "$name"
fi
echo "$name" >&3
