#!/bin/bash -p
# campaign.sh [--until-decided] [--more-hours=HOURS] [--checks=NAME,...] DIRECTORY TAG...: run the checks that carry all TAGs,
# and none after a !, and keep everything in DIRECTORY. What a campaign in that directory has measured already is not measured
# again.
#
# With --until-decided each check takes its first samples, and a second round takes the others of the checks whose verdicts
# these leave open. With --more-hours up to three further rounds measure the checks again whose verdicts are open, as long as
# these hours of the whole campaign suffice. With --checks only these run.
#
# One campaign at a time: two would measure each other. What an interrupted one left running beside DIRECTORY is
# ended first. Ends with ReFrame's exit status, with 64 where arguments are wrong or missing, with 66 where there is no
# environment, with 69 where no check is selected, with 73 where there is no place or no room, with 75 where another campaign is
# running, with 68 where Slurm does not say which jobs there are, or with 77 where DIRECTORY would lie among those of another user.
# ASSAY_ENVIRONMENT names the environment where it is not /etc/assay/environment.sh.
set -eu
# What makes the loader, a shell or Python run something else first is not for those that measure, nor are options of shells.
# (-p: nor are they for this shell. IFS is no matter; bash takes none from its environment.)
unset BASH_ENV BASH_COMPAT BASH_XTRACEFD ENV POSIXLY_CORRECT LD_PRELOAD LD_AUDIT "${!PYTHON@}"
export -n SHELLOPTS BASHOPTS
until_decided=
more_hours=
checks=
while [[ ${1:-} == --* ]]; do
    case $1 in
        --until-decided) until_decided=yes ;;
        --more-hours=*)
            more_hours=${1#*=}
            if [[ ! $more_hours =~ ^[0-9]{1,3}(\.[0-9]{1,3})?$ ]]; then
                echo "$1 should be a number of hours, as --more-hours=1.5" >&2
                exit 64
            fi
            [[ $more_hours =~ [1-9] ]] || more_hours=
            ;;
        --checks=[A-Za-z]*) checks=${1#*=} ;;
        --help)
            sed -n '2,/^set /{/^#/s/^# \?//p}' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *)
            echo "unknown option $1; choose from: --until-decided, --more-hours=HOURS, --checks=NAME,..., --help" >&2
            exit 64
            ;;
    esac
    shift
