from xml.etree import ElementTree

import pytest

from assay.judge.signoff import Gate
from assay.report import junit
from synthetic import campaign, cluster, every_verdict, judgement, mixed, signed


def cases(sign_off):
    root = ElementTree.fromstring(junit.render(sign_off).encode())
    return root, {case.get("name"): case for case in root.iter("testcase")}


def properties(case):
    return {item.get("name"): item.get("value") for item in case.find("properties")}


@pytest.mark.parametrize(
    ("gate", "failures"),
    [
        (Gate.ACCEPTANCE, {"implausible", "below", "unsteady"}),
        (Gate.MEASURED, {"implausible"}),
    ],
)
def test_failures_are_what_the_gate_does_not_let_through(gate, failures):
    root, by_name = cases(every_verdict(gate))
    assert {
        case.find("failure").get("type")
        for case in by_name.values()
        if case.find("failure") is not None
    } == failures
    assert {name for name, case in by_name.items() if case.find("error") is not None} == {
        "read_1m on missing"
    }
    assert (root.get("tests"), root.get("errors"), root.get("skipped")) == ("7", "1", "1")
    assert root.get("failures") == str(len(failures))


def test_an_unrated_metric_passes_and_says_so():
    _, by_name = cases(every_verdict())
    unrated = by_name["read_1m on unrated"]
    assert [child.tag for child in unrated] == ["properties"]
    assert properties(unrated)["verdict"] == "unrated"


def test_every_required_metric_is_a_case_of_its_layer_and_check():
    sign_off = campaign(cluster())
    root, _ = cases(sign_off)
    named = [(c.get("classname"), c.get("name")) for c in root.iter("testcase")]
    assert [(check, name) for check, name in named if check != "coverage"] == [
        (
            f"{j.requirement.layer}.{j.requirement.check}",
            f"{j.requirement.name} on {j.requirement.subject}",
        )
        for j in sign_off.judgements
    ]
    assert [suite.get("name") for suite in root if suite.get("name") != "coverage"] == [
        "network",
        "scm",
        "ssd",
        "client",
        "endtoend",
        "metadata",
    ]


def test_figures_and_derivation_are_properties():
    _, by_name = cases(every_verdict())
    values = properties(by_name["read_1m on pass"])
    assert values["median"] == "100"
    assert (values["unit"], values["floor"], values["ceiling"]) == ("MiB/s", "80", "200")
    assert values["samples"].split()[:2] == ["100", "101"]
    assert values["derivation"] == "a sentence that says where this came from"


def test_a_plan_that_requires_nothing_does_not_pass():
    root, by_name = cases(signed(cluster(), Gate.ACCEPTANCE, []))
    assert (root.get("tests"), root.get("errors")) == ("1", "1")
    assert "requires no metric" in by_name["requires a metric"].find("error").get("message")


def test_what_a_terminal_understands_and_xml_does_not_is_replaced():
    root, _ = cases(mixed())
    errors = [error.text for error in root.iter("error") if error.text]
    assert any("<unexpected> & �[31mred" in text for text in errors)


def test_a_name_with_markup_in_it_stays_a_name():
    strange = judgement(problems=['a "quoted" <reason> & more'], subject="<n&1>")
    _, by_name = cases(signed(cluster(), Gate.ACCEPTANCE, [strange]))
    assert by_name["read_1m on <n&1>"].find("error").get("message") == 'a "quoted" <reason> & more'
