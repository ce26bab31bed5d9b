#!/bin/sh
# Calls the host Rocky 9.4, and lets dnf know the repositories of a fresh one. Usage: release.sh (as root, in a container)
set -eu

echo 'Rocky Linux release 9.4 (Blue Onyx)' > /etc/redhat-release
cat > /etc/os-release << END
NAME="Rocky Linux"
VERSION="9.4 (Blue Onyx)"
ID="rocky"
ID_LIKE="rhel centos fedora"
VERSION_ID="9.4"
PLATFORM_ID="platform:el9"
PRETTY_NAME="Rocky Linux 9.4 (Blue Onyx), of Debian's programs"
END
mkdir -p /etc/yum.repos.d /usr/lib/python3/dist-packages/dnf-plugins # the second is dnf's own in EL
for name in baseos appstream extras crb; do
    cat > "/etc/yum.repos.d/$name.repo" << END
[$name]
name=Rocky Linux 9 - $name
baseurl=file:///srv/repositories/$name
enabled=$([ "$name" = crb ] && echo 0 || echo 1)
gpgcheck=0
END
done
