#!/bin/sh
# run-remove.sh BEFORE DIRECTORY: remove what a daemon had at run time, and print it.
# What BEFORE lists was there before the first deployment, and stays, with the owner that it had.
set -eu
before=$1 directory=$2

[ -d "$directory" ] || exit 0
find "$directory" -depth | while IFS= read -r path; do
    if ! grep --quiet --line-regexp --fixed-strings "path $path" "$before" 2> /dev/null; then
        rm --dir --force "$path"
        echo "$path"
    fi
done
# systemd has given them to its daemon, all that it found there.
grep '^owner ' "$before" | while read -r _ owner mode path; do
    case $path in
        "$directory" | "$directory"/*) ;;
        *) continue ;;
    esac
    if [ -e "$path" ]; then
        chown --no-dereference "$owner" "$path"
        [ -L "$path" ] || chmod "$mode" "$path"
    fi
done
