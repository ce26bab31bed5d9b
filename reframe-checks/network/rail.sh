#!/bin/bash
# rail.sh CLASS INTERFACE_VARIABLE DOMAIN_VARIABLE HOST=RAIL,RAIL... -- COMMAND...: run COMMAND, a client
# of DAOS, on a rail of this host, and on the cores of that rail's NUMA node. The first process of a step
# on a host takes the first rail, the second the next. The agent would give any rail of its node in turn.
# The domain is the card's device of a CLASS: net, which is the rail itself, infiniband or cxi.
class=$1 interface_variable=$2 domain_variable=$3
shift 3
SYSFS=${SYSFS-/sys}

rails=()
while [[ $1 != -- ]]; do
    [[ ${1%%=*} != "$SLURMD_NODENAME" ]] || IFS=, read -ra rails <<<"${1#*=}"
    shift
done
shift
if ((${#rails[@]} == 0)); then
    echo "rail.sh: no rail is described for $SLURMD_NODENAME" >&2
    exit 1
fi
rail=${rails[${SLURM_LOCALID-0} % ${#rails[@]}]}
card=$SYSFS/class/net/$rail/device
if [[ ! -e $SYSFS/class/net/$rail ]]; then
    echo "rail.sh: $SLURMD_NODENAME has no interface $rail" >&2
    exit 1
fi

export "$interface_variable=$rail" "$domain_variable=$rail"
for device in "$card/$class"/*; do
    [[ $class == net || ! -e $device ]] || export "$domain_variable=${device##*/}"
done

node=$(cat "$card/numa_node" 2>/dev/null)
cores=$SYSFS/devices/system/node/node$node/cpulist
[[ ! -r $cores ]] || exec taskset --cpu-list "$(<"$cores")" "$@"
exec "$@"
