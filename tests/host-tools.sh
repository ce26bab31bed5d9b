#!/bin/bash
# Install the distribution's packages that the tests need, on Debian 12, as root or with sudo.
# Where all are there, nothing is asked of the network. No daemon starts by its installation.
set -eu

packages=(
    # The pipeline, on a Slurm of its own.
    slurmctld slurmd slurm-client munge
    fio libfabric-bin mpich
    util-linux-extra iproute2 nftables procps
    locales
    openssh-server openssh-client
    # The report in a browser.
    chromium chromium-driver
    # Packages of EL and SUSE.
    rpm
    # Molecule's hosts.
    podman runc iptables containernetworking-plugins debootstrap
)

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) || status=none
    [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0
((EUID == 0)) || exec sudo "$0"

policy=/usr/sbin/policy-rc.d
[[ ! -e $policy ]] || mv "$policy" "$policy.assay"
restore() {
    rm -f "$policy"
    [[ ! -e $policy.assay ]] || mv "$policy.assay" "$policy"
}
trap restore EXIT
trap 'exit 143' TERM INT
printf '#!/bin/sh\nexit 101\n' >"$policy"
chmod 755 "$policy"

apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
