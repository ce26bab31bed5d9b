"""daos_agent's log: clients that got a far interface, or none."""

from hypothesis import given
from hypothesis import strategies as st

from assay.tools.daos.agent_log import parse
from recordings import recorded

TOOL = "agent_log"
TWO = recorded(TOOL, "two_nodes.log")


def test_counts_clients_by_node_and_interface():
    parsed = parse(TWO)
    assert parsed.problems == ()
    assert [
        (sample.labels["numa"], sample.labels["interface"], sample.value)
        for sample in parsed.samples
    ] == [("0", "ib0", 3.0), ("1", "ib1", 1.0)]


def test_counts_the_processes_of_a_benchmark_alone():
    (sample,) = parse(recorded(TOOL, "one_node.log"), program="ior").samples
    assert (sample.labels["interface"], sample.value) == ("lo", 2.0)


def test_a_near_interface_is_one_of_the_clients_node():
    parsed = parse(TWO, nodes={"ib0": 0, "ib1": 1})
    assert parsed.problems == ()
    assert [(sample.metric, sample.value) for sample in parsed.samples] == [("near_clients", 4.0)]


def test_a_far_interface_is_named():
    assert parse(TWO, nodes={"ib0": 0, "ib1": 0}).problems == (
        "1 clients on NUMA node 1 got ib1, which is on node 0: each message crosses the sockets",
    )


def test_an_interface_that_nobody_described_is_named():
    assert parse(TWO, nodes={"ib0": 0}).problems == (
        "ib1, given to 1 clients, has no NUMA node in the description",
    )


def test_an_agent_that_sees_no_fabric_says_so():
    assert parse(recorded(TOOL, "no_device.log")).problems == (
        "the agent found no network device: see include_fabric_ifaces and provider",
    )


def test_the_sentence_of_old_agents_counts():
    line = "No network devices bound to client NUMA node 1.  Using response from NUMA 0"
    assert parse(line).problems == (f"the agent: {line}",)


def test_a_client_whose_node_is_not_known_is_named_once():
    line = "pid:7: unable to get NUMA node: no such process\n"
    assert parse(line * 2).problems == (
        "the agent could not determine a client's NUMA node: no such process",
    )


def test_a_log_in_which_nobody_asked_reports_nothing():
    assert parse(recorded(TOOL, "one_node.log"), program="mdtest").problems == (
        "the agent's log names no client: did any client ask, and is the log level INFO?",
    )


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


def test_an_agent_that_ends_and_begins_has_the_clients_of_both():
    parsed = parse(recorded(TOOL, "terminated.log"))
    assert parsed.problems == ()
    assert [sample.value for sample in parsed.samples] == [3.0]


def test_what_an_agent_closes_when_it_begins_is_no_client():
    parsed = parse(recorded(TOOL, "evicts_on_start.log"))
    assert parsed.samples == ()
