#!/bin/sh
# unmount.sh SECONDS PATH: unmount a dfuse and wait until it has ended, also one that no longer answers, as when its engines
# are stopped. In use, it stays, and the exit status is that of fusermount3.
set -u
limit=$1 path=$2

# Run a command with each process of this dfuse; a defunct one has no words. Status 1 if there is none.
each_process() {
    status=1
    for process in /proc/[0-9]*; do
        name=
        read -r name 2> /dev/null < "$process/comm"
        if [ "$name" = dfuse ] && tr '\0' '\n' 2> /dev/null < "$process/cmdline" | grep --quiet --line-regexp --fixed-strings "$path"; then
            status=0
            "$@" "${process#/proc/}"
        fi
    done
    return "$status"
}

timeout --kill-after=5 "$limit" fusermount3 -u "$path"
status=$?
# timeout's own: 124 where the limit was reached, 137 where it took a KILL.
if [ "$status" = 124 ] || [ "$status" = 137 ]; then
    echo "dfuse at $path did not unmount within $limit s and is killed"
    each_process kill -KILL
    exec timeout --kill-after=5 "$limit" fusermount3 -u -z "$path"
fi
[ "$status" = 0 ] || exit "$status"

waited=0
while each_process true; do
    if [ "$waited" = "$limit" ]; then
        echo "dfuse at $path did not end within $limit s after it was unmounted and is killed"
        each_process kill -KILL
        break
    fi
    sleep 1
    waited=$((waited + 1))
done
