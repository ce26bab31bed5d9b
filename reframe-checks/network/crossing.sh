#!/bin/bash
# crossing.sh INTERFACE BYTES COMMAND...: run a command that sends and receives so many bytes, and fail
# if INTERFACE carried less either way. The kernel sends by its routes, whatever address a program is
# bound to: of two rails in one subnet without routes of their own, one carries what both send.
interface=$1 bytes=$2
shift 2

# Received and sent, in bytes. /sys would show the interfaces of the namespace that mounted it.
carried() {
    awk -v name="$interface" '{ sub(":", " ") } $1 == name { print $2, $10 }' /proc/net/dev
}

read -r received_before sent_before < <(carried)
if [[ -z $sent_before ]]; then
    echo "[error] $(hostname) has no interface $interface" >&2
    exit 1
fi
"$@"
status=$?
read -r received sent < <(carried)
received=$((received - received_before)) sent=$((sent - sent_before))
if ((status == 0 && (sent < bytes || received < bytes))); then
    echo "[error] $interface of $(hostname) sent $sent and received $received of $bytes bytes: the" \
        "kernel routes them by another interface; give each rail a subnet or a route of its own" >&2
    exit 1
fi
exit "$status"
