#!/bin/bash
# Lock the Python dependencies of every environment that this project makes, with hashes.
set -euo pipefail
cd "$(dirname "$0")/.."

lock() {
    .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-annotate --no-header "$@"
}

lock pyproject.toml --group setup --group deploy --group reframe --group lint --group test \
    --output-file requirements/all.txt
# The same versions where the checks run as where they are tested.
lock pyproject.toml --group reframe --constraint requirements/all.txt \
    --output-file roles/reframe/files/requirements.txt
lock roles/benchmarks/files/fdb-requirements.in \
    --output-file roles/benchmarks/files/fdb-requirements.txt
