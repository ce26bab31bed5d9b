#!/bin/bash
# stop.sh CAMPAIGNS: end the campaign that is running in the directory CAMPAIGNS, with its job, and name it. Does nothing where none
# is running. It runs on the host on which campaign.sh was started. Ends with 75 on another, with 64 where arguments are wrong, and
# with 66 where there is no such directory.
#
# ASSAY_ENVIRONMENT names the environment where it is not /etc/assay/environment.sh.
set -eu
if (($# != 1)); then
    echo "usage: stop.sh CAMPAIGNS; the directory that has the directories of the campaigns" >&2
    exit 64
fi
campaigns=$(realpath --canonicalize-missing "$1")
if [[ ! -d $campaigns ]]; then
    echo "there is no directory $campaigns; name the one that has the directories of the campaigns" >&2
    exit 66
fi
if [[ ! -e $campaigns/.lock && -e ${campaigns%/*}/.lock ]]; then
    echo "$campaigns is a campaign; name the directory that has it: ${campaigns%/*}" >&2
    exit 64
fi

# shellcheck source=/dev/null # it is written by the role `reframe`
. "${ASSAY_ENVIRONMENT:-/etc/assay/environment.sh}"

nothing_runs() {
    echo "no campaign is running in $campaigns" >&2
    exit 0
}
[[ -e $campaigns/.lock ]] || nothing_runs
# For writing, which NFS requires of who locks exclusively.
exec 9<>"$campaigns/.lock"
! flock --nonblock 9 || nothing_runs
read -r process host <"$campaigns/.lock" || true
if [[ ${host:=$HOSTNAME} != "$HOSTNAME" ]]; then
    echo "the campaign in $campaigns was started on $host: end it there" >&2
    exit 75
fi
# campaign.sh runs in the campaign's directory.
directory=$(readlink "/proc/$process/cwd" || true)
# ReFrame is its child, holds the lock as well, and may outlive it.
children=()
read -ra children <"/proc/$process/task/$process/children" || true
# It ends ReFrame, which cancels its job and writes its report.
kill -TERM "$process"
if ! flock --timeout 60 9; then
    kill -KILL "$process" "${children[@]}" 2>/dev/null || true
    flock --timeout 10 9
fi
squeue --noheader --user="$(id -un)" --format='%i|%k|%Z' |
    while IFS='|' read -r job comment place; do
        [[ $comment != daos-assay || $place/ != "$campaigns"/* ]] || scancel "$job"
    done
echo "the campaign was ended:" >&2
echo "${directory##*/}"
