#!/bin/bash
# Run a command, such as molecule, and fail if Ansible warned in it of something that is deprecated.
set -euo pipefail
export ANSIBLE_DEPRECATION_WARNINGS=true
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log" || {
  # After it comes the destruction of the hosts, some hundred lines.
  echo "the last that failed:" >&2
  grep --text --after-context=14 'fatal: \[' "$log" | tail --lines=15 >&2
  exit 1
}
# ansible.posix.mount returns its warnings in a way that ansible-core has deprecated; nobody here can mend that.
theirs='Passing .warnings. to .exit_json.'
if grep 'DEPRECATION WARNING' "$log" | grep --quiet --invert-match "$theirs"; then
  echo "Ansible warned about deprecated features:" >&2
  grep --after-context=3 'DEPRECATION WARNING' "$log" >&2
  exit 1
fi
