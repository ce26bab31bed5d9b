#!/bin/bash -p
# stop.sh CAMPAIGNS: end the campaign that is running in the directory CAMPAIGNS, with its job, and name it; also what a campaign left
# there whose campaign.sh, ReFrame or both were killed. What a check of the phase failure took away comes back. Does nothing where
# there is none of these. It runs on the host on which campaign.sh was started. Ends with 75 on another, with 64 where arguments are
# wrong, with 66 where there is no such directory, with 77 where it is another user's or others can reach its lock, and with 1 where
# something does not end or does not come back, or Slurm does not say whether a job runs on.
#
# ASSAY_ENVIRONMENT names the environment where it is not /etc/assay/environment.sh.
set -eu
unset BASH_ENV BASH_COMPAT BASH_XTRACEFD ENV POSIXLY_CORRECT LD_PRELOAD LD_AUDIT "${!PYTHON@}"
export -n SHELLOPTS BASHOPTS
if (($# != 1)) || [[ ! $1 ]]; then
    echo "usage: stop.sh CAMPAIGNS; the directory that has the directories of the campaigns" >&2
    exit 64
fi
campaigns=$(realpath --canonicalize-missing -- "$1")
if [[ ! -d $campaigns ]]; then
    echo "there is no directory $campaigns; name the one that has the directories of the campaigns" >&2
    exit 66
fi
if [[ ! -e $campaigns/.campaign && -e ${campaigns%/*}/.campaign ]]; then
    echo "$campaigns is a campaign; name the directory that has it: ${campaigns%/*}" >&2
    exit 64
fi

# shellcheck source=/dev/null # it is written by the role `reframe`
. "${ASSAY_ENVIRONMENT:-/etc/assay/environment.sh}"
# shellcheck source=reframe-checks/lock.sh
. "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/lock.sh"

nothing_runs() {
    if [[ $(away) ]]; then
        bring_back
        exit
    fi
    echo "no campaign is running in $campaigns" >&2
    exit 0
}
refuse_unsafe "$campaigns"
[[ -e $campaigns/.campaign || -L $campaigns/.campaign ]] || nothing_runs
private_place "$campaigns"
[[ -f $LOCK_PLACE/lock ]] || nothing_runs
# For writing, which NFS requires of who locks exclusively.
exec 9<>"$LOCK_PLACE/lock"
recall

# From here on no other campaign begins, whether the lock was free or is set free.
silent=
if flock --nonblock 9; then
    jobs_below "$campaigns" || silent=yes
    [[ $silent || $(marked "$campaigns") || ${BELOW[*]} ]] || nothing_runs
else
    if [[ ${HOLDER_host:=$HOSTNAME} != "$HOSTNAME" ]]; then
        echo "the campaign in $campaigns was started on $HOLDER_host: end it there" >&2
        exit 75
    fi
    mapfile -t holding < <(holders)
    # campaign.sh ends ReFrame, which cancels its job and writes its report. Where it was killed, ReFrame is told so itself.
    read -r script started <<<"$HOLDER_script"
    if is_there "$script" "$started" && [[ " ${holding[*]} " == *" $script "* ]]; then
        tell TERM "$script"
    else
        tell TERM "${holding[@]}"
    fi
    if ! flock --timeout 60 9; then
        read -r session started <<<"$HOLDER_session"
        ! is_there "$session" "$started" || tell KILL "-$session"
        mapfile -t holding < <(holders)
        tell KILL "${holding[@]}"
        if ! flock --timeout 10 9; then
            echo "the campaign in $campaigns does not end; its processes: ${holding[*]:-none on this host}" >&2
            exit 1
        fi
    fi
fi
[[ $silent ]] || cancel_jobs "$campaigns" || silent=yes
end_marked "$campaigns"
# What measures next, or starts an engine, must not meet them.
for ((try = 0; try < 60; try++)); do
    [[ ! $silent ]] || break
    jobs_below "$campaigns" || silent=yes
    ((${#BELOW[@]})) || break
    sleep 1
done
bring_back || exit 1
if [[ $silent ]]; then
    echo "nothing of a campaign in $campaigns runs on this host any more, but a job of it may run on: stop again when Slurm" \
        "answers" >&2
    exit 1
fi
if ((${#BELOW[@]})); then
    echo "the campaign was ended, but its job ${BELOW[0]} does not end: scontrol show job ${BELOW[0]}" >&2
    exit 1
fi
echo "the campaign was ended${HOLDER_scale:+, at the scale $HOLDER_scale}:" >&2
echo "$HOLDER_campaign"
