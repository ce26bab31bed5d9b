#!/bin/sh
# Makes of Debian in a container a host that calls itself Rocky 9.4 and whose package manager is dnf. Usage: rocky.sh (as root, with
# this directory in /mnt/el9 and what repository.py has built in /mnt/repositories)
set -eux

# Nothing of Debian starts a daemon here, and what is thrown away on failure need not be synced to disk.
printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d
echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/unsafe-io
apt-get update
# shellcheck disable=SC2046 # the lists are several words
apt-get install --yes --no-install-recommends $(grep -v '^#' /mnt/el9/packages.txt) $(cat /mnt/repositories/needed)
apt-get clean
# Those whose files are in RPMs came along for others. Python's own moves: dnf runs on it, and at its path is the package python3.11.
# shellcheck disable=SC2046
dpkg --purge --force-all $(dpkg-query --show --showformat='${Package}\n' | grep --line-regexp --fixed-strings --file=/mnt/repositories/packed |
    grep --invert-match python3.11-minimal)
mv /usr/bin/python3.11 /usr/libexec/platform-python
ln -sf /usr/libexec/platform-python /usr/bin/python3

cp -r /mnt/repositories /srv/repositories
rm /srv/repositories/needed /srv/repositories/packed
echo 'Rocky Linux release 9.4 (Blue Onyx)' > /etc/redhat-release
rm -f /etc/os-release /etc/debian_version
cat > /etc/os-release << END
NAME="Rocky Linux"
VERSION="9.4 (Blue Onyx)"
ID="rocky"
ID_LIKE="rhel centos fedora"
VERSION_ID="9.4"
PLATFORM_ID="platform:el9"
PRETTY_NAME="Rocky Linux 9.4 (Blue Onyx), of Debian's programs"
END
mkdir -p /etc/yum.repos.d
for name in baseos appstream extras crb; do
    cat > "/etc/yum.repos.d/$name.repo" << END
[$name]
name=Rocky Linux 9 - $name
baseurl=file:///srv/repositories/$name
enabled=$([ "$name" = crb ] && echo 0 || echo 1)
gpgcheck=0
END
done

# EL's libraries are in /usr/lib64, where Debian's loader does not look, and its programs look for plugins at a path of Debian.
echo /usr/lib64 > /etc/ld.so.conf.d/el.conf
ln -s /usr/lib64/slurm /usr/lib/x86_64-linux-gnu/slurm-wlm
# A package of EL does not start what it brings.
echo 'disable *' > /usr/lib/systemd/system-preset/99-default-disable.preset

xargs --arg-file=/srv/repositories/installed --replace rpm --install --justdb --nodeps /srv/repositories/{}
rm -r /usr/sbin/policy-rc.d /etc/dpkg /etc/apt /var/lib/apt
mkdir /usr/libexec/debian
mv /usr/bin/apt* /usr/bin/dpkg* /usr/libexec/debian/
echo UsePAM no > /etc/ssh/sshd_config.d/assay.conf
: > /etc/machine-id
