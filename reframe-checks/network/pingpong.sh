#!/bin/bash
# pingpong.sh HOST SERVER... -- CLIENT...: measure between HOST, which runs SERVER, and the other
# host of this Slurm step, which runs CLIENT. Where this runs once, HOST runs both, in a network of
# its own. What is printed is the client's.
host=$1
shift
server=()
while [[ $1 != -- ]]; do
    server+=("$1")
    shift
done
shift

# Run the client as soon as its server listens; until then it ends with 111, ECONNREFUSED.
client() {
    local tries status=111 output
    for ((tries = 0; tries < 200 && status == 111; tries++)); do
        output=$("$@" 2>&1)
        status=$?
        ((status != 111)) || sleep 0.05
    done
    printf '%s\n' "$output"
    return "$status"
}

if [[ ${SLURM_STEP_NUM_TASKS-1} == 1 ]]; then
    ip link set lo up
    "${server[@]}" >/dev/null &
    client "$@"
elif [[ $SLURMD_NODENAME == "$host" ]]; then
    exec "${server[@]}" >/dev/null
else
    client "$@"
fi
