"""What all checks share: where they run, what they owe, and how a run becomes samples.

A check says how to measure; what it owes, and where, stands under the name of its class in the
catalogue `assay.checks.plan.CHECKS`.
"""

import glob
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ
from reframe.core.backends import getlauncher
from reframe.core.builtins import parameter, run_after, run_before, sanity_function, variable
from reframe.core.exceptions import ReframeError

from assay import __version__
from assay.campaign import results
from assay.campaign.results import Results
from assay.campaign.steps import Evict, Shell, Step, busy_s, directory_of, problems, read
from assay.checks.expect import Expectation, Measured, expectation
from assay.checks.plan import CHECKS, Metric, Requirement, requirements
from assay.cluster.description import Cluster, Host
from assay.foreign.files import ForeignError, Tree
from assay.foreign.text import quoted
from assay.judge.stats import summarize
from assay.shell import Text, line
from assay.subject import Subject
from assay.tools.output import Parsed, Sample, impossible
from assay.units import UnitError, factor

HERE = Path(__file__).resolve().parent

SSH_S = 150
"""How long ssh may take to bring a host its script, and back what it left."""

Steps = Sequence[Step | Evict | Shell]

Commands = Sequence[Sequence[Text]]

_measured: dict[Requirement, Sequence[float]] = {}
"""What the campaign has measured so far: what upper layers are judged against."""


_earlier: dict[str, Results | None] = {}
"""What earlier sessions of a campaign have measured, by the name of its cluster; read once."""


def campaign_so_far(cluster: Cluster) -> Results | None:
    """What earlier sessions of the campaign have measured; none where there was none.

    A session measures what can be measured in one phase of DAOS, or until it is interrupted.
    """
    if cluster.name not in _earlier:
        reports = os.environ.get("ASSAY_REPORTS", "")
        _earlier[cluster.name] = results.read(reports, cluster) if glob.glob(reports) else None
    return _earlier[cluster.name]


