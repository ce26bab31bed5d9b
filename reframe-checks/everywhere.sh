#!/bin/bash
# everywhere.sh NAME=ADDRESS...: run the script NAME.sh of this directory on each host, on all at once
# and over ssh, and bring back what they leave in raw/.
on() {
    ssh -o BatchMode=yes "$@"
}

one() {
    local name=$1 address=$2 there
    there=$(on "$address" mktemp --directory) || exit
    tar --create . | on "$address" "tar --extract --directory=$there"
    on "$address" "cd $there && SLURMD_NODENAME=$name bash $name.sh"
    on "$address" "tar --create --directory=$there raw; rm --recursive $there" | tar --extract
}

for host in "$@"; do
    one "${host%%=*}" "${host#*=}" &
done
wait
