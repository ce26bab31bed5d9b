#!/bin/bash
# rpm-dependents.sh NAME...: the names of the packages that could not stay if these went, one a line.
set -eu
going=("$@")
while :; do
    # rpm writes an epoch before a version, and does not read it there.
    mapfile -t needing < <(LC_ALL=C rpm --erase --test "${going[@]}" 2>&1 |
        sed --silent 's/^.* is needed by (installed) //p' | sed 's/-[0-9]*:/-/' | sort --unique |
        xargs --no-run-if-empty rpm --query --queryformat '%{NAME}\n' | sort --unique)
    ((${#needing[@]})) || break
    going+=("${needing[@]}")
done
printf '%s\n' "${going[@]:$#}"
