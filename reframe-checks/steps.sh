# shellcheck shell=bash
# What the job scripts of the checks are made of; each script sources this file.
#
# Every step leaves, under $RAW (one directory a subject), its output NAME.out, its messages
# NAME.err, and a line in steps.tsv: name, exit status, start and end in seconds since the epoch.
# Slurm without accounting does not report how a job ended, so this record is what sanity judges by.
set -u

# Whoever started the campaign may have another language, in which bash writes $EPOCHREALTIME with a
# comma, and a program may speak to its user.
export LC_ALL=C

# told_to_end: what a script, and a subject in it, does at a signal that ends it. What it has started
# ends first: a program would make files behind the back of what takes them away, and when a script has
# ended Slurm kills at once what is left of it.
told_to_end() {
    trap "" TERM INT
    pkill --parent "$BASHPID"
    wait
    exit 143
}
trap told_to_end TERM INT

# Keep the raw output of a subject (a host, a pair) apart from that of the others.
subject() {
    trap told_to_end TERM INT
    RAW=$PWD/raw/$1
    mkdir -p "$RAW"
}

# refuse WORD...: end the script with a sentence that says why nothing is measured.
refuse() {
    echo "$*" >"$RAW/refusal"
    exit 1
}

# prolog FILE: read what the site sets up for its programs, as a shell does.
prolog() {
    # Whatever ends the script there.
    echo "the prolog $1 ended the job on ${SLURMD_NODENAME:-$HOSTNAME}; see prolog.out" >"$RAW/refusal"
    set +u
    # shellcheck source=/dev/null # it is the site's
    . "$1" >"$RAW/prolog.out" 2>&1 ||
        refuse "the prolog $1 failed on ${SLURMD_NODENAME:-$HOSTNAME}: $(tail -n 1 "$RAW/prolog.out")"
    set -u
    rm "$RAW/refusal"
}

# load_modules MODULE...: refuse to measure without one of them. Older programs for modules exit 0 where there is none
# of a name; all of them list in LOADEDMODULES what is loaded.
load_modules() {
    local module file
    if [[ $(type -t module) != function ]]; then
        # What a login shell reads. A job that cron has submitted inherits no function of one.
        set +u
        for file in /etc/profile.d/*mod*.sh; do
            # shellcheck source=/dev/null # it is the site's
            [[ ! -r $file ]] || . "$file" >/dev/null 2>&1
        done
        set -u
    fi
    [[ $(type -t module) == function ]] ||
        refuse "there is no command module on ${SLURMD_NODENAME:-$HOSTNAME}; name the file that defines it as the prolog" \
            "(slurm.prolog in the description of the cluster)"
    set +u
    for module in "$@"; do
        module load "$module" >>"$RAW/modules.out" 2>&1
        [[ :$LOADEDMODULES: == *":$module:"* || :$LOADEDMODULES: == *":$module/"* ]] ||
            refuse "the module $module cannot be loaded on ${SLURMD_NODENAME:-$HOSTNAME}:" \
                "$(grep . "$RAW/modules.out" | tail -n 1)"
    done
    set -u
}

# engines_stopped PHASE [HOSTS LAUNCHER...]: refuse to measure beside an engine, here or where the launcher
# starts its processes, of which as many hosts have to answer.
engines_stopped() {
    local phase=$1 hosts=${2:-1} answers count running
    shift $(($# > 1 ? 2 : 1))
    # pgrep also says 0, and fails, where there is none.
    answers=$("$@" pgrep --count --exact daos_engine 2>/dev/null)
    read -r count running < <(awk '/^[0-9]+$/ { sum += $1; count++ } END { print count + 0, sum + 0 }' <<<"$answers")
    ((running == 0)) ||
        refuse "$running engines of DAOS are running here and would disturb the measurement; this check needs" \
            "the phase $phase: playbooks/phase.yml with -e assay_phase=$phase"
    ((count == hosts)) ||
        refuse "whether an engine of DAOS is running here is unknown: $count of $hosts hosts answered;" \
            "is pgrep installed there?"
}

# mounted DIRECTORY: refuse to measure a directory on which nothing is mounted.
mounted() {
    mountpoint --quiet "$1" || refuse "nothing is mounted at $1; this check needs the phase scm:" \
        "playbooks/phase.yml with -e assay_phase=scm"
}

# Where the kernel lists the cores of NUMA nodes.
NODES=/sys/devices/system/node

# cores NODE...: for each NUMA node that is named a core of it, another one each time while there are
# more, as `taskset --cpu-list` takes them. They ascend with the nodes where they can: a mask of cores
# has no order, and SPDK gives the first device the lowest core. (On many servers even cores are of one
# node, and odd ones of the other.)
cores() {
    local node range core last=-1 list=""
    local -A taken=()
    for node in "$@"; do
        local -a there=()
        for range in $(tr , " " <"$NODES/node$node/cpulist"); do
            mapfile -t -O "${#there[@]}" there < <(seq "${range%-*}" "${range#*-}")
        done
        for core in "${there[@]}"; do
            ((core > last)) && break
            core=
        done
        [[ -n $core ]] || core=${there[taken[$node]++ % ${#there[@]}]}
        last=$core
        list+=,$core
    done
    tr , "\n" <<<"${list#,}" | sort --numeric-sort --unique | paste --serial --delimiters=,
}

# either PROGRAM...: the first of these programs that is here; the first of all if none is.
either() {
    command -v "$@" | head -n 1 | grep . || echo "$1"
}

# finally COMMAND: run it when the subject ends, however it ends; a signal to all does not reach it. Of
# several the last one runs first.
finally() {
    FINALLY=("$1" "${FINALLY[@]}")
    trap at_end EXIT
}
FINALLY=()

at_end() {
    local status=$? command
    trap "" TERM INT
    for command in "${FINALLY[@]}"; do
        eval "$command"
    done
}

# forget_openmpi SINCE: remove what an Open MPI 4 that a signal has ended leaves in the memory of this host: its directory
# and the segments that its ranks shared. Nothing is removed that is older, in seconds since the epoch, or that a process
# still has.
forget_openmpi() {
    local each since=$1
    for each in "${TMPDIR:-/tmp}"/ompi.*."$UID"/pid.*; do
        [[ ! -O $each || -e /proc/${each##*.} || -z $(find "$each" -maxdepth 0 -newermt "@$since") ]] || rm -rf "$each"
    done
    for each in /dev/shm/vader_segment.*."$UID".*; do
        [[ ! -O $each || -z $(find "$each" -newermt "@$since") ]] || grep --quiet --no-messages "$each" /proc/[0-9]*/maps ||
            rm -f "$each"
    done
    rmdir "${TMPDIR:-/tmp}"/ompi.*."$UID" 2>/dev/null
}