class AssayCheck(rfm.RunOnlyRegressionTest):
    """A check that is judged by the record of its steps and owes every metric of its catalogue."""

    #: `quick` for a look in minutes, `acceptance` for figures to sign; select one with `-t`.
    scale = parameter(["quick", "acceptance"])

    #: Metric to subject to samples, in the metric's unit; kept in ReFrame's run report.
    samples = variable(typ.Dict, value={}, loggable=True)

    #: Subject to what was wrong there, in words; kept in ReFrame's run report.
    problems = variable(typ.Dict, value={}, loggable=True)

    #: Metric@subject to the sentence that says where its reference comes from.
    derivations = variable(typ.Dict, value={}, loggable=True)

    #: Metric to the unit of its samples.
    units = variable(typ.Dict, value={}, loggable=True)

    #: Which version of these checks has measured.
    checks_version = variable(str, value=__version__, loggable=True)

    #: Wall time of the benchmarks themselves, in seconds.
    benchmark_seconds = variable(float, value=0.0, loggable=True)

    valid_prog_environs = ["site"]
    require_reference = True
    max_pending_time = "5m"

    #: Samples of a metric, by scale (this project's own choice; a median of 5 has an interval).
    repetitions: Mapping[str, int] = {"quick": 5, "acceptance": 11}

    @run_after("init")
    def take_place_in_the_catalogue(self):
        self.entry = CHECKS[type(self).__name__]
        self.tags = {self.scale, self.entry.layer, self.entry.phase}
        self.valid_systems = [" ".join(f"+{feature}" for feature in self.entry.needs)]
        self.units = {metric.name: metric.unit for metric in self.entry.metrics}
        self.descr = type(self).__doc__.strip().splitlines()[0]

    @run_after("setup")
    def learn_the_cluster(self):
        self.cluster: Cluster = self.current_partition.extras["cluster"]
        self.hosts = self.cluster.members(self.current_partition.name)
        self.requirements = tuple(
            metric
            for metric in requirements(self.cluster)
            if (metric.check, metric.partition) == (self.entry.name, self.current_partition.name)
        )
        self.subjects = tuple(dict.fromkeys(metric.subject for metric in self.requirements))
        earlier = campaign_so_far(self.cluster)
        if earlier and not any(map(earlier.problems, self.requirements)):
            self.skip("an earlier session of this campaign has measured it")
        if earlier:
            _measured.update(
                (metric, earlier.samples(metric)) for metric in requirements(self.cluster)
            )

    @run_before("run")
    def refuse_what_would_be_no_measurement(self):
        if wrong := self.wrong_before():
            self.problems = dict.fromkeys(map(str, self.subjects), wrong)
            raise ReframeError("; ".join(wrong))

    @property
    def times(self) -> range:
        """The numbers of the samples, from 1."""
        return range(1, self.repetitions[self.scale] + 1)

    # What a check says for itself.

    def steps(self, subject: Subject) -> Steps:
        """The steps that measure a subject."""
        raise NotImplementedError

    def parsed(self, subject: Subject, raw: Path) -> Parsed:
        """What the subject's raw output holds."""
        raise NotImplementedError

    def is_sample_of(self, metric: Metric, sample: Sample) -> bool:
        """Whether a sample belongs to the metric, but for its unit, which is looked at anyway."""
        raise NotImplementedError

    def guards(self, subject: Subject) -> Commands:
        """Commands that end the job with a sentence where it must not measure."""
        if self.cluster.daos is None or self.entry.phase == "system":
            return []
        return [["engines_stopped", self.entry.phase]]

    def wrong_before(self) -> list[str]:
        """Why the check must not run now, in words, as it is seen from here."""
        return []

    def wrong_after(self) -> list[str]:
        """What speaks against every figure of the run, in words, as it is seen from here."""
        return []

    # From record to samples.

    #: What the job scripts need from beside this file; the job runs a copy, on hosts without it.
    scripts: Sequence[str] = ("steps.sh",)

    #: MiB of scratch that a subject needs, by scale; nothing for a check that writes no file.
    scratch_mib: Mapping[str, int] = {}

    def directory(self, subject: Subject) -> Path:
        """Where a subject's files are written."""
        raise NotImplementedError

    def block(self, subject: Subject) -> list[str]:
        """The part of a job script that measures a subject, apart from the other parts."""
        begin = [["subject", directory_of(subject)], *self.guards(subject), *self.room(subject)]
        steps = [step.line() for step in self.steps(subject)]
        return ["(", *map(line, begin), *steps, ")"]

    def room(self, subject: Subject) -> Commands:
        """Commands that give a subject's files their place; they go away with the subject."""
        mib = self.scratch_mib.get(self.scale)
        return [["scratch", str(self.directory(subject)), str(mib)]] if mib else []

    def limit_s(self, subject: Subject) -> int:
        """How long a subject's steps may take all together, in seconds."""
        return sum(step.limit_s for step in self.steps(subject) if isinstance(step, Step))

    def write(self, name: str, lines: Iterable[str]) -> None:
        """Write a file into the stage directory, where the job finds it."""
        path = Path(self.stagedir, name)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def take_the_hosts(self) -> None:
        """Ask for every host of the partition, whole."""
        self.num_tasks = len(self.hosts)
        self.num_tasks_per_node = 1
        self.num_cpus_per_task = min(self.cluster.hosts[name].cores for name in self.hosts)
        self.executable = "bash"
        self.keep_files = ["raw", "*.sh", "*.fio", "*.err", "fdb.*"]
        for name in self.scripts:
            shutil.copy(HERE / name, self.stagedir)

    @sanity_function
    def every_metric_is_measured(self):
        self.samples = {metric.name: {} for metric in self.entry.metrics}
        self.problems = {}
        strange = self._strange()
        wrong = [*self.wrong_after(), *self._core_dumps(), *strange.pop(None, [])]
        ran = []
        for subject in self.subjects:
            raw = Path(self.stagedir) / "raw" / directory_of(subject)
            try:
                ran += read(raw)
                found = strange.get(subject) or problems(raw, self.steps(subject))
                found = found or wrong or self._collect(subject, raw)
            except (ForeignError, OSError) as error:
                found = [f"what {subject} left cannot be read: {error}"]
            if found:
                self.problems[str(subject)] = found
        self.benchmark_seconds = busy_s(ran)
        return sn.assert_false(
            bool(self.problems),
            msg="; ".join(f"{subject}: {text[0]}" for subject, text in self.problems.items()),
        )

    def _strange(self) -> dict[Subject | None, list[str]]:
        """What is neither a file nor a directory, by the subject that left it, or none.

        ReFrame keeps what a job left, and follows links: a host could name any file of this one.
        """
        found: dict[Subject | None, list[str]] = {}
        own = {Path("raw", directory_of(subject)): subject for subject in self.subjects}
        try:
            for entry in Tree(Path(self.stagedir)).walk():
                if not (entry.is_file or entry.is_directory):
                    path = Path(entry.name)
                    of = next((own[at] for at in (path, *path.parents) if at in own), None)
                    text = f"the job left {entry.kind} ({quoted(path)}), which is no output"
                    found.setdefault(of, []).append(text)
        except (ForeignError, OSError) as error:
            found.setdefault(None, []).append(f"what the job left cannot be read: {error}")
        return found

    def _core_dumps(self) -> list[str]:
        """A program that crashed beside the one whose exit status is looked at."""
        dumps = sorted(path.name for path in Path(self.stagedir).glob("core*"))
        return [f"a program crashed and left {', '.join(dumps)}"] if dumps else []

    def _collect(self, subject: Subject, raw: Path) -> list[str]:
        """Put a subject's samples in their places and say what is wrong with them."""
        parsed = self.parsed(subject, raw)
        found = list(parsed.problems)
        for metric in self.entry.metrics:
            values = []
            for sample in parsed.samples:
                if not self.is_sample_of(metric, sample):
                    continue
                try:
                    values.append(sample.value * factor(sample.unit, metric.unit))
                except UnitError:
                    continue
                if text := impossible(sample):
                    found.append(text)
            if len(values) != len(self.times):
                found.append(f"{metric.name} has {len(values)} of {len(self.times)} samples")
            self.samples[metric.name][str(subject)] = values
        if found:
            for by_subject in self.samples.values():
                by_subject.pop(str(subject), None)
        return found

    @run_before("performance")
    def set_references(self):
        """Let ReFrame alone fail what is too slow or too good to be true."""
        if self.is_dry_run():
            return
        self.perf_variables = {}
        references = {}
        for metric in self.requirements:
            _measured[metric] = self.samples[metric.name][str(metric.subject)]
        measured = Measured(_measured, self.scale)
        for metric in self.requirements:
            median = summarize(measured[metric]).median
            # ReFrame takes what is before a colon for a system.
            name = f"{metric.name}@{metric.subject}".replace(":", ".")
            expected = expectation(self.cluster, metric, measured)
            self.perf_variables[name] = sn.make_performance_function(sn.defer(median), metric.unit)
            references[name] = reference(expected)
            self.derivations[name] = expected.derivation
        self.reference = {"*": references}


