#!/bin/sh
# unmount.sh SECONDS PATH: unmount a dfuse and wait until it has ended, also one that no longer answers, as when its engines
# are stopped. In use, it stays, and the exit status is that of fusermount3.
set -u
limit=$1 path=$2

# The processes of this dfuse; a defunct one has no words.
serving() {
    for process in /proc/[0-9]*; do
        name=
        read -r name 2> /dev/null < "$process/comm"
        if [ "$name" = dfuse ] && tr '\0' '\n' 2> /dev/null < "$process/cmdline" | grep --quiet --line-regexp --fixed-strings "$path"; then
            echo "${process#/proc/}"
        fi
    done
}

timeout --kill-after=5 "$limit" fusermount3 -u "$path"
status=$?
# timeout's own: 124 where the limit was reached, 137 where it took a KILL.
if [ "$status" = 124 ] || [ "$status" = 137 ]; then
    echo "dfuse at $path did not unmount within $limit s and is killed"
    # shellcheck disable=SC2046 # as many words as processes
    kill -KILL $(serving)
    exec timeout --kill-after=5 "$limit" fusermount3 -u -z "$path"
fi
[ "$status" = 0 ] || exit "$status"

while [ -n "$(serving)" ] && [ "$limit" -gt 0 ]; do
    sleep 1
    limit=$((limit - 1))
done
left=$(serving)
if [ -n "$left" ]; then
    echo "dfuse at $path did not end within $1 s after it was unmounted and is killed"
    # shellcheck disable=SC2086 # likewise
    kill -KILL $left
fi
