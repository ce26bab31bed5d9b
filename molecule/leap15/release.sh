#!/bin/sh
# Calls the host openSUSE Leap 15.6, and lets zypper know the repository of a fresh one. Usage: release.sh (as root, in a container)
set -eu

cat > /etc/os-release << END
NAME="openSUSE Leap"
VERSION="15.6"
ID="opensuse-leap"
ID_LIKE="suse opensuse"
VERSION_ID="15.6"
PRETTY_NAME="openSUSE Leap 15.6, of Debian's programs"
END
mkdir -p /etc/zypp/repos.d
cat > /etc/zypp/repos.d/repo-oss.repo << END
[repo-oss]
name=Main Repository
enabled=1
autorefresh=1
baseurl=dir:///srv/repositories/repo-oss
gpgcheck=0
END
