"""The base of all checks: their catalogue entry, their scale, and how a run becomes samples.

A check defines how to measure. The catalogue `assay.checks.plan.CHECKS` has, under the name of its
class, which metrics are required, and where.
"""

import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from pathlib import Path
from statistics import median
from typing import Any

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ
from reframe.core.builtins import parameter, run_after, run_before, sanity_function, variable
from reframe.core.exceptions import ReframeError

import leftovers
import lost_hosts
from assay import __version__
from assay.campaign.cases import FIRST, Case
from assay.campaign.results import Results
from assay.campaign.samples import samples_of
from assay.campaign.steps import Evict, Shell, Step, busy_s, misplaced
from assay.campaign.steps import problems as problems_of
from assay.checks.entry import SCALES, Run, Scales
from assay.checks.expect import Measured, expectation
from assay.checks.plan import CHECKS, CaseKey, Requirement, requirements
from assay.checks.raw import RawOutputs, directory_of
from assay.cluster.description import Cluster, Partition
from assay.cluster.once import once
from assay.foreign import limits
from assay.foreign.files import Tree, reason_of
from assay.foreign.text import shorten_all
from assay.shell import Text, line
from assay.subject import Subject, nodelist
from references import reference, variable_of

HERE = Path(__file__).resolve().parent

Steps = Sequence[Step | Evict | Shell]

Commands = Sequence[Sequence[Text]]

plan_of = once(requirements)
"""The plan of a cluster, made once for all checks of a session."""


