#!/bin/sh
# run-remove.sh BEFORE DIRECTORY: remove what a daemon had at run time, and print it.
# What BEFORE lists was there before the first deployment, and stays, with the owner that DIRECTORY had.
set -eu
before=$1 directory=$2

[ -d "$directory" ] || exit 0
find "$directory" -depth | while IFS= read -r path; do
    if ! grep --quiet --line-regexp --fixed-strings "path $path" "$before" 2> /dev/null; then
        rm --dir --force "$path"
        echo "$path"
    fi
done
awk -v path="$directory" '$1 == "owner" && $4 == path { print $2, $3 }' "$before" | while read -r owner mode; do
    chown "$owner" "$directory"
    chmod "$mode" "$directory"
done
