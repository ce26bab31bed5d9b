#!/bin/bash
# everywhere.sh PYTHON LIMIT_SECONDS NAME=ADDRESS...: run the script NAME.sh of this directory on each
# host, on all at once and over ssh, and bring back what they leave in raw/ for the subjects that
# NAME.subjects lists. PYTHON is one that has assay. Of a host that ssh does not reach, or that it loses,
# or that returns what it must not, every subject has a refusal there.
#
# No host is trusted. What goes out was packed before the first of them ran, without the scripts of the
# others; what comes back is unpacked by assay.campaign.unpack and by nothing else; and a host that never
# ends keeps none of the others waiting.
# shellcheck source=reframe-checks/steps.sh
. ./steps.sh
set -o pipefail

# on LIMIT_SECONDS ADDRESS COMMAND: run it there. The file ssh.options has the site's own options, one a
# line; of an option that is given twice ssh takes the first.
on() {
    local limit=$1 status
    shift
    timeout --foreground --kill-after=5 "$limit" \
        ssh "${options[@]/#/-o}" -a -x -T -o BatchMode=yes -o StrictHostKeyChecking=yes -o ForwardAgent=no \
        -o PermitLocalCommand=no -o ClearAllForwardings=yes -o ConnectTimeout=10 -o ServerAliveInterval=10 \
        -- "$@"
    status=$?
    ((status != 124)) || echo "it did not end within $limit s" >&2
    return "$status"
}

# pack NAME: what the host needs.
pack() {
    tar --create --file="$out/$1.tar" --anchored --exclude-from="$out/kept" . &&
        tar --append --file="$out/$1.tar" "./$1.sh"
}

# printable: what a host says, without escape sequences, and not without end.
printable() {
    head --bytes=65536 | tr --complement --delete '[:print:]\n'
    cat >/dev/null
}

one() {
    local name=$1 address=$2 there
    local -a subjects
    mapfile -t subjects <"$name.subjects"
    there=$(on 30 "$address" mktemp --directory | head --bytes=1000) || return
    if [[ ! $there =~ ^/[[:alnum:]/._-]+$ ]]; then
        echo "it did not return a directory for temporary files" >&2
        return 1
    fi
    on 30 "$address" "tar --extract --directory=$there" <"$out/$name.tar" || return
    # Any other status than ssh's own is the script's, which has left a record.
    on "$limit" "$address" "cd $there && SLURMD_NODENAME=$name bash tethered.sh bash $name.sh" <&3 ||
        (($? != 255)) || return
    on 60 "$address" "tar --create --directory=$there raw; rm --recursive $there" |
        "$python" -I -m assay.campaign.unpack "$name" raw "${subjects[@]}"
}

# lost NAME ADDRESS: say of each subject of a host why nothing came back.
lost() {
    local each
    while read -r each; do
        # Where what it returned was refused, that is the reason.
        [[ -e raw/$each/refusal ]] || (
            subject "$each"
            refuse "$1 was not reached by ssh to $2, or was lost: $(tail -n 1 "$1.err" | head --bytes=500)"
        )
    done <"$1.subjects"
}

python=$1 limit=$2
shift 2
mapfile -t options < <(grep . ssh.options)
out=$(mktemp --directory --tmpdir=. .outgoing.XXXXXX)
# shellcheck disable=SC2016 # with the directory that it is by then
finally 'rm -r "$out"'

# Something to read from that never ends: what runs there ends with it.
mkfifo "$out/open"
exec 3<>"$out/open"

printf './%s\n' raw '.outgoing.*' 'rfm_*' everywhere.sh ssh.options \
    "${@/%=*/.sh}" "${@/%=*/.subjects}" "${@/%=*/.err}" >"$out/kept"
for host in "$@"; do
    pack "${host%%=*}" || exit
done
for host in "$@"; do
    name=${host%%=*} address=${host#*=}
    { one "$name" "$address" 2>&1 >/dev/null | printable >"$name.err" || lost "$name" "$address"; } &
done
wait
