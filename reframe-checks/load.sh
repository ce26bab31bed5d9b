#!/bin/bash
# load.sh RAW NAME FIO [END]: run fio's job file NAME.fio on this client, and keep what it prints as RAW/NAME.HOST.json and
# its logs beside it. With END it goes on until that file is there; END.begun says that it runs. srun starts one on each client.
set -u
export LC_ALL=C
raw=$1 name=$2 fio=$3 end=${4:-}
export SLURMD_NODENAME=${SLURMD_NODENAME:-$HOSTNAME}
export ASSAY_LOG=$raw/$name.$SLURMD_NODENAME
"$fio" --output-format=json --output="$ASSAY_LOG.json" "$name.fio" &
child=$!
trap 'kill -TERM $child' TERM INT
ended=
if [[ $end ]]; then
    sleep 1
    ! kill -0 $child 2>/dev/null || touch "$end.begun"
    while kill -0 $child 2>/dev/null; do
        if [[ -e $end ]]; then
            kill -INT $child 2>/dev/null
            ended=yes
            break
        fi
        sleep 1
    done
fi
wait $child
status=$?
# What fio ends with at a signal, once it has written its report.
[[ ! $ended || $status != 128 ]] || status=0
exit $status
