"""Programs that others than root may write."""

from sites import only, problems, put, site


def test_a_program_that_others_may_write_is_refused() -> None:
    file = {"path": "/home/eve/bin", "owner": "eve", "mode": "0775"}
    problem = only(put(site(), {"s1: writable": [file]}))
    assert (problem.host, problem.key) == ("s1", "programs")
    assert problem.value == "/home/eve/bin of eve with mode 0775"
    assert "chown root and chmod go-w" in problem.allowed
    assert problem.severity == "error"


def test_each_of_them_is_named() -> None:
    several = [{"path": path, "owner": "eve", "mode": "0755"} for path in ("/a", "/a/ior")]
    assert len(problems(put(site(), {"s1: writable": several}))) == 2


def test_a_directory_in_which_others_may_put_a_link_is_refused() -> None:
    file = {"path": "/home/eve", "owner": "eve", "mode": "0755"}
    problem = only(put(site(), {"s1: replaceable": [file]}))
    assert (problem.host, problem.key) == ("s1", "directories")
    assert problem.value == "/home/eve of eve with mode 0755"
    assert "benchmarks_scratch" in problem.allowed
    assert problem.severity == "error"
