#!/bin/bash
# await.sh unit|init NAME LIMIT_S OUTPUT [PORT]: wait until a daemon runs, and listens at the port if there is one.
# Exit status 1 if it does not within the limit, or 3, at once, if it has ended and nobody starts it again; its last messages are
# printed then. Without systemd they are in the file OUTPUT.
set -u
kind=$1 name=$2 limit_s=$3 output=$4 port=${5:-}

runs() {
    case $kind in
        unit) systemctl is-active --quiet "$name" ;;
        init) "/etc/init.d/$name" status > /dev/null 2>&1 ;;
    esac
}

# systemd starts it again some times, and then gives it up. An init script never does.
has_ended() {
    case $kind in
        unit) systemctl is-failed --quiet "$name" ;;
        init) ! runs ;;
    esac
}

# Another program may have taken its port.
listens() {
    local pid
    [[ $port ]] || return 0
    case $kind in
        unit) pid=$(systemctl show --property=MainPID --value "$name") ;;
        init) pid=$(< "/run/$name.pid") ;;
    esac
    ss --listening --tcp --numeric --processes --no-header "sport = :$port" | grep --quiet --fixed-strings "pid=$pid,"
}

last_messages() {
    case $kind in
        # By its own name: what systemd says of the unit is not the cause.
        unit) journalctl --unit="$name" --identifier="$name" --output=cat --lines=4 --no-pager 2> /dev/null ;;
        init) tail --lines=4 "$output" 2> /dev/null ;;
    esac
}

end=$((SECONDS + limit_s))
until runs && listens; do
    if has_ended; then
        last_messages
        exit 3
    fi
    if ((SECONDS >= end)); then
        last_messages
        exit 1
    fi
    sleep 1
done
