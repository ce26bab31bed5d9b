# shellcheck shell=bash
# The lock of the campaigns in one directory; campaign.sh and stop.sh source this file.
#
# It lies in CAMPAIGNS/.campaign, which only the user may enter whose campaigns these are, so nobody else can hold it, put a
# link there or name a process in it. `lock` is held by campaign.sh and by the ReFrame that it has started, as long as one of
# them lives. `holder` says who that is. `room` is there for a moment, while campaign.sh tries whether there is room.
#
# BOUNDED is how Slurm is asked, since a program of it may not end.
BOUNDED=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/bounded.sh

# Whoever has set options for Slurm's programs would hide jobs from them, or bind processes to other cores. What a job sets in
# which somebody starts a campaign is not for its jobs.
unset "${!SQUEUE_@}" "${!SINFO_@}" "${!SCANCEL_@}" "${!SLURM_CPU_BIND@}" "${!SLURM_MEM_BIND@}"
if [[ ${SLURM_JOB_ID:-} ]]; then
    for each in "${!SLURM_@}"; do
        [[ $each == SLURM_CONF ]] || unset "$each"
    done
fi

# What a campaign starts has ASSAY_CAMPAIGNS=CAMPAIGNS in its environment, by which it is found when all of that is gone.

# refuse_other_owner DIRECTORY: end where it belongs to another user.
refuse_other_owner() {
    [[ ! -O $1 ]] || return 0
    echo "$1 belongs to $(stat --format=%U "$1"), so campaigns in it are that user's; run this as root with" \
        "runuser --user=$(stat --format=%U "$1") --, or name a directory in one that $(id -un) owns" >&2
    exit 77
}

# others_in_group DIRECTORY: whether others than this user are in its group, which has the name of this user where nobody else
# is. An access control list lets anybody write, and shows as the rights of the group.
others_in_group() {
    local group members=
    [[ $(LC_ALL=C ls --directory --format=long -- "$1") != ??????????+* ]] || return 0
    group=$(stat --format=%G "$1")
    members=$(getent group "$group") || true
    members=${members##*:}
    [[ $group != "$(id -un)" || ${members:-$group} != "$group" ]]
}

# refuse_replaceable DIRECTORY: end where others could put something in the place of a directory on this path, which has no
# links in it. A group of several users may write above the directories of an ordinary user, as groups of projects do.
refuse_replaceable() {
    local place=$1 owner mode wrong trusted=" 0 $EUID "
    # In a user namespace, root of the host has this one.
    ((EUID == 0)) || trusted+="$(</proc/sys/kernel/overflowuid) "
    while [[ $place ]]; do
        read -r owner mode < <(stat --format='%u %a' "$place")
        wrong=
        if [[ $trusted != *" $owner "* ]]; then
            wrong="$(stat --format=%U "$place") owns"
        elif ((0$mode & 01000)); then
            : # others may add to it, and not take away
        elif ((0$mode & 0002)); then
            wrong="everybody may write"
        elif ((EUID == 0 && 0$mode & 0020)) && others_in_group "$place"; then
            wrong="the group $(stat --format=%G "$place") may write"
        fi
        if [[ $wrong ]]; then
            echo "$1 is not safe for campaigns of $(id -un): $wrong $place; name another directory, or change that" >&2
            exit 77
        fi
        place=${place%/*}
    done
}

# refuse_writable DIRECTORY: end where others may write into it.
refuse_writable() {
    local mode group
    read -r mode group < <(stat --format='%a %G' "$1")
    ((0$mode & 0002)) || { ((0$mode & 0020)) && others_in_group "$1"; } || return 0
    echo "$1 cannot hold campaigns: others than $(id -un) may write into it (its mode is $mode, its group $group); try" \
        "chmod go-w $1, or name another directory" >&2
    exit 77
}

# refuse_unsafe CAMPAIGNS: end where others could reach its lock.
refuse_unsafe() {
    refuse_other_owner "$1"
    refuse_replaceable "${1%/*}"
    refuse_writable "$1"
}

# private_place CAMPAIGNS: LOCK_PLACE is where its lock is; end where that is no directory of this user's alone.
private_place() {
    LOCK_PLACE=${1%/}/.campaign
    if [[ ! -d $LOCK_PLACE || -L $LOCK_PLACE || ! -O $LOCK_PLACE ]] ||
        ((0$(stat --format=%a "$LOCK_PLACE") & 0077)); then
        echo "$LOCK_PLACE must be a directory that only $(id -un) may enter: remove it" >&2
        exit 77
    fi
}

# start_of PROCESS: when it started, in ticks since the host did, which no change of the clock moves; nothing if there is none.
start_of() {
    local text
    local -a fields
    { read -r text <"/proc/$1/stat"; } 2>/dev/null || return 0
    # The command's name may hold blanks and brackets; starttime is the 20th field after it (proc(5)).
    read -ra fields <<<"${text##*) }"
    echo "${fields[19]}"
}

# remember DIRECTORY [SESSION]: write down who holds the lock, and the scale if there is one.
remember() {
    {
        echo "host $HOSTNAME"
        echo "script $$ $(start_of $$)"
        [[ ! ${2:-} ]] || echo "session $2 $(start_of "$2")"
        echo "campaign ${1##*/}"
        [[ ${scale:-none} == none ]] || echo "scale $scale"
    } >"$LOCK_PLACE/.holder"
    mv --no-target-directory "$LOCK_PLACE/.holder" "$LOCK_PLACE/holder"
}