class AssayCheck(rfm.RunOnlyRegressionTest):
    """A check that is judged by the record of its steps and yields every metric of its entry."""

    #: `quick` for a trial in minutes, `acceptance` for figures to sign; select one with `-t`.
    scale = parameter(SCALES)

    #: Samples of each metric (this project's own choice; a median of 5 has an interval).
    repetitions = variable(int)

    #: Whether a second round takes the samples beyond the first, and only if these leave a verdict
    #: open; if not, one job takes all samples.
    until_decided = variable(typ.Bool, value=False)

    #: Number of further rounds that the campaign may take of what is open; planned beforehand.
    further_rounds = variable(int, value=0)

    #: The number of the round if the samples are taken in rounds; otherwise 0.
    round = variable(int, value=0, loggable=True)

    #: How often the samples may be judged, as was planned for the first round; 0 without rounds.
    looks = variable(int, value=0, loggable=True)

    #: Number of subjects whose open verdicts are the reason for this round.
    open = variable(int, value=0, loggable=True)

    #: Variable to the value of the scale and the value set instead; kept in ReFrame's run report.
    deviations = variable(typ.Dict, value={}, loggable=True)

    #: Metric to subject to samples, in the metric's unit; kept in ReFrame's run report.
    samples = variable(typ.Dict, value={}, loggable=True)

    #: Subject to its problems, in words; kept in ReFrame's run report.
    problems = variable(typ.Dict, value={}, loggable=True)

    #: Metric@subject to the sentence that says where its reference comes from.
    derivations = variable(typ.Dict, value={}, loggable=True)

    #: Metric to the unit of its samples.
    units = variable(typ.Dict, value={}, loggable=True)

    #: Version of these checks.
    checks_version = variable(str, value=__version__, loggable=True)

    #: Wall time of the benchmarks themselves, in seconds.
    benchmark_seconds = variable(float, value=0.0, loggable=True)

    #: Files beside this one that the job scripts source; hosts lack them, so they are copied.
    functions: Sequence[str] = ("steps.sh",)
    #: Other files beside this one that the job scripts need; these are copied, too.
    scripts: Sequence[str] = ()

    valid_prog_environs = ["site"]
    require_reference = True
    #: As long as the description of the cluster says, unless it is set.
    max_pending_time = None

    #: Whether fewer hosts of the partition would be another measurement.
    needs_all_hosts = True

    #: Hosts on which the check did not run, each with the reason in a sentence.
    left_out: Mapping[str, str] = {}

    #: Whether the check needs root where DAOS is deployed; also a tag, `root`.
    needs_root = False

    # What a check defines.

    def steps(self, subject: Subject) -> Steps:
        """The steps that measure a subject."""
        raise NotImplementedError

    def surroundings(self) -> Commands:
        """Commands that give a subject the environment of the site."""
        prolog = [["prolog", str(self.cluster.jobs.prolog)]] if self.cluster.jobs.prolog else []
        modules = self.cluster.jobs.modules
        return [*prolog, *([["load_modules", *modules]] if modules else [])]

    def guards(self, subject: Subject) -> Commands:
        """Commands that end the job with a sentence if it must not measure."""
        if self.cluster.daos is None or self.entry.phase == "system":
            return []
        return [["engines_stopped", self.entry.phase]]

    def room(self, subject: Subject) -> Commands:
        """Commands that create the directory of a subject's files, which is removed afterwards."""
        del subject
        return []

    def problems_before(self) -> list[str]:
        """Why the check must not run now, in words, as far as the controller can see it."""
        return [
            f"{name} = {getattr(self, name)}: should be {least} to {most}"
            for name, (least, most) in self.allowed().items()
            if not least <= getattr(self, name) <= most
        ]

    def problems_after(self) -> list[str]:
        """Problems that invalidate all figures of the run, as far as the controller sees them."""
        return []

    # Before the run.

    @run_after("init")
    def take_place_in_the_catalogue(self) -> None:
        name = type(self).__name__
        if name not in CHECKS:
            raise ReframeError(f"{name} has no entry in CHECKS of assay.checks.plan")
        self.entry = CHECKS[name]
        self.tags = {self.scale, self.entry.layer, self.entry.phase}
        if self.needs_root:
            self.tags.add("root")
        self.valid_systems = [" ".join(f"+{feature}" for feature in self.entry.features)]
        self.units = {metric.name: metric.unit for metric in self.entry.metrics}

    @property
    def scales(self) -> Scales:
        """The variables of each scale; `-S` takes precedence."""
        return self.entry.scales

    @run_after("init")
    def take_the_scale(self) -> None:
        for name, asked in self.scales[self.scale].items():
            if hasattr(self, name):
                self.note(name, asked, getattr(self, name))
            else:
                setattr(self, name, asked)

    @run_after("init", always_last=True)
    def describe_with_the_scale(self) -> None:
        summary = (type(self).__doc__ or "").strip().splitlines()[0].rstrip(".")
        sizes = ", ".join(f"{name}={size}" for name, size in self.sizes().items())
        self.descr = f"{summary} ({sizes})"

    def sizes(self) -> Mapping[str, int]:
        """The values of the check's variables."""
        return {name: getattr(self, name) for name in self.scales[self.scale]}

    def patient(self, limit_s: int, *names: str) -> int:
        """A time limit of the scale, extended in proportion if variables exceed the scale's."""
        asked = self.scales[self.scale]
        grown = prod(getattr(self, name) / asked[name] for name in names)
        return int(limit_s * max(1.0, grown))

    def note(self, name: str, asked: int, was: int) -> None:
        """Note a value that differs from the scale; the sign-off lists it."""
        if was != asked:
            self.deviations[name] = {"asked": asked, "was": was}

    def allowed(self) -> Mapping[str, tuple[int, int]]:
        """Minimum and maximum of each variable of the scale."""
        each = dict.fromkeys(self.scales[self.scale], (1, 10**9))
        return each | {"repetitions": (1, limits.SAMPLES)}

    @run_after("setup")
    def learn_the_cluster(self) -> None:
        self.cluster: Cluster = self.current_partition.extras["cluster"]
        self.partition: Partition = self.current_partition.extras["partition"]
        self.hosts = self.cluster.members(self.partition)
        if self.max_pending_time is None:
            self.max_pending_time = f"{self.cluster.jobs.wait_min}m"
        self.case = CaseKey(self.entry.name, self.partition)
        plan = plan_of(self.cluster)
        self.requirements = plan.cases.get(self.case, ())
        self.subjects = plan.subjects(self.case)

    @run_after("setup")
    def skip_what_was_measured(self) -> None:
        extras = self.current_partition.extras
        earlier: Results | None = extras["earlier"]
        measured = earlier and not any(map(earlier.problems, self.requirements))
        if measured and self.case not in extras["undecided"]:
            self.skip("an earlier session of this campaign measured it")
        if extras["another_round"] and not measured:
            self.skip("the round before did not measure it")
        before = earlier.cases.get(self.case) if earlier else None
        if before and not measured:
            self.open = before.jobs[-1].open
            before = before.kept
        else:
            self.open = extras["undecided"].get(self.case, 0)
        self.take_a_round(before)

    def take_a_round(self, before: Case | None) -> None:
        """Take the samples of one round, if the campaign has several.

        Args:
            before: what the check has so far; None if this is its first round.
        """
        asked = self.scales[self.scale]["repetitions"]
        in_parts = before.stopped if before else self.until_decided and asked > FIRST
        if not (before or in_parts or self.further_rounds):
            return
        if self.repetitions != asked:
            raise ReframeError(
                f"repetitions = {self.repetitions} is set, and so are rounds (until_decided or"
                " further_rounds): choose one"
            )
        if before:
            self.looks, self.round = before.looks, len(before.jobs) + 1
            self.repetitions = asked - FIRST if in_parts else asked
        else:
            self.looks, self.round = 1 + self.until_decided + self.further_rounds, 1
            self.repetitions = FIRST if in_parts else asked
        self.note("repetitions", asked, self.repetitions)

    @run_before("run")
    def leave_out_hosts_that_are_lost(self) -> None:
        """Exclude nodes that take no jobs, since a job for them would wait in vain."""
        lost = self.lost_hosts()
        self.left_out = lost
        left = [name for name in self.hosts if name not in lost]
        if not lost:
            return
        if self.needs_all_hosts or not self.present:
            problems = [f"{lost_hosts.sentence(lost)}; {self.entry.name} was not queued"]
            if left and self.needs_all_hosts:
                problems[0] += f": it measures all {len(self.hosts)} hosts at once"
            self.problems = dict.fromkeys(map(str, self.subjects), problems)
            raise ReframeError("; ".join(problems))
        self.hosts = left

    def lost_hosts(self) -> Mapping[str, str]:
        """The hosts of the partition that take no jobs, each with Slurm's reason in a sentence."""
        if self.is_dry_run() or self.current_partition.scheduler.registered_name == "local":
            return {}
        return lost_hosts.among(self.cluster.jobs.partitions[self.partition], self.hosts)

    @property
    def present(self) -> tuple[Subject, ...]:
        """The subjects without a host that is lost."""
        return tuple(subject for subject in self.subjects if not self._absent(subject))

    def _absent(self, subject: Subject) -> Mapping[str, str]:
        """The lost hosts of a subject."""
        return {name: self.left_out[name] for name in subject.hosts if name in self.left_out}

    @run_before("run")
    def refuse_what_would_be_no_measurement(self) -> None:
        if problems := self.problems_before():
            self.problems = dict.fromkeys(map(str, self.subjects), problems)
            raise ReframeError("; ".join(problems))

    @run_before("run")
    def take_the_time(self) -> None:
        self.began = time.time()

    @run_before("run")
    def take_the_hosts(self) -> None:
        # The site's partition may have other nodes, too.
        if self.current_partition.scheduler.registered_name != "local":
            self.job.options.append(f"--nodelist={nodelist(self.hosts)}")
        self.num_tasks = len(self.hosts)
        self.num_tasks_per_node = 1
        self.num_cpus_per_task = min(self.cluster.hosts[name].cores for name in self.hosts)
        self.executable = "bash"
        self.keep_files = ["raw", "*.sh", "*.fio", "*.err", "fdb.*"]
        for name in (*self.functions, *self.scripts):
            shutil.copy(HERE / name, self.stagedir)

    # Parts of job scripts.

    @property
    def times(self) -> range:
        """The numbers of the samples, from 1."""
        return range(1, self.repetitions + 1)

    def benchmark(self, name: str) -> Path:
        """The path of a benchmark's program or file; the plan requires no check without it."""
        path: Path | None = getattr(self.cluster.benchmarks, name)
        if path is None:
            raise ReframeError(f"benchmarks.{name} is not set, and {self.entry.name} needs it")
        return path

    def sources(self) -> list[str]:
        """The lines of a job script that read its functions."""
        return [f". ./{name}" for name in self.functions]

    def block(self, subject: Subject) -> list[str]:
        """The part of a job script that measures a subject, apart from the other parts."""
        begin = [
            ["subject", directory_of(subject)],
            *self.surroundings(),
            *self.guards(subject),
            *self.room(subject),
        ]
        steps = [step.line() for step in self.steps(subject)]
        return ["(", *map(line, begin), *steps, ")"]

    def limit_s(self, subject: Subject) -> int:
        """Time limit of all steps of a subject together, in seconds."""
        return sum(step.limit_s for step in self.steps(subject) if isinstance(step, Step))

    def allowed_s(self, limit_s: int) -> int:
        """A time limit of a job, in seconds, or the one of the site's partition if it is less.

        Steps end long before their limits, so a job may be well within both.
        """
        longest_min = self.cluster.jobs.longest_min
        return limit_s if longest_min is None else min(limit_s, longest_min * 60)

    def write(self, name: str, lines: Iterable[str]) -> None:
        """Write a file into the stage directory, where the job finds it."""
        path = Path(self.stagedir, name)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    # From record to samples.

    @property
    def measured(self) -> Run:
        """The run, as the raw outputs are read by."""
        return Run(self.cluster, self.entry, self.partition, self.scale, self.sizes())

    @property
    def raw(self) -> RawOutputs:
        """The raw outputs of the job."""
        return RawOutputs(Tree(Path(self.stagedir)))

    @sanity_function
    def every_metric_is_measured(self) -> Any:
        self.samples = {metric.name: {} for metric in self.entry.metrics}
        self.problems = {}
        stage = Path(self.stagedir)
        strange = leftovers.strange(stage, self.subjects)
        common = [*self.problems_after(), *leftovers.core_dumps(stage), *strange.pop(None, [])]
        lost = self.lost_hosts()
        ran = []
        for subject in self.subjects:
            if absent := self._absent(subject):
                self.problems[str(subject)] = [
                    f"{lost_hosts.sentence(absent)}; nothing was queued for it"
                ]
                continue
            left = self.raw.of(subject)
            try:
                done = left.steps()
                ran += done
                own = (
                    strange.get(subject)
                    or [*common, *problems_of(left, self.steps(subject))]
                    or [*misplaced(done, self.began, time.time())]
                    or self._collect(subject)
                )
            # A parser that raises costs its own subject, and not those of all hosts.
            except Exception as error:
                own = [f"what {subject} left cannot be read: {reason_of(error)}"]
            if own:
                why = [f"{lost_hosts.sentence(lost)} since the job began"] if lost else []
                self.problems[str(subject)] = shorten_all([*why, *own], limits.FOUND)
        self.benchmark_seconds = busy_s(ran)
        return sn.assert_false(
            bool(self.problems),
            msg="; ".join(f"{subject}: {reasons[0]}" for subject, reasons in self.problems.items()),
        )

    def _collect(self, subject: Subject) -> list[str]:
        """Store a subject's samples, and return their problems."""
        samples, problems = samples_of(self.measured, subject, self.raw)
        for name, values in samples.items():
            self.samples[name][str(subject)] = values
        return problems

    # References.

    @run_before("performance")
    def set_references(self) -> None:
        """Set references with which ReFrame itself fails figures that are too slow or too good.

        A limit that depends on a lower layer's figures gives no reference here, regardless of what
        ran before. The sign-off knows all figures and judges it.
        """
        if self.is_dry_run():
            return
        self.perf_variables = {}
        references = {}
        nothing_yet = Measured({}, self.scale)
        for metric in self.requirements:
            middle = median(self.samples[metric.name][str(metric.subject)])
            name = variable_of(metric)
            expected = expectation(self.cluster, self.as_run(metric), nothing_yet)
            self.perf_variables[name] = sn.make_performance_function(sn.defer(middle), metric.unit)
            references[name] = reference(expected)
            self.derivations[name] = expected.derivation
        self.reference = {"*": references}

    def as_run(self, metric: Requirement) -> Requirement:
        """A requirement, adapted to variables that were set differently from the scale."""
        return metric
