#!/bin/bash
# interfaces.sh LOG CONFIGURATION NODES[xTIMES] DAOS...: let the command DAOS ask DAOS's agent for the
# way to the system on each of so many NUMA nodes, once or so many times, then print what the agent
# logged meanwhile, and before it how its configuration says that it caches.
# shellcheck source=/dev/null # it lies beside this one where both run
. ./steps.sh
log=$1 configuration=$2 nodes=${3%x*} times=1
[[ $3 != *x* ]] || times=${3#*x}
shift 3

grep --extended-regexp '^(disable_caching|cache_expiration):' "$configuration"
if [[ ! -r $log ]]; then
    echo "$log cannot be read: is there an agent, and may $(id -un) read what it logs?" >&2
    exit 1
fi
end=$(stat --format=%s "$log")
asked="^$"
for ((ask = 0; ask < nodes * times; ask++)); do
    node=$((ask / times))
    # All of its cores, since the first of them may be that of an engine's service, or of the system.
    taskset --cpu-list "$(</sys/devices/system/node/node"$node"/cpulist)" "$@" >/dev/null &
    asked+="|pid:$![: ]"
    wait "$!" || exit
done
# Whoever else asked meanwhile is none of ours.
tail --bytes="+$((end + 1))" "$log" | awk -v asked="$asked" '! / iface:/ || $0 ~ asked'