# scratch DIRECTORY NEED_MIB: make $SCRATCH for this job, which goes away with it.
# Refuses before the first write where there is no room.
scratch() {
    local room mine
    room=$(df --output=avail --block-size=1M "$1" 2>/dev/null | tail -n 1 | tr -d " ")
    if [[ -z $room ]]; then
        refuse "the directory $1 does not exist; create it, or name another"
    fi
    if ((room < $2)); then
        refuse "$1 has room for $room MiB, but $2 MiB are needed; free some, or name another directory"
    fi
    # The job has the host to itself: what lies there was left by a job that was killed.
    mine=assay.$(id -un).${SLURMD_NODENAME:-$HOSTNAME}
    export SCRATCHES=$mine
    find "$1" -maxdepth 1 -name "$mine.*" -exec rm -rf {} +
    SCRATCH=
    # shellcheck disable=SC2016 # with the directory that it is by then
    finally 'rm -rf "$SCRATCH"'
    SCRATCH=$(mktemp --directory "$1/$mine.XXXXXX" 2>"$RAW/scratch.err") ||
        refuse "$(id -un) cannot make a directory in $1: $(<"$RAW/scratch.err"); where a host restarted, deploy again"
    rm "$RAW/scratch.err"
    export SCRATCH
}

# step NAME LIMIT_SECONDS COMMAND... [: COMMAND...]: run it, keep what it printed, and end the script
# if it fails. Commands between single colons run at once, and a line of one of several is labelled
# with its number, as `srun --label` does.
step() {
    local name=$1 limit=$2 status=0 start=$EPOCHREALTIME began=$SECONDS
    shift 2
    local -a command=() children=()
    local word
    for word in "$@" :; do
        if [[ $word != : ]]; then
            # One more than it means, as it is no separator.
            [[ -z $word || -n ${word//:/} ]] || word=${word#:}
            command+=("$word")
            continue
        fi
        timeout --kill-after=5 "$limit" "${command[@]}" </dev/null \
            >"$RAW/$name.${#children[@]}.out" 2>"$RAW/$name.${#children[@]}.err" &
        children+=($!)
        command=()
    done
    for word in "${children[@]}"; do
        wait "$word" || status=$?
    done
    local end=$EPOCHREALTIME took=$((SECONDS - began))
    gather "$name" out "${#children[@]}"
    gather "$name" err "${#children[@]}"
    printf '%s\t%d\t%s\t%s\n' "$name" "$status" "$start" "$end" >>"$RAW/steps.tsv"
    read_engines "$name"
    ((status)) || return 0
    # An MPI launcher also exits with 137 if it kills the other ranks after one failed.
    # shellcheck disable=SC2034 # daos_client.sh reads it
    ((status == 124 || status == 137 && took >= limit)) && HUNG=$name
    exit 1
}

# counting_reads COMMAND...: run a step, and keep in NAME.read_bytes how much its processes read from storage. The kernel
# adds what a process read to the count of the parent that waited for it; a page that was in memory counts nothing.
counting_reads() {
    local before READ_BYTES
    read_so_far
    before=$READ_BYTES
    "$@"
    read_so_far
    [[ -z $before || -z $READ_BYTES ]] || echo $((READ_BYTES - before)) >"$RAW/$2.read_bytes"
}

# Where the kernel counts for the process that opens it.
COUNTS=/proc/self/io

# read_so_far: the count of this shell itself, which a substitution of a command would not have.
read_so_far() {
    local key value
    READ_BYTES=
    while read -r key value; do
        [[ $key != read_bytes: ]] || READ_BYTES=$value
    done 2>/dev/null <"$COUNTS"
}

# watch_engines PATTERN HOST=URL...: from now on read the engines' metrics, at once and after each step of the
# subject: what a step did to them is the difference to the reading before it.
watch_engines() {
    ENGINES=("$@")
    read_engines start
}
ENGINES=()

# read_engines NAME: read them into NAME.engines.gz, if they are watched. No figure fails by what they say, or do
# not say; why nothing was read is in NAME.engines.err.
read_engines() {
    ((${#ENGINES[@]})) || return 0
    timeout --kill-after=5 60 python3 -B read_engines.py "$RAW/$1.engines.gz" "${ENGINES[@]}" \
        </dev/null >/dev/null 2>"$RAW/$1.engines.err" && rm "$RAW/$1.engines.err"
    return 0
}

# save FILE TEXT: make a file that holds the text.
save() {
    printf '%s' "$2" >"$1"
}

# json TEXT: say it as a string of JSON. (There are no control characters in paths: the preflight refuses them.)
json() {
    local text=${1//\\/\\\\}
    printf '"%s"' "${text//\"/\\\"}"
}

# gather NAME KIND COUNT: make one file of what COUNT processes printed.
gather() {
    local process
    if (($3 == 1)); then
        mv "$RAW/$1.0.$2" "$RAW/$1.$2"
        return
    fi
    for ((process = 0; process < $3; process++)); do
        sed "s/^/$process: /" "$RAW/$1.$process.$2"
        rm "$RAW/$1.$process.$2"
    done >"$RAW/$1.$2"
}

# evict NAME DIRECTORY: put its files on the disk and out of the page cache, so that what is read
# next is read from the disk; NAME.resident says how many bytes stayed in the cache all the same,
# and says nothing where fincore did not look at every file. Empty files have nothing there: mdtest
# leaves hundreds of thousands.
evict() {
    local files try
    files=$(find "$2" -type f -size +0c | wc -l)
    # The kernel skips what something else holds at that moment, and drops it a little later.
    for try in 1 2 3; do
        ((try == 1)) || sleep 0.2
        # Each in its turn: what is not on the disk yet stays in the cache. (`+` would wait to the end.)
        find "$2" -type f -size +0c -exec sync {} \; -exec dd if={} iflag=nocache count=0 status=none \;
        find "$2" -type f -size +0c -exec fincore --bytes --noheadings --output RES {} + |
            awk -v files="$files" '{ bytes += $1 } END { if (NR && NR == files) print bytes }' \
                >"$RAW/$1.resident"
        [[ $(<"$RAW/$1.resident") -gt 0 ]] || break
    done
}
