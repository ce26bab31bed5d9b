# shellcheck shell=bash
# Guards of a client of DAOS, sourced after steps.sh by checks whose programs are one: they refuse to measure something
# else than the described container, notice when that changes during the run, and remove what a subject made there.

# in_container POOL CONTAINER LIBRARY NAME: what the subject makes in a container of DAOS under names
# that begin with NAME goes away with it. LIBRARY is libpil4dfs.so, through which find sees the container
# in the place of an empty directory. After a step that hung it stays: the library asks every dfuse of
# the host for itself, and nobody can end a process that waits for one which does not answer.
in_container() {
    POOL=$1 CONTAINER=$2 LIBRARY=$3 MADE=$4
    finally leave_container
}

# leave_container: the end of in_container. (The library would leave find and rm alone by itself.)
leave_container() {
    local place
    [[ -z ${HUNG:-} ]] || return
    place=$(mktemp --directory)
    timeout --kill-after=5 60 env D_IL_NO_BYPASS=1 D_IL_MOUNT_POINT="$place" D_IL_POOL="$POOL" D_IL_CONTAINER="$CONTAINER" \
        LD_PRELOAD="$LIBRARY" find "$place" -maxdepth 1 -name "$MADE.*" -exec rm -rf {} + \
        </dev/null >"$RAW/left.out" 2>&1
    rmdir "$place"
}

# not_on_dfuse DIRECTORY POOL CONTAINER [LAUNCHER...]: what is mounted there in place of a dfuse of the
# container, by host, and nothing where all is well; fails where no host answers. dfuse itself says by an
# attribute which container it shows; a program that asks by the path would be answered for another.
not_on_dfuse() {
    local directory=$1 wanted=DAOS.POSIX://$2/$3 seen
    shift 3
    echo "the dfuse at $directory" >"$RAW/waiting" # for `assay progress`
    # /proc/mounts alone has the whole name of the type; of mounts over each other the last is seen. After engines have
    # restarted, the first request of a dfuse to each takes until DAOS's own limit of 60 s (seen in 2.8).
    # shellcheck disable=SC2016 # these are the inner shell's
    seen=$("$@" sh -c '
        type=$(awk -v at="$1" '"'"'$2 == at { type = $3 } END { print type ? type : "nothing" }'"'"' /proc/mounts)
        [ "$type" != fuse.daos ] ||
            type=$(timeout 75 python3 -c "import os, sys; print(os.getxattr(sys.argv[1], \"user.daos\").decode())" "$1" 2>/dev/null) ||
            type="a dfuse that does not report its container"
        echo "${SLURMD_NODENAME:-here} $type"
    ' sh "$directory")
    rm -f "$RAW/waiting"
    [[ -n $seen ]] || return 1
    awk -v wanted="$wanted" '{ host = $1; sub(/^[^ ]* /, "") } $0 != wanted { print $0 " on " host }' \
        <<<"$seen" | paste --serial --delimiters=, | sed 's/,/, /g'
}

# on_dfuse DIRECTORY POOL CONTAINER [LAUNCHER...]: refuse to take a local disk, or another container, for
# that of the description, here or on any host where the launcher starts a process: programs write to
# what lies below, and end well. POOL and CONTAINER are UUIDs. It is asked again when the subject ends.
on_dfuse() {
    local wrong
    wrong=$(not_on_dfuse "$@") || refuse "what is mounted at $1 is unknown: no host answered"
    [[ -z $wrong ]] || refuse "what is mounted at $1 is not a dfuse of the container (pool $2, container $3): $wrong;" \
        "mount it there (playbooks/daos.yml), or the figures would be of something else"
    finally "still_on_dfuse ${*@Q}"
}

# still_on_dfuse: the end of on_dfuse. What the job made in the container that took its place goes, too. Of a job
# that was cancelled no host may answer: then its steps show that it did not end well.
still_on_dfuse() {
    local directory=$1 wrong
    [[ -z ${HUNG:-} ]] || return
    if ! wrong=$(not_on_dfuse "$@"); then
        # shellcheck disable=SC2154 # `at_end` sets it: how the job ended
        ((status)) || echo "what was mounted at $directory at the end of the run is unknown: no host answered" >"$RAW/refusal"
        return
    fi
    [[ -n $wrong ]] || return
    echo "during the run something else was mounted at $directory: $wrong; it must remain the container of the" \
        "description (pool $2, container $3)" >"$RAW/refusal"
    shift 3
    [[ -z ${MADE:-} ]] || timeout --kill-after=5 60 "$@" find "$directory" -maxdepth 1 -name "$MADE.*" -exec rm -rf {} + \
        </dev/null >"$RAW/left.elsewhere.out" 2>&1
}

# attached HOSTS [LAUNCHER...] python3 attach.py ...: refuse to measure where the agent of any of so many hosts
# gives its clients another system, provider or interface than the description has, or does not answer. What
# each agent gives is in agents.out.
attached() {
    local hosts=$1 wrong count
    shift
    "$@" </dev/null >"$RAW/agents.out" 2>&1
    wrong=$(sed --quiet 's/^wrong: //p' "$RAW/agents.out" | sort | awk 'NR <= 3 { printf "%s%s", (NR > 1 ? "; " : ""), $0 }')
    [[ -z $wrong ]] || refuse "$wrong; see agents.out, daos_agent.yml and the description of the cluster"
    count=$(grep --count '^as described: ' "$RAW/agents.out")
    ((count == hosts)) || refuse "what daos_agent gives to clients is unknown: $count of $hosts hosts answered;" \
        "see agents.out: $(tail -n 1 "$RAW/agents.out")"
}

# same_agent [LAUNCHER...]: remember which daos_agent answers, here or on each host where the launcher starts
# a process, and say when the subject ends where it restarted: an agent that ends closes the handles of
# its clients, who then only report an invalid handle.
same_agent() {
    AGENTS=$(agents "$@")
    [[ $AGENTS ]] || refuse "which daos_agent answers the clients is unknown: no host answered"
    finally "still_same_agent ${*@Q}"
}

# agents [LAUNCHER...]: the socket at which clients find the agent of each host. Each agent makes its own; processes
# would not do, since one that ends may still be there beside the next, and others belong to containers.
agents() {
    # shellcheck disable=SC2016 # these are the inner shell's
    "$@" sh -c 'echo "${SLURMD_NODENAME:-here} $(
        stat --format="%d %i %.9Z" "${DAOS_AGENT_DRPC_DIR:-/var/run/daos_agent}/daos_agent.sock" || echo none)"' \
        </dev/null 2>/dev/null | sort
}

still_same_agent() {
    local other
    other=$(comm -13 <(echo "$AGENTS") <(agents "$@") | cut --delimiter=" " --fields=1 | paste --serial --delimiters=" ")
    [[ -z $other || -e $RAW/refusal ]] ||
        echo "daos_agent restarted or ended during the run: $other; when it ends, it closes the handles of its clients" \
            >"$RAW/refusal"
}

# spread NODE...: export CPUS, a core for each process of fio, on these NUMA nodes. An agent gives a process that may run
# on several nodes the rails of the first of them.
spread() {
    export CPUS
    CPUS=$(cores "$@")
    [[ -n $CPUS ]] || refuse "the cores of the NUMA nodes $* are unknown: $NODES lists none"
}
