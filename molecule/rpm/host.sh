#!/bin/sh
# Makes of Debian in a container a host of another family, whose packages are RPMs. Usage: host.sh (as root, with this directory in
# /mnt/rpm, that of the family in /mnt/family, and what repository.py has built in /mnt/repositories)
set -eux

# Nothing of Debian starts a daemon here, and what is thrown away on failure need not be synced to disk.
printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d
echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/unsafe-io
apt-get update
# shellcheck disable=SC2046 # the lists are several words
apt-get install --yes --no-install-recommends $(grep --no-filename -v '^#' /mnt/rpm/packages.txt /mnt/family/packages.txt) \
    $(cat /mnt/repositories/needed)
apt-get clean
# Those whose files are in RPMs came along for others. Python's own moves: what manages packages may run on it, and at its path is the
# package of Python 3.11.
# shellcheck disable=SC2046
dpkg --purge --force-all $(dpkg-query --show --showformat='${Package}\n' | grep --line-regexp --fixed-strings --file=/mnt/repositories/packed |
    grep --invert-match python3.11-minimal)
mv /usr/bin/python3.11 /usr/libexec/platform-python
ln -sf /usr/libexec/platform-python /usr/bin/python3

cp -r /mnt/repositories /srv/repositories
rm /srv/repositories/needed /srv/repositories/packed
rm -f /etc/os-release /etc/debian_version
sh -eux /mnt/family/release.sh

# The libraries are in /usr/lib64, where Debian's loader does not look, and the programs look for plugins at a path of Debian.
echo /usr/lib64 > /etc/ld.so.conf.d/lib64.conf
ln -s /usr/lib64/slurm /usr/lib/x86_64-linux-gnu/slurm-wlm
# A package does not start what it brings.
echo 'disable *' > /usr/lib/systemd/system-preset/99-default-disable.preset

# Debian's rpm keeps its database below root's home.
mkdir -p /etc/rpm
echo '%_dbpath /var/lib/rpm' > /etc/rpm/macros
xargs --arg-file=/srv/repositories/installed --replace rpm --install --justdb --nodeps /srv/repositories/{}
rm -r /usr/sbin/policy-rc.d /etc/dpkg /etc/apt /var/lib/apt
mkdir /usr/libexec/debian
mv /usr/bin/apt* /usr/bin/dpkg* /usr/libexec/debian/
echo UsePAM no > /etc/ssh/sshd_config.d/assay.conf
: > /etc/machine-id
