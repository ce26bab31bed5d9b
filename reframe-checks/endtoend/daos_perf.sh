# shellcheck shell=bash
# empty_pool POOL COMMAND...: take away the containers without a label, which daos_perf leaves in the
# pool that it was given; COMMAND is DAOS's program `daos` with its options.
empty_pool() {
    local pool=$1 left
    shift
    # The label and the UUID; of a container without a label the UUID alone.
    left=$("$@" container list "$pool" 2>>"$RAW/containers.err" |
        awk 'NF == 1 && length($1) == 36 && $1 ~ /^[-0-9a-f]+$/ { print $1 }')
    for container in $left; do
        "$@" container destroy --force "$pool" "$container" >>"$RAW/containers.out" 2>>"$RAW/containers.err" || return
    done
}
