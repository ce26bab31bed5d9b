"""Programs that others than root may write."""

from sites import findings, only, put, site


def test_a_program_that_others_may_write_is_refused() -> None:
    found = {"path": "/home/eve/bin", "owner": "eve", "mode": "0775"}
    finding = only(put(site(), {"s1: writable": [found]}))
    assert (finding.host, finding.key) == ("s1", "programs")
    assert finding.value == "/home/eve/bin of eve with mode 0775"
    assert "chown root and chmod go-w" in finding.allowed
    assert finding.severity == "error"


def test_each_of_them_is_named() -> None:
    several = [{"path": path, "owner": "eve", "mode": "0755"} for path in ("/a", "/a/ior")]
    assert len(findings(put(site(), {"s1: writable": several}))) == 2


def test_a_directory_in_which_others_may_put_a_link_is_refused() -> None:
    found = {"path": "/home/eve", "owner": "eve", "mode": "0755"}
    finding = only(put(site(), {"s1: replaceable": [found]}))
    assert (finding.host, finding.key) == ("s1", "directories")
    assert finding.value == "/home/eve of eve with mode 0755"
    assert "benchmarks_scratch" in finding.allowed
    assert finding.severity == "error"
