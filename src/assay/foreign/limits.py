"""How much of what others made is read; each figure is this project's own choice, with its sum.

The largest campaign that must be read is one of 1,024 hosts: about 60,000 metrics of 11 samples,
8 SSDs a host, every check failed on every subject.
"""

from __future__ import annotations

KIB, MIB, GIB = 2**10, 2**20, 2**30

REPORT_BYTES = 256 * MIB
"""A run report. 60,000 metrics × (11 samples × 24 bytes + derivation, reference and performance
variable, 600 bytes) are 52 MB, and as much again where ReFrame keeps a report's first run too."""

RECORD_BYTES = 512 * MIB
"""A report.json. 60,000 metrics × (11 × 24 bytes + 22 raw paths × 80 bytes + 2 KiB of reasons,
limits and derivation) are 250 MB."""

CLUSTER_BYTES = 64 * MIB
"""A cluster.json. 1,024 hosts × 16 KiB (8 SSDs, 4 interfaces, 2 engines, indented) are 16 MiB."""

WAIVERS_BYTES = 1 * MIB
"""A file of waivers: 2,000 of 500 bytes; people write them."""

SUMS_BYTES = 1 * GIB
"""SHA256SUMS, or the listing beside it. 5,000,000 files × 200 bytes."""

OUTPUT_BYTES = 256 * MIB
"""The output of one tool. The largest that was seen is fio's, of 300 kB; a core dump is larger."""

OUTPUTS_BYTES = 64 * GIB
"""All raw outputs of a campaign. 1,800,000 files × 10 kB are 18 GB."""

OUTPUTS = 5_000_000
"""Files in them. 1,024 hosts × 39 subjects × 45 files (.out and .err of 22 steps) are 1,800,000."""

DEPTH = 32
"""Directories in directories, and lists in lists; a report has 8 of them."""

FINGERPRINT_BYTES = 64 * MIB
"""What hosts were before or after a session. 1,024 hosts x 150 facts of 100 bytes are 15 MB."""

FINGERPRINTS = 1_000
"""Files of them; each session leaves two."""

REPORTS = 1_000
"""Run reports of a campaign; a session leaves one."""

CASES = 10_000
"""Test cases of a run report. 40 checks × 2 partitions × 2 scales × some runs of a session."""

SUBJECTS = 1_100_000
"""Subjects of one metric: every ordered pair of 1,024 hosts, 1,047,552."""

SAMPLES = 250
"""Samples of one subject. The scale `acceptance` takes 11; a trend is worked out from all pairs of
them, and 250 make 31,125 pairs."""

NAME = 1_000
"""Characters of a name: two host names of 253 characters, devices and a check."""

NUMBER = 2**53
"""The most that a number of a description may be: beyond it a float skips integers, and arithmetic
overflows. Memory is in MiB, and the largest is far below."""

LEAST = 1e-12
"""The least that a number of a description may be, but for 0: what is divided by it stays finite.
Speeds are in Gbit/s and capacities in GB."""

REASON = 4 * MIB
"""Characters of a reason. ReFrame joins those of all subjects: 8,192 × 300 are 2.5 million."""

SHOWN_REASON = 2_000
"""Characters of a reason that go into a report: with a verdict for each of 60,000 metrics they
are 120 MB. The run report, which is in the bundle, has all of it."""

FOUND = 1_000
"""Characters of what a check says is wrong with one subject: with 8,192 subjects of all 40 checks
they are 330 MB at the very most, and a report of one hostile host stays far below its limit."""

PROBLEMS = 10_000
"""Problems of one subject; one a sample of each of some metrics."""

DEVIATIONS = 100
"""Variables of one check that were set differently from its scale; a check has about ten."""

WAIVERS = 2_000
"""Waivers of a campaign. Each is looked for among 60,000 metrics."""
