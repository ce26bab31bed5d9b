#!/bin/sh
# unmount.sh SECONDS PATH: unmount a dfuse, also one that no longer answers, as when its engines are stopped.
# In use, it stays, and the exit status is that of fusermount3.
set -u
limit=$1 path=$2

timeout --kill-after=5 "$limit" fusermount3 -u "$path"
status=$?
# timeout's own: 124 where the limit was reached, 137 where it took a KILL.
[ "$status" = 124 ] || [ "$status" = 137 ] || exit "$status"

echo "dfuse at $path did not unmount within $limit s and is killed"
for process in /proc/[0-9]*; do
    words=$(tr '\0' '\n' 2> /dev/null < "$process/cmdline")
    if echo "$words" | grep --quiet '\(^\|/\)dfuse$' && echo "$words" | grep --quiet --line-regexp --fixed-strings "$path"; then
        kill -KILL "${process#/proc/}"
    fi
done
exec timeout --kill-after=5 "$limit" fusermount3 -u -z "$path"