# recall: HOLDER_host, HOLDER_script, HOLDER_session, HOLDER_campaign and HOLDER_scale, as they were written down; a session is
# the leader of its group of processes.
recall() {
    local key value
    # shellcheck disable=SC2034 # for who calls this
    HOLDER_host='' HOLDER_script='' HOLDER_session='' HOLDER_campaign='' HOLDER_scale=''
    [[ -f $LOCK_PLACE/holder ]] || return 0
    while read -r key value; do
        [[ $key != @(host|script|session|campaign|scale) ]] || printf -v "HOLDER_$key" %s "$value"
    done <"$LOCK_PLACE/holder"
}

# is_there PROCESS START: whether that process lives, and no other has its number.
is_there() {
    [[ ${2:-} && $(start_of "$1") == "$2" ]]
}

# holders: the processes of this user that have the lock open, but for this script's own.
holders() {
    local place open
    for place in /proc/[0-9]*; do
        [[ -O $place && ${place#/proc/} != "$$" && ${place#/proc/} != "$BASHPID" ]] || continue
        for open in "$place"/fd/*; do
            if [[ $open -ef $LOCK_PLACE/lock ]]; then
                echo "${place#/proc/}"
                break
            fi
        done
    done
}

# marked CAMPAIGNS: the processes of this user that campaigns there have started.
marked() {
    local place
    while read -r place; do
        place=${place%/environ}
        [[ ! -O $place || ${place#/proc/} == "$$" ]] || echo "${place#/proc/}"
    done < <(grep --files-with-matches --null-data --line-regexp --fixed-strings "ASSAY_CAMPAIGNS=$1" \
        /proc/[0-9]*/environ 2>/dev/null)
}

# tell SIGNAL PROCESS...: a process that stands still hears it, too.
tell() {
    (($# > 1)) || return 0
    kill -s "$@" 2>/dev/null || true
    kill -s CONT "${@:2}" 2>/dev/null || true
}

# end_marked CAMPAIGNS: end what campaigns there have left on this host.
end_marked() {
    local try
    local -a left
    for ((try = 0; try < 100; try++)); do
        mapfile -t left < <(marked "$1")
        ((${#left[@]})) || return 0
        case $try in
            0) tell TERM "${left[@]}" ;;
            50) tell KILL "${left[@]}" ;;
        esac
        sleep 0.1
    done
}

# jobs_of_campaigns: JOBS is a line for each job in Slurm of any campaign of this user: its number, and the directory it was
# sent from. Fails, with why, where Slurm does not say.
jobs_of_campaigns() {
    local answer job comment place
    JOBS=()
    type squeue >/dev/null 2>&1 || return 0 # servers that ssh reaches need no Slurm
    if ! answer=$(bash "$BOUNDED" squeue --noheader --user="$(id -un)" --format='%i|%k|%Z' 2>&1); then
        # Here it was never set up, so nobody has sent a job from here.
        [[ $answer != *"Could not establish a configuration source"* ]] || return 0
        answer=${answer##*$'\n'}
        echo "Slurm does not say which jobs there are (${answer:-its answer has no end})" >&2
        return 1
    fi
    while IFS='|' read -r job comment place; do
        [[ $comment != daos-assay ]] || JOBS+=("$job $place")
    done <<<"$answer"
}

# jobs_below CAMPAIGNS: BELOW is the numbers of those that were sent from there.
jobs_below() {
    local each
    BELOW=()
    jobs_of_campaigns || return
    for each in "${JOBS[@]}"; do
        [[ ${each#* }/ != "${1%/}"/* ]] || BELOW+=("${each%% *}")
    done
}

# cancel_jobs CAMPAIGNS: cancel them; one may have ended meanwhile.
cancel_jobs() {
    jobs_below "$1" || return
    ((${#BELOW[@]} == 0)) || bash "$BOUNDED" scancel "${BELOW[@]}" || true
}

# Where a check of the phase failure writes down what it takes away; only root, who runs these, may write there.
LEDGER=${ASSAY_LEDGER:-/var/lib/assay/failure.json}

# away: the ledger, if something is away that root may bring back; others see nothing there.
away() {
    ((EUID != 0)) || [[ ! -e $LEDGER ]] || echo "$LEDGER"
}

# bring_back: bring back what a check took away and did not bring back itself, or wait until it has; fails, with a sentence,
# where the system is not whole.
bring_back() {
    [[ $(away) ]] || return 0
    echo "a check has taken a part of the system away; it comes back now, which takes minutes" >&2
    "$(dirname "$(realpath "$(command -v reframe)")")/python3" "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/bring_back.py" "$LEDGER" >&2
}
