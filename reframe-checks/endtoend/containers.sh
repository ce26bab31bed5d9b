# shellcheck shell=bash
# Some benchmarks make containers of their own in the pool that they are given. Those are taken away;
# a container that was there before belongs to somebody else, whatever its label.
#
# In these functions LABEL is a regular expression of awk for the labels that a benchmark gives, in
# which an unlabelled container has the empty one, and COMMAND is DAOS's program `daos` with its options.

# containers LABEL POOL COMMAND...: the UUIDs of the containers with such labels, sorted.
containers() {
    local label=$1 pool=$2 listed
    shift 2
    listed=$(timeout --kill-after=5 60 "$@" container list "$pool" </dev/null 2>>"$RAW/containers.err") || return
    awk -v label="$label" '
        $NF ~ /^[-0-9a-f]+$/ && length($NF) == 36 && NF <= 2 && (NF == 2 ? $1 : "") ~ label { print $NF }
    ' <<<"$listed" | sort
}

# note_containers LABEL POOL COMMAND...: remember what lies in the pool; whatever comes, goes when the
# job ends.
note_containers() {
    containers "$@" >"$RAW/containers.before" ||
        refuse "daos did not list the containers of the pool $2, so those of the benchmark cannot be found" \
            "(do daos_agent here and the engines answer?): $(tail -n 1 "$RAW/containers.err")"
    finally "take_away ${*@Q}"
}

# none_before POOL: refuse where note_containers saw any: a benchmark that chooses its labels would
# write into them.
none_before() {
    [[ ! -s $RAW/containers.before ]] ||
        refuse "the pool $1 has containers with the benchmark's labels, probably of a killed job;" \
            "destroy them first: $(paste --serial --delimiters=' ' "$RAW/containers.before")"
}

# take_away LABEL POOL COMMAND...: destroy the containers with such labels that came since.
take_away() {
    local pool=$2 tries
    # A pool whose benchmark was killed stays busy until the agent has seen that it is gone.
    for ((tries = 0; ; tries++)); do
        containers "$@" >"$RAW/containers.after" && break
        ((tries < 10)) || return 1
        sleep 3
    done
    shift 2
    # Several at once: there may be hundreds.
    comm -13 "$RAW/containers.before" "$RAW/containers.after" |
        xargs --no-run-if-empty --max-procs=8 --replace \
            timeout --kill-after=5 60 "$@" container destroy --force "$pool" {} >>"$RAW/containers.out" 2>>"$RAW/containers.err"
}
