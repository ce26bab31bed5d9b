#!/bin/sh
# leftovers.sh BEFORE ENGINES: remove what engines leave when they end, and print it.
# BEFORE lists what was there before the first deployment, as the role `daos` has noted it; that stays.
set -eu
before=$1 engines=$2

noted() {
    grep --quiet --line-regexp --fixed-strings "$1" "$before" 2> /dev/null
}

# Telemetry: a segment for each engine, whose key is 0x10242048 and its number (D_TM_SHARED_MEMORY_KEY of DAOS's
# gurt/telemetry_common.h), and one for each pool, whose key is a digest; the same process has made them (cpid).
# Nobody is attached to any of them (nattch).
awk -v engines="$engines" '
    $1 == "key" { next }
    FNR == NR { if ($1 >= 270803016 && $1 < 270803016 + engines) made_by[$5]; next }
    $7 == 0 && $5 in made_by { print $2 }
' /proc/sysvipc/shm /proc/sysvipc/shm | while read -r segment; do
    noted "shm $segment" || { ipcrm --shmem-id "$segment" && echo "shared memory segment $segment"; }
done

# Files of SPDK, a directory for each process.
for directory in /run/dpdk/spdk_pid*; do
    pid=${directory##*/spdk_pid}
    if [ -d "$directory" ] && [ ! -e "/proc/$pid" ] && ! noted "path $directory"; then
        rm -r "$directory"
        echo "$directory"
    fi
done
if [ -d /run/dpdk ] && ! noted "path /run/dpdk"; then
    rmdir --ignore-fail-on-non-empty /run/dpdk
    [ -d /run/dpdk ] || echo /run/dpdk
fi
