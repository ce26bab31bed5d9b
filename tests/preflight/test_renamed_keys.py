"""Keys of other releases, by their meaning."""

import pytest

from assay.cluster.releases import names
from assay.preflight.keys import agent, renamed, server


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("servers", "DAOS 1.2 was the last with it: today engines"),
        ("bdev_include", "DAOS 2.2 was the last with it: today bdev_list"),
        ("enable_vmd", "DAOS 2.4 was the last with it: today disable_vmd, with the opposite value"),
        ("rank", "DAOS 2.2 was the last with it: leave it out"),
        ("scm_class", "DAOS 2.4 was the last with it: today class, in storage of an engine"),
    ],
)
def test_an_old_key_has_its_last_release_and_its_meaning(key: str, words: str) -> None:
    assert words in renamed.meaning(key, server.SETTINGS.keys)


def test_a_key_that_never_was_has_no_meaning() -> None:
    assert renamed.meaning("enable_vdm", server.SETTINGS.keys) == ""


def test_the_agent_never_got_the_name_of_the_server() -> None:
    assert renamed.meaning("mgmt_svc_replicas", agent.SETTINGS.keys) == " (here access_points)"


def test_each_deprecated_key_has_a_successor_that_its_release_knows() -> None:
    deprecated = {
        name: key
        for name, key in server.SETTINGS.keys.items()
        if key.deprecated is not None and name != "firmware_helper_log_file"
    }
    assert deprecated
    for name, key in deprecated.items():
        successor = server.SETTINGS.keys[renamed.successor(name)]
        assert all(
            version in successor.versions for version in names() if key.is_deprecated(version)
        )
