#!/bin/bash
# rpm-dependencies.sh NAME...: the names of the installed packages that these need, and those that these need, one a line.
set -eu
declare -A seen=()
next=("$@")
while ((${#next[@]})); do
    # What nobody provides is a sentence; the word after the name is a version.
    mapfile -t found < <(rpm --query --requires "${next[@]}" | sed 's/ .*//' | sort --unique |
        xargs --delimiter='\n' --no-run-if-empty rpm --query --whatprovides --queryformat '%{NAME}\n' |
        grep --invert-match ' ' | sort --unique)
    next=()
    for name in "${found[@]}"; do
        [[ ${seen[$name]-} ]] || next+=("$name")
        seen[$name]=yes
    done
done
printf '%s\n' "${!seen[@]}"
