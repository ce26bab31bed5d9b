#!/bin/bash
# Makes the image of this scenario's hosts, which is that of the other scenarios with what a site has, unless there is one of the
# same packages and the same IOR, and prints its name. IOR is in no package of Debian: ASSAY_IOR_SOURCE is the directory of its
# source, and without it the site has none.
# Usage: image.sh (as root, with network; takes about three minutes)
set -euo pipefail

here=$(dirname "$(realpath "$0")")
base=$("$here/../hosts/image.sh")
source=${ASSAY_IOR_SOURCE:-}
work=$(mktemp --directory --suffix=.daos-assay-image)
trap 'podman rm --force --ignore "$(basename "$work")" > /dev/null; rm -rf "$work"' EXIT

mkdir "$work/ior"
[[ ! $source ]] || cp --recursive --no-target-directory "$source" "$work/ior"
digest=$({
    echo "$base"
    cat "$0" "$here/packages.txt"
    tar --sort=name --mtime=@0 --owner=0 --group=0 --directory="$work/ior" --create .
} | sha256sum | cut --characters=1-12)
name=localhost/daos-assay-guest:$digest

# As a site has programs: below a directory of its own, as modules.
build_ior='
    cp --recursive /source /tmp/ior
    cd /tmp/ior
    [ -e configure ] || ./bootstrap
    ./configure --prefix=/apps/ior CC=mpicc.openmpi
    make -j2 install
    rm -r /tmp/ior
    mkdir -p /apps/modulefiles/ior
    printf "#%%Module1.0\nprepend-path PATH /apps/ior/bin\n" > /apps/modulefiles/ior/4
'
make_host='
    printf "#!/bin/sh\nexit 101\n" > /usr/sbin/policy-rc.d
    chmod 755 /usr/sbin/policy-rc.d
    echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/unsafe-io
    apt-get update
    apt-get install --yes --no-install-recommends "$@"
    rm -r /usr/sbin/policy-rc.d /etc/dpkg/dpkg.cfg.d/unsafe-io /var/lib/apt/lists
    apt-get clean
    systemctl --root=/ disable mariadb slurmdbd
    if [ -e /source/configure.ac ]; then
        '"$build_ior"'
    fi
'
if ! podman image exists "$name"; then
    # shellcheck disable=SC2046 # the list is several words
    podman --runtime=runc run --network=host --name="$(basename "$work")" --volume="$work/ior:/source:ro" \
        --env=DEBIAN_FRONTEND=noninteractive --env=LC_ALL=C "$base" \
        sh -euc "$make_host" sh $(grep -v '^#' "$here/packages.txt") > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    podman commit --quiet "$(basename "$work")" "$name" > "$work/log"
fi
echo "$name"