def reference(expected: Expectation) -> tuple[float, float | None, float | None, str]:
    """An expectation as ReFrame has it: a value, and how far below and above it one may be."""
    bound = expected.bound
    if bound is None:
        return (0, None, None, expected.unit)
    return (
        bound,
        None if expected.floor is None else expected.floor / bound - 1,
        None if expected.ceiling is None else expected.ceiling / bound - 1,
        expected.unit,
    )


class HostCheck(AssayCheck):
    """A check that runs on every host of the partition at once, in one job."""

    def host(self, subject: Subject) -> Host:
        """The description of the host that a subject is on."""
        return self.cluster.hosts[subject.host]

    def directory(self, subject: Subject) -> Path:
        """Where a subject's files are written: its host's scratch directory."""
        return self.host(subject).scratch.directory

    def on(self, host: str) -> list[Subject]:
        """The subjects that are on a host."""
        return [subject for subject in self.subjects if subject.host == host]

    @run_before("run")
    def run_on_every_host(self):
        longest_s = 0
        for name in self.hosts:
            there = self.on(name)
            script = ["#!/bin/bash", ". ./steps.sh"]
            for subject in there:
                script += self.block(subject)
            self.write(f"{name}.sh", script)
            longest_s = max(longest_s, sum(map(self.limit_s, there)))
        self.take_the_hosts()
        self.time_limit = longest_s + 60
        if self.current_partition.scheduler.registered_name == "local":
            self.go_to_every_host_by_ssh(longest_s)
            return
        self.executable_opts = ["-c", "'bash $SLURMD_NODENAME.sh'"]
        # The benchmarks' own processes spread over the host's cores.
        self.job.launcher.options = ["--cpu-bind=none", "--mpi=none"]

    def go_to_every_host_by_ssh(self, limit_s: int) -> None:
        """Let the job, which runs here, take each host its script."""
        for name in ("everywhere.sh", "tethered.sh"):
            shutil.copy(HERE / name, self.stagedir)
        self.write("ssh.options", self.cluster.ssh_options)
        for name in self.hosts:
            self.write(f"{name}.subjects", map(directory_of, self.on(name)))
        addresses = [f"{name}={self.cluster.hosts[name].address}" for name in self.hosts]
        words = ["everywhere.sh", sys.executable, str(limit_s + 30), *addresses]
        self.executable_opts = [quote(word) for word in words]
        self.time_limit = limit_s + 30 + SSH_S


class PartitionCheck(AssayCheck):
    """A check whose job script starts its programs on the hosts itself, with srun."""

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """The subjects that are measured at once, one round after the other."""
        return [self.subjects]

    def guards(self, subject: Subject) -> Commands:
        """As everywhere, asked on each host of the subject: the script runs on one for all."""
        hosts, count = subject.hosts, len(subject.hosts)
        # Where there is no engine the command fails, which is to end none of the others.
        srun = [
            *("srun", f"--nodelist={','.join(hosts)}", f"--nodes={count}", f"--ntasks={count}"),
            *("--overlap", "--mpi=none", "--kill-on-bad-exit=0"),
        ]
        return [[*command, *srun] for command in super().guards(subject)]

    @run_before("run")
    def run_in_the_batch_script(self):
        script = ["#!/bin/bash", ". ./steps.sh"]
        self.time_limit = 60
        for together in self.rounds():
            for subject in together:
                script.append("\n".join(self.block(subject)) + " &")
            script.append("wait")
            self.time_limit += max(self.limit_s(subject) for subject in together)
        self.write("partition.sh", script)
        self.take_the_hosts()
        self.executable_opts = ["partition.sh"]
        self.job.launcher = getlauncher("local")()
