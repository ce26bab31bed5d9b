"""Limits for reading files of others. Each is this project's own choice, with its calculation.

They allow for a campaign of 1,024 hosts: about 60,000 metrics of 11 samples, 8 SSDs for each host,
with every check failed on every subject.
"""

from __future__ import annotations

from assay.foreign.sources import Budget

KIB, MIB, GIB = 2**10, 2**20, 2**30

REPORT_BYTES = 256 * MIB
"""A run report. 60,000 metrics × (11 samples × 24 bytes + derivation, reference and performance
variable, 600 bytes) are 52 MB, and twice that if ReFrame also keeps the report's first run."""

RECORD_BYTES = 512 * MIB
"""A report.json. 60,000 metrics × (11 × 24 bytes + 22 raw paths × 80 bytes + 2 KiB of reasons,
limits and derivation) are 250 MB."""

CLUSTER_BYTES = 64 * MIB
"""A cluster.json. 1,024 hosts × 16 KiB (8 SSDs, 4 interfaces, 2 engines, indented) are 16 MiB."""

WAIVERS_BYTES = 1 * MIB
"""A file of waivers: 2,000 of 500 bytes; people write them."""

KEY_BYTES = 64 * KIB
"""An SSH key. RSA of 16,384 bits, the largest that ssh-keygen makes, takes 13 KiB."""

BEGUN_BYTES = 8 * MIB
"""The record of campaigns that were begun: 8,000 of 1 KiB, one a night for 20 years."""

SUMS_BYTES = 1 * GIB
"""SHA256SUMS, or the listing beside it. 5,000,000 files × 200 bytes."""

OUTPUT_BYTES = 256 * MIB
"""The output of one tool. The largest seen is fio's, with 300 kB; a core dump is larger."""

OUTPUTS_BYTES = 64 * GIB
"""All raw outputs of a campaign. 1,800,000 files × 10 kB are 18 GB."""

OUTPUTS = 5_000_000
"""Files in them. 1,024 hosts × 39 subjects × 45 files (.out and .err of 22 steps) are 1,800,000."""

READING = Budget(seconds=30, bytes=64 * MIB, lines=500_000)
"""A reading of the engines' metrics, decompressed: 1,024 servers x 488 lines of 131 bytes; 512
servers of 16 targets were seen to give 90 lines each. Parsing costs 12 us a line, and with as many
labels as there may be 500,000 x 40 us = 20 s of CPU; 500,000 x 1.1 KiB are 540 MiB. Two readings
are compared at a time."""

SOURCE_FILES, SOURCE_BYTES = 10_000, 512 * MIB
"""Files that a host, a pair or a partition leaves in one check, and their bytes, as much as one
that is reached by ssh may return: 16 SSDs x 45 files are 720. What 1,024 clients print in 22 steps
of FDB, 10 MB each, is 220 MB."""

REFUSED = Budget(seconds=30, bytes=256 * MIB, lines=1_100_000)
"""The list of refused outputs of a check: of as many subjects, 230 bytes each."""

SLURM = Budget(seconds=60, bytes=64 * MIB, lines=500_000)
"""What a program of Slurm prints. 10,000 nodes in 20 partitions x 300 bytes are 60 MB; Slurm's own
limit for an answer is its MessageTimeout, 10 s by default."""

PROGRAM = Budget(seconds=120, bytes=64 * MIB, lines=2_000_000)
"""What dmg or daos prints: 1,024 servers x 16 SSDs x 3 KiB of JSON, in 100 lines, are 48 MiB."""

PERFLOG = Budget(seconds=10, bytes=64 * MIB, lines=10_000)
"""ReFrame's log of a check's figures: a line for each run and one for its columns, of 60 bytes for
each of 8,192 subjects and 4 columns, are 2 MB."""

STEPS_BYTES = 4 * MIB
"""The record of a subject's steps, which `assay progress` reads again and again: 1,000 steps of 60
bytes are 60 kB."""

DEPTH = 32
"""Nesting of directories, or of lists; a report has 8 levels."""

ENTRIES = 1_100_000
"""Entries of one directory: a subject each of every ordered pair of 1,024 hosts, 1,047,552."""

FINGERPRINT_BYTES = 64 * MIB
"""A file of fingerprints. 1,024 hosts x 150 facts of 100 bytes are 15 MB."""

SESSION_FILES = 1_000
"""Files of one kind that the playbook leaves for a campaign; a session leaves two fingerprints."""

ENGINE_ERRORS = 200
"""Errors of an engine in one session, as many as its server returns."""

ENGINE_ERRORS_BYTES = 256 * MIB
"""A file of engines' errors. 1,024 servers x 2 engines x 200 errors x 260 bytes are 106 MB."""

SUPPORT_LOGS = 100
"""Whole logs of servers in a bundle: 10 servers have 2 engines, 4 rotated logs each, and 2 more."""

SUPPORT_LOG_BYTES = 2 * MIB
"""Bytes of each of them, from its end: 10,000 lines; all together are 200 MiB at most."""

LOCK_BYTES = 16 * MIB
"""A spack.lock. One of 39 packages was seen to have 59 kB; 1,000 of them are 1.5 MB."""

REPORTS = 1_000
"""Run reports of a campaign; a session leaves one."""

CASES = 10_000
"""Test cases of a run report. 40 checks × 2 partitions × 2 scales × several runs of a session."""

SUBJECTS = 1_100_000
"""Subjects of one metric: every ordered pair of 1,024 hosts, 1,047,552."""

SAMPLES = 250
"""Samples of one subject. The scale `acceptance` takes 11. A trend is computed from all pairs of
samples, and 250 samples make 31,125 pairs."""

NAME = 1_000
"""Characters of a name: two host names of 253 characters, devices and a check."""

NUMBER = 2**53
"""Largest number in a description: above it, a float skips integers, and arithmetic overflows.
Memory is in MiB, and even the largest is far below."""

LEAST = 1e-12
"""Smallest number in a description, except 0, so that divisions by it stay finite. Speeds are in
Gbit/s and capacities in GB."""

REASON = 4 * MIB
"""Characters of a reason. ReFrame joins those of all subjects: 8,192 × 300 are 2.5 million."""

SHOWN_REASON = 2_000
"""Characters of a reason that go into a report: for each of 60,000 metrics, they are 120 MB. The
run report, which is in the bundle, has the complete reason."""

FOUND = 1_000
"""Characters of a check's problems with one subject: for 8,192 subjects of all 40 checks, they are
330 MB at most, and a report with one hostile host stays far below its limit."""

PROBLEMS = 10_000
"""Problems of one subject: one for each sample of several metrics."""

DEVIATIONS = 100
"""Variables of one check that were set differently from its scale; a check has about ten."""

WAIVERS = 2_000
"""Waivers of a campaign. Each is compared with 60,000 metrics."""
