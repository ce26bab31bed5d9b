#!/bin/bash
# lose_agent.sh NUMBER LIMIT COMMAND...: when agent.NUMBER.end is there, kill the daos_agent of this host, and run COMMAND, a
# new process of DAOS, until one ends well, or for LIMIT seconds. What happens is noted in agent.NUMBER.seen. Where systemd
# would not start the agent again, none is killed.
set -u
export LC_ALL=C
number=$1 limit=$2
shift 2
host=${SLURMD_NODENAME:-$HOSTNAME}
service=daos_agent
answer_limit=60 # an RPC without an answer costs about that

note() { printf '{"time": %s, %s}\n' "$EPOCHREALTIME" "$1" >>"agent.$number.seen"; }

# fail WORD...: say why nothing is measured; the words have nothing that JSON would not take. The controller ends the load.
fail() {
    note "\"event\": \"failed\", \"why\": \"$*\""
    exit 0
}

# shown PROPERTY: what systemd says of the agent, in letters and digits.
shown() { systemctl show --property="$1" "$service" 2>/dev/null | sed --quiet "s/^$1=//p" | tr --complement --delete a-z0-9-; }

connects() { timeout --kill-after=5 "$answer_limit" "$@" </dev/null >"agent.$number.err" 2>&1; }

# load_ended: whether the controller has ended the load, after which it waits for nothing.
load_ended() { [[ -e lost.$number.end ]]; }

until [[ -e agent.$number.end ]]; do
    ! load_ended || exit 0
    sleep 1
done
pid=$(shown MainPID)
((${pid:-0})) || fail "systemd runs no $service on $host, so nobody would start it again: its agent was not ended"
restart=$(shown Restart)
case $restart in
    always | on-failure | on-abnormal | on-abort) ;;
    *) fail "systemd would not start $service of $host again (Restart=${restart:-unknown}): its agent was not ended" ;;
esac
connects "$@" || fail "no new process of $host connects even before its agent ends: see agent.$number.err"
# What ended several times within minutes is not started again, whoever ended it.
systemctl reset-failed "$service"
# Whatever ends this, it does not leave the host without an agent; where one runs or is about to, this does nothing else.
trap 'systemctl start "$service"' EXIT
trap 'exit 143' TERM INT
note '"event": "lost"'
kill -KILL "$pid" || fail "the agent of $host had ended by itself"
start=$SECONDS
while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
until connects "$@"; do
    note '"connects": false'
    ((SECONDS - start < limit)) ||
        fail "no new process of $host connected within $limit s after its agent ended: systemd has" \
            "$service $(shown ActiveState); see agent.$number.err, and journalctl -u $service there"
    # The pool may be gone by now, and nobody would ever connect.
    ! load_ended || exit 0
    sleep 1
done
note '"connects": true'
