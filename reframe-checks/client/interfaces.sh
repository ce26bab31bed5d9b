#!/bin/bash
# interfaces.sh LOG CONFIGURATION NODES DAOS...: let the command DAOS ask DAOS's agent for the way to
# the system on each of so many NUMA nodes, then print what the agent logged meanwhile, and before it
# how its configuration says that it caches.
# shellcheck source=/dev/null # it lies beside this one where both run
. ./steps.sh
log=$1 configuration=$2 nodes=$3
shift 3

grep --extended-regexp '^(disable_caching|cache_expiration):' "$configuration"
if [[ ! -r $log ]]; then
    echo "$log cannot be read: is there an agent, and may $(id -un) read what it logs?" >&2
    exit 1
fi
end=$(stat --format=%s "$log")
for ((node = 0; node < nodes; node++)); do
    timeout --kill-after=5 30 taskset --cpu-list "$(cores "$node")" "$@" >/dev/null || exit
done
tail --bytes="+$((end + 1))" "$log"
