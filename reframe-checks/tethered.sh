#!/bin/bash
# tethered.sh COMMAND...: run a command, here over ssh, that ends with the connection and takes along
# all that it has started, and this directory. Otherwise it would run on when the connection is lost.

# Were this empty, every process of the host would seem to work here.
here=$(readlink --canonicalize-existing .) || exit 1
setsid "$@" </dev/null &
job=$!
{
    # No cat, which would outlive this shell where the connection outlives the command.
    while read -r -N 4096 _; do :; done
    trap "" TERM
    pkill --session "$job"
    # What does not end by itself has ten seconds, and what it leaves is then taken away.
    sleep 10
    pkill --signal KILL --session "$job"
    # The jobs of fio have sessions of their own, and outlive a fio that was killed.
    for process in /proc/[0-9]*; do
        [[ ${process#/proc/} == @($$|$BASHPID) || $(readlink "$process/cwd") != "$here"?(/*) ]] ||
            kill -KILL "${process#/proc/}"
    done
    rm --recursive "$PWD"
} <&0 >/dev/null 2>&1 &
watch=$!
wait "$job"
status=$?
# It has done its part, unless it has ended the job itself.
kill "$watch"
exit "$status"
