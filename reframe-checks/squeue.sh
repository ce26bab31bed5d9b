#!/bin/bash
# squeue.sh ARGUMENT...: squeue, asked again for five minutes where Slurm's controller does not answer, since ReFrame takes
# a job that squeue does not list for one that has ended.
for pause in 1 2 4 8 15 30 60 60 60 60 0; do
    if answer=$(bash "${BASH_SOURCE[0]%/*}/bounded.sh" squeue "$@" 2>&1); then
        printf '%s\n' "$answer"
        exit 0
    fi
    # It has ended, and Slurm has forgotten it.
    [[ $answer != *"Invalid job id"* ]] || break
    sleep "$pause"
done
printf '%s\n' "$answer" >&2
exit 1
