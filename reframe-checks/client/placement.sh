#!/bin/bash
# Say on which CPUs this process may run, and on which it is seen while it works for half a second.
while read -r key value; do
    [[ $key != Cpus_allowed_list: ]] || may=$value
done </proc/self/status

seen=()
end=$((SECONDS + 1))
while ((SECONDS < end)); do
    for ((i = 0; i < 20000; i++)); do :; done
    # Field 39, of which the second may hold spaces.
    read -r line </proc/self/stat
    read -r -a fields <<<"${line##*) }"
    seen[fields[36]]=1
done
echo "process $SLURM_PROCID: may run on $may, ran on ${!seen[*]}"
