#!/bin/bash
# snapshot.sh FILE: write what this host runs and has, a line each, without what it changes by itself: logs, the accounts' database,
# the state of its daemons, and Ansible's own.
set -euo pipefail
{
    for process in /proc/[0-9]*; do
        case $(readlink "$process/exe" || true) in
            "" | /usr/sbin/sshd | /usr/lib/systemd/*) ;; # of the kernel or ended; what has let Ansible in, and PID 1 with its own
            *) tr "\0" " " <"$process/cmdline" | grep --invert-match snapshot.sh | sed "s/^/process /" || true ;;
        esac
    done
    squeue --noheader --format="job %i of %u"
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /root -o -path /var/log -o -path /var/lib/mysql \
        -o -path "/var/lib/slurm/*" -o -path "/var/lib/systemd/*" \) -prune -o -printf "file %p of %u\n"
    if [[ $HOSTNAME == login ]]; then
        find /home -printf "file %p of %u\n"
    fi
} >"$1"
# Not in a pipe, whose programs would be among the processes.
sed --in-place "/\/__pycache__/d" "$1"
sort --unique --output="$1" "$1"
