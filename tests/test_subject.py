"""Subjects: parsed once, printed once, and nothing else is one."""

import pytest
from ClusterShell.NodeSet import NodeSet
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.plan import requirements
from assay.cluster.description import Cluster
from assay.subject import Subject, SubjectError, folded, nodelist

HOSTS = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9_-]|\.[A-Za-z0-9])*", fullmatch=True)
ENDS = st.one_of(
    st.builds(Subject, HOSTS),
    st.builds(Subject, HOSTS, engine=st.integers(0, 999)),
    st.builds(Subject, HOSTS, device=st.sampled_from(["0000:81:00.0", "5d0505:01:00.0"])),
    st.builds(Subject, HOSTS, backend=st.sampled_from(["posix", "dfs", "pil4dfs", "hdf5"])),
    st.builds(Subject, HOSTS, containers=st.integers(1, 999)),
)
SUBJECTS = st.one_of(ENDS, st.builds(Subject.to, ENDS, ENDS))


@given(SUBJECTS)
def test_what_is_printed_is_parsed_again(subject: Subject) -> None:
    assert Subject.parse(str(subject)) == subject
    assert hash(Subject.parse(str(subject))) == hash(subject)


@given(SUBJECTS, SUBJECTS)
def test_subjects_are_ordered_as_they_are_spelled(one: Subject, other: Subject) -> None:
    assert sorted([one, other]) == sorted([one, other], key=str)


@given(st.text())
def test_a_text_is_the_spelling_of_a_subject_or_refused(text: str) -> None:
    try:
        subject = Subject.parse(text)
    except SubjectError:
        return
    assert str(subject) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        ">",
        "..",
        "../n1",
        "n1/..",
        "n1/../n2",
        "n..1",
        ".n1",
        "-n1",
        "/etc",
        "n1/",
        "n1/engine",
        "n1/engine01",
        "n1/engine0/x",
        "n1/engine0 ",
        "n1\n",
        "n1/dfs\n",
        "n1\x1b[31m",
        "n1\u202e",
        "n\u00e9",
        "n\u0661",
        "n1/engine\u0661",
        "n1/DFS",
        "n1/0000:81:00.8",
        "n1/0000:8:00.0",
        "clients/0-containers",
        "clients/1000-containers",
        "n1>",
        ">n1",
        "n1>n2>n3",
        "n1>n2/..",
        "n1 > n2",
        "$(id)",
        "n1;id",
    ],
)
def test_what_is_not_a_subject_is_refused(text: str) -> None:
    with pytest.raises(SubjectError):
        Subject.parse(text)


def test_a_pair_has_two_ends_and_their_hosts() -> None:
    pair = Subject.parse("s1/engine0>s1/engine1")
    assert pair.ends == (Subject("s1", engine=0), Subject("s1", engine=1))
    assert pair.hosts == ("s1",)
    assert Subject.parse("n1").ends == (Subject("n1"),)


def test_every_subject_of_a_plan_is_one(cluster: Cluster, one_machine: Cluster) -> None:
    for each in (cluster, one_machine):
        for metric in requirements(each):
            assert Subject.parse(str(metric.subject)) == metric.subject


def numbered(start: str, numbers: range, width: int = 1) -> list[str]:
    return [f"{start}{number:0{width}}" for number in numbers]


@pytest.mark.parametrize(
    ("hosts", "text"),
    [
        (["n1", "n2", "n3", "n7"], "n[1-3,7]"),
        (["n1", "n2"], "n[1-2]"),
        (["n5"], "n5"),
        (["n0", "n1"], "n[0-1]"),
        (["s01", "s02", "s10"], "s[01-02,10]"),
        (numbered("client", range(1, 101), 3), "client[001-100]"),
        (numbered("node", range(1, 41), 2), "node[01-40]"),
        (numbered("node", range(98, 102), 2), "node[98-101]"),
        (numbered("node", range(8, 101), 2), "node[08-100]"),
        (["n1", "n01", "n2", "n10"], "n[01,10],n[1-2]"),
        (["n1", "n"], "n,n1"),
        (["login"], "login"),
        ([f"{c}.example.org" for c in numbered("c", range(1, 100), 3)], "c[001-099].example.org"),
        (["c1.a.org", "c2.a.org", "c2.b.org", "c3", "a.org"], "c[1-2].a.org,c2.b.org,c3,a.org"),
        (["192.0.2.1", "192.0.2.2", "r1.n1", "r1.n2"], "192.0.2.[1-2],r1.n[1-2]"),
        (["n\N{ARABIC-INDIC DIGIT THREE}"], "n\N{ARABIC-INDIC DIGIT THREE}"),
        (["login", "n1", "n3"], "login,n[1,3]"),
        ([], ""),
    ],
)
def test_hosts_are_folded(hosts: list[str], text: str) -> None:
    assert folded(hosts) == text


def test_slurm_is_given_no_brackets_within_a_name() -> None:
    """`scontrol show hostnames c[1-2].a.org` says Invalid hostlist."""
    assert nodelist(["c1.a.org", "c2.a.org", "n1", "n2"]) == "c1.a.org,c2.a.org,n[1-2]"


@given(st.sets(st.from_regex(r"(n|r1-n|login)(0{0,3}[0-9]{1,3})?(\.a\.org)?", fullmatch=True)))
def test_cluster_shell_unfolds_what_was_folded(hosts: set[str]) -> None:
    assert set(NodeSet(folded(sorted(hosts)))) == hosts
