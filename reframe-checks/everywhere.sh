#!/bin/bash
# everywhere.sh NAME=ADDRESS...: run the script NAME.sh of this directory on each host, on all at once
# and over ssh, and bring back what they leave in raw/. Of a host that ssh does not reach, or that it
# loses, every subject has a refusal there.
# shellcheck source=reframe-checks/steps.sh
. ./steps.sh
set -o pipefail

on() {
    ssh -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=10 "$@"
}

one() {
    local name=$1 address=$2 there
    {
        there=$(on "$address" mktemp --directory) &&
            tar --create --exclude=./raw . | on "$address" "tar --extract --directory=$there" &&
            # Any other status than ssh's own is the script's, which has left a record.
            { on "$address" "cd $there && SLURMD_NODENAME=$name bash tethered.sh bash $name.sh" <&3 || (($? != 255)); } &&
            on "$address" "tar --create --directory=$there raw; rm --recursive $there" | tar --extract
    } 2>"$name.err" || lost "$name" "$address"
}

# lost NAME ADDRESS: say of each subject of a host why nothing came back.
lost() {
    local each
    sed -n "s/^subject '\(.*\)'$/\1/p" "$1.sh" | while read -r each; do
        (
            subject "$each"
            refuse "$1 was not reached, or lost, by ssh to $2: $(tail -n 1 "$1.err")"
        )
    done
}

# Something to read from that never ends: what runs there ends with it.
mkfifo open
exec 3<>open
rm open

for host in "$@"; do
    one "${host%%=*}" "${host#*=}" &
done
wait