done
if (($# < 2)) || [[ ! $1 ]]; then
    echo "usage: campaign.sh [--until-decided] [--more-hours=HOURS] [--checks=NAME,...] DIRECTORY TAG...; tags are" \
        "names such as quick and network, or such a name after a !" >&2
    exit 64
fi
directory=$(realpath --canonicalize-missing "$1")
if [[ $directory == / ]]; then
    echo "/ cannot be a directory for results; name one below it" >&2
    exit 64
fi
shift
# ReFrame selects nothing by a tag that no check has, and ends well.
known=(quick acceptance network scm ssd client endtoend metadata raw system failure root)
scale=none
for tag; do
    if [[ " ${known[*]} " != *" ${tag#!} "* ]]; then
        echo "unknown tag $tag; choose from: ${known[*]}" >&2
        exit 64
    fi
    [[ $tag != @(quick|acceptance) ]] || scale=$tag
done

environment=${ASSAY_ENVIRONMENT:-/etc/assay/environment.sh}
if [[ ! -r $environment || -d $environment ]]; then
    echo "$environment cannot be read: deploy this host, read the environment.sh that assay describe has written, or" \
        "name it with ASSAY_ENVIRONMENT" >&2
    exit 66
fi
# As for `assay`, a description that is named counts for more than that of the environment.
cluster=${ASSAY_CLUSTER:-}
# shellcheck source=/dev/null # it is written by the role `reframe`
. "$environment"
[[ ! $cluster ]] || export ASSAY_CLUSTER=$cluster

# Nobody but this user and the group reads what is measured; nobody but this user writes where the files below are opened by
# their names, nor on the path to them.
umask 027
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=reframe-checks/lock.sh
. "$here/lock.sh"
# ReFrame measures the others of a list that has one unknown name, and ends well.
for check in ${checks//,/ }; do
    if ! grep --quiet --recursive --include='*.py' --fixed-strings "class $check(" "$here"; then
        echo "unknown check $check; . $environment && reframe --list names those of this cluster" >&2
        exit 64
    fi
done
parent=${directory%/*}
parent=${parent:-/}
above=$parent
while [[ ! -e $above ]]; do
    above=${above%/*}
    above=${above:-/}
done
[[ $above != "$parent" ]] || refuse_other_owner "$parent"
refuse_replaceable "$above"
if ! wrong=$(mkdir -p "$parent" 2>&1); then
    echo "$parent cannot be made (${wrong##*: }); name another directory" >&2
    exit 73
fi
refuse_unsafe "$parent"
if [[ -e $directory ]]; then
    refuse_other_owner "$directory"
    if [[ ! -d $directory ]]; then
        echo "$directory cannot be a directory for results: it is a file; name another" >&2
        exit 73
    fi
    # A sign-off takes figures of one scale alone, and comes hours later.
    begun=
    if [[ -f $directory/reframe.out && ! -L $directory/reframe.out ]]; then
        begun=$(sed -n 's/^\[ RUN .* %scale=\([a-z]*\) .*/\1/p;T;q' "$directory/reframe.out")
    fi
    if [[ $begun && $scale != none && $scale != "$begun" ]]; then
        echo "$directory was begun at the scale $begun, and cannot be resumed at $scale: resume it with" \
            "-e assay_scale=$begun of ansible-playbook (by hand, with the tag $begun), or name another campaign" >&2
        exit 64
    fi
fi
if [[ ! -w $parent ]]; then
    echo "$parent cannot hold results: it is not writable; name another directory" >&2
    exit 73
fi
printf -v stop 'ASSAY_ENVIRONMENT=%q %q %q' "$environment" "$here/stop.sh" "$parent"
no_room() {
    echo "$parent has no room for results (${1##*: }); free some, or name another directory" >&2
    exit 73
}
if ! type -P reframe >/dev/null; then
    echo "$environment brings no reframe: deploy this host, or read the environment.sh that assay describe has written" >&2
    exit 66
fi
if [[ ! -e $parent/.campaign && ! -L $parent/.campaign ]]; then
    # Another campaign may begin at this moment.
    wrong=$(mkdir --mode=700 "$parent/.campaign" 2>&1) || [[ -d $parent/.campaign ]] || no_room "$wrong"
fi
private_place "$parent"
wrong=$( (: >>"$LOCK_PLACE/lock") 2>&1) || no_room "$wrong"
exec 9>>"$LOCK_PLACE/lock"
recall
if ! flock --nonblock 9; then
    echo "another campaign is running (process ${HOLDER_script%% *} on $HOLDER_host); wait for it, or end it there with:" \
        "$stop" >&2
    exit 75
fi
# A quota shows only when something is written; results take more than this.
if ! wrong=$(head --bytes=4M /dev/zero 2>&1 >"$LOCK_PLACE/room"); then
    rm -f "$LOCK_PLACE/room"
    no_room "$wrong"
fi
rm "$LOCK_PLACE/room"
remember "$directory"

# A job elsewhere may be of a campaign that is running, which would measure this one, and miss the job if it were cancelled.
jobs_of_campaigns || exit 68
for each in "${JOBS[@]}"; do
    job=${each%% *} place=${each#* }
    if [[ $place/ != "$parent"/* ]]; then
        echo "another campaign has a job (job $job in $place); wait for it, or cancel it: scancel $job" >&2
        exit 75
    fi
done
cancel_jobs "$parent" || exit 68
end_marked "$parent"
bring_back || exit 1

mkdir -p "$directory"
refuse_other_owner "$directory"
cd "$directory"
# Who started it may have left, with the terminal.
(
    printf 'measuring; follow it with: . %q && assay progress --follow %q\n' "$environment" "$directory"
    echo "end it with ^C or: $stop; the same command then measures the rest"
) 2>/dev/null || true
export RFM_SQLITE_DB_FILE=$parent/results.db
# Not as an option: ReFrame 4.10 cannot read sessions back whose command line has a brace in it.
export ASSAY_REPORTS="$directory/reports/*.json"
# By user: root measures in a directory of its own, and what it leaves is copied beside the reports of the other user.
RFM_REPORT_FILE="$directory/reports/$(id -un)-{sessionid}.json"
export RFM_REPORT_FILE
# With a timestamp in the names of its directories a session does not put its outputs, or none for what it skips, in the
# place of an earlier one's.
# `reframe --performance-compare` selects sessions by these. A comma would end a value. ReFrame itself reports
# a description that cannot be read.
name=${directory##*/}
tags=campaign=${name//,/_}$(python3 -I - "${ASSAY_CLUSTER:-/etc/assay/cluster.json}" 2>/dev/null <<'END' || true
import json, sys
cluster = json.load(open(sys.argv[1]))
print(f",system={cluster['name']},daos={(cluster.get('daos') or {}).get('version', 'none')}")
END
)
selected=("${@/#/--tag=}")
[[ ! $checks ]] || selected+=("--name=^(${checks//,/|})\b")
measure=(reframe --run "${selected[@]/#--tag=!/--exclude-tag=}"
    --exec-policy=serial
    --prefix="$directory"
    --timestamp=%Y%m%dT%H%M%S
    --perflogdir="$directory/perflogs"
    --performance-report
    --session-extras="$tags"
    --nocolor)
rounds=(1)
if [[ $until_decided ]]; then
    rounds=(1 2)
    measure+=(--setvar=until_decided=yes)
fi
# As many are planned for each check before it begins, since each look at its samples has its part of every chance of error.
further=3
export ASSAY_MORE_HOURS=$more_hours
if [[ $more_hours ]]; then
    for ((number = 0; number < further; number++)); do
        rounds+=($((${#rounds[@]} + 1)))
    done
    measure+=("--setvar=further_rounds=$further")
fi
# A signal, or a lost login, ends ReFrame, which ends its job, and no further round begins. Should this shell be killed, the
# kernel tells ReFrame. It has a group of processes of its own, so that stop.sh can end all of that.
if setpriv --pdeathsig TERM true 2>/dev/null; then
    measure=(setpriv --pdeathsig TERM "${measure[@]}")
fi
measure=(setsid "${measure[@]}")
export ASSAY_CAMPAIGNS=$parent
ended='' session=''
end() {
    ended=yes
    [[ ! $session ]] || kill -TERM "$session" 2>/dev/null || true
}
trap end TERM INT HUP
# noted EVENT STATUS: append that to the record of campaigns, which a sign-off carries; without room, measuring has to do.
noted() {
    python3 -I "$here/begun.py" "$LOCK_PLACE/begun" "$1" "${directory##*/}" "$scale" "$2" 9>&- ||
        echo "this campaign is not in the record of campaigns, $LOCK_PLACE/begun" >&2
}
noted begun 0
status=0
before=$(wc -l 2>/dev/null <"$directory/reframe.out" || echo 0)
for round in "${rounds[@]}"; do
    so_far=$(wc -l 2>/dev/null <"$directory/reframe.out" || echo 0)
    ASSAY_ROUND=$round "${measure[@]}" </dev/null >>"$directory/reframe.out" 2>&1 &
    session=$!
    # Without room for it, the lock itself has to do.
    remember "$directory" "$session" 2>/dev/null || true
    # One that came before there was a session.
    [[ ! $ended ]] || end
    # A signal ends a wait, not yet ReFrame; once that has ended, bash keeps how.
    wait "$session" || true
    while kill -0 "$session" 2>/dev/null; do
        wait "$session" || true
    done
    wait "$session" || status=$?
    [[ ! $ended ]] || break
    # No further round has anything to measure where this one had not.
    ((round == 1)) || ! tail --lines=+$((so_far + 1)) "$directory/reframe.out" | grep --quiet ' Ran 0/' || break
done
# One that was killed has ended nothing of what it had started.
cancel_jobs "$parent" || ((status)) || status=68
end_marked "$parent"
bring_back || status=1
noted ended "$status"
# What holds the lock is said to go on.
exec 9>&-
if [[ ! $ended ]] && tail --lines=+$((before + 1)) "$directory/reframe.out" | grep --quiet 'from 0 check(s)'; then
    # ReFrame calls that passed.
    echo "nothing was measured: no check of this cluster has all of ${*}${checks:+, and is named $checks};" \
        "reframe --list lists them" >&2
    status=69
elif [[ $ended ]]; then
    echo "interrupted; the same command measures the rest" 2>/dev/null || true
elif ((status > 128)); then
    echo "ReFrame was ended by SIG$(kill -l "$status"), and its job with it; the same command measures the rest" 2>/dev/null || true
elif type assay >/dev/null 2>&1; then
    # Its other lines are for a campaign that goes on.
    assay progress "$directory" 2>&1 | sed -En '1p; /^[[:alnum:]]+ on [^ ]+ failed/p'
fi
exit "$status"
