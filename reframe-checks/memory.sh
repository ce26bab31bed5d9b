# shellcheck shell=bash
# How much memory a program may take. Job scripts source this file.

# occupy PERCENT LAUNCHER...: OCCUPIED, in percent of a host's whole memory, is PERCENT of what a program
# may still take on the host where that is least. The launcher starts a process on each host.
occupy() {
    local percent=$1 free
    shift
    # A host that does not answer fails the launcher; nothing is left then.
    free=$("$@" bash -c "$(declare -f still_free); still_free" </dev/null 2>/dev/null) || free=0
    OCCUPIED=$(awk -v percent="$percent" 'NR == 1 || $1 + 0 < least { least = $1 + 0 }
        END { print int(least * percent / 100) }' <<<"$free")
    ((OCCUPIED > 0)) ||
        refuse "$percent % of the memory that jobs may still take is less than 1 % of a client's memory, or unknown:" \
            "see MemAvailable in /proc/meminfo, and the limits of memory of the job and its host"
}

# still_free: the percent of this host's memory that a process may still take. The pages of a cgroup's files
# count for its limit, but give way; so what is used is not taken off it.
still_free() {
    local controllers group place
    {
        awk '/^(MemTotal|MemAvailable):/ { print $2 * 1024 }' /proc/meminfo
        while IFS=: read -r _ controllers group; do
            case ,$controllers, in
                ,,) place=/sys/fs/cgroup file=memory.max ;;
                *,memory,*) place=/sys/fs/cgroup/memory file=memory.limit_in_bytes ;;
                *) continue ;;
            esac
            # A limit of any group above counts, too.
            while cat "$place$group/$file" 2>/dev/null; [[ ${group%/} ]]; do
                group=${group%/*}
            done
        done </proc/self/cgroup
    } | awk 'NR == 1 { total = left = $1 } $1 != "max" && $1 < left { left = $1 } END { if (total) print 100 * left / total }'
}
