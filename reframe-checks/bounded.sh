#!/bin/bash
# bounded.sh PROGRAM ARGUMENT...: what a program of Slurm prints, at most 64 MiB of it and for 60 s, as `assay` reads it
# (SLURM in src/assay/foreign/limits.py). Ends with the program's status, or another than 0 where that is too much: then what
# it has started in its group, which may keep the pipe open, ends with it.
exec timeout --signal=KILL 60 bash -c 'set -o pipefail; "$@" | head --bytes=64M | tr --delete "\0"' bounded "$@"
