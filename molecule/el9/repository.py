"""Build the RPM repositories of a host that calls itself Rocky 9, with Debian's programs in them.

Usage: repository.py RPMS.YML DIRECTORY, in a Debian container with rpm, createrepo_c and PyYAML; as
root, with a package registry. Each package of the list goes into DIRECTORY/REPOSITORY; the names of
those that a fresh host has are written to DIRECTORY/installed, and the Debian packages that the
programs need besides to DIRECTORY/needed, and those whose files are packed to DIRECTORY/packed, one
a line.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

FILESYSTEM = frozenset(
    (
        "/etc",
        "/etc/logrotate.d",
        "/etc/yum.repos.d",
        "/run",
        "/usr",
        "/usr/bin",
        "/usr/lib",
        "/usr/lib/python3",
        "/usr/lib/python3.11",
        "/usr/lib/python3/dist-packages",
        "/usr/lib/python3/dist-packages/dnf-plugins",
        "/usr/lib/systemd",
        "/usr/lib/systemd/system",
        "/usr/lib/tmpfiles.d",
        "/usr/lib64",
        "/usr/sbin",
        "/usr/share",
        "/var",
        "/var/lib",
        "/var/log",
        "/var/spool",
    )
)
"""Directories that a host has without any of these packages."""

USER = """\
getent group {user} > /dev/null || groupadd -r {user}
getent passwd {user} > /dev/null || useradd -r -g {user} -d / -s /sbin/nologin {user}
exit 0
"""


@dataclass(frozen=True)
class Rpm:
    """A package; `rpms.yml` says what each key is."""

    name: str
    repository: str
    read_in: str
    debian: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    text: Mapping[str, str] = field(default_factory=dict)
    directories: Mapping[str, str] = field(default_factory=dict)
    config: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    user: str = ""
    unit: str = ""
    installed: bool = False
    absent: bool = False


def read(path: Path) -> list[Rpm]:
    """The packages of a list."""
    listed = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [Rpm(name=name, **each) for name, each in listed.items()]


def run(*words: str | Path, cwd: Path | None = None) -> str:
    """What a command prints."""
    return subprocess.run(words, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True).stdout


def needed(names: list[str]) -> list[str]:
    """The Debian packages that these need, without these themselves."""
    lines = run("apt-get", "--simulate", "--no-install-recommends", "install", *names).splitlines()
    installed = [line.split()[1] for line in lines if line.startswith("Inst ")]
    return [name for name in installed if name not in names]


def unpack(names: list[str], root: Path) -> dict[str, str]:
    """Their files, each below a directory of its name; and their upstream versions."""
    run("apt-get", "download", *names, cwd=root)
    versions = {}
    for deb in root.glob("*.deb"):
        name, version = run("dpkg-deb", "--show", "--showformat=${Package} ${Version}", deb).split()
        run("dpkg-deb", "--extract", deb, root / name)
        versions[name] = version.split(":")[-1].rpartition("-")[0].partition("+")[0]
    return versions


def stage(rpm: Rpm, unpacked: Path, tree: Path) -> None:
    """Put its files where EL has them."""
    for debian, paths in rpm.debian.items():
        for theirs, ours in paths.items():
            source, target = unpacked / debian / theirs[1:], tree / ours[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
            else:
                shutil.copy2(source, target, follow_symlinks=False)
    for path, content in rpm.text.items():
        target = tree / path[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
    for path in rpm.directories:
        (tree / path[1:]).mkdir(parents=True, exist_ok=True)
    run(sys.executable, "-m", "compileall", "-q", "-s", tree, "-p", "/", tree)


def files(rpm: Rpm, tree: Path) -> Iterator[str]:
    """The lines of %files."""
    for each in sorted(tree.rglob("*")):
        path = f"/{each.relative_to(tree)}"
        directory = "%dir " if each.is_dir() and not each.is_symlink() else ""
        if not directory or path not in FILESYSTEM:
            owner = rpm.directories.get(path, "root")
            mode = "0755" if directory and owner == "root" else "0700" if directory else "-"
            config = "%config(noreplace) " if path in rpm.config else ""
            yield f"%attr({mode}, {owner}, {owner}) {config}{directory}{path}"


def scripts(rpm: Rpm) -> Iterator[str]:
    """What runs when it comes and goes, as the macros of EL have it."""
    if rpm.user:
        yield "%pre\n" + USER.format(user=rpm.user)
    libraries = any(
        path.startswith("/usr/lib64") for each in rpm.debian.values() for path in each.values()
    )
    if rpm.unit:
        yield f"%post\nsystemctl --no-reload preset {rpm.unit} || :\nsystemctl daemon-reload || :\n"
        yield f"%preun\n[ $1 != 0 ] || systemctl --no-reload disable --now {rpm.unit} || :\n"
        yield "%postun\nsystemctl daemon-reload || :\n"
    elif libraries:
        yield "%post -p /sbin/ldconfig\n%postun -p /sbin/ldconfig\n"


def spec(rpm: Rpm, version: str, tree: Path) -> str:
    """Its spec file, which takes the files as they are."""
    lines = [
        f"Name: {rpm.name}",
        f"Version: {version}",
        "Release: 1.el9",
        f"Summary: A stand-in for that of EL 9, as read in {rpm.read_in}",
        "License: those of the packages of Debian that the files are of",
        "AutoReqProv: no",
        *(f"Requires: {each}" for each in rpm.requires),
        *(f"Provides: {each}" for each in rpm.provides),
        *(["Requires(pre): shadow-utils"] if rpm.user else []),
        *(["Requires(post): systemd"] if rpm.unit else []),
        "%description",
        f"It has the name, files and dependencies of EL's {rpm.name}, and Debian's programs.",
        f"%install\ncp -a {tree}/. %{{buildroot}}/" if any(tree.iterdir()) else "%install",
        *scripts(rpm),
        "%files",
        *files(rpm, tree),
    ]
    return "\n".join(lines) + "\n"


def build(rpm: Rpm, versions: Mapping[str, str], unpacked: Path, out: Path) -> None:
    """Build a package into its repository."""
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work, "tree")
        tree.mkdir()
        stage(rpm, unpacked, tree)
        version = next((versions[name] for name in rpm.debian), "1")
        path = Path(work, f"{rpm.name}.spec")
        path.write_text(spec(rpm, version, tree), encoding="utf-8")
        run(
            "rpmbuild", "-bb", "--quiet", "--define", f"_rpmdir {out / rpm.repository}",
            "--define", f"_topdir {work}/build", "--define", "_build_name_fmt %%{NAME}.rpm",
            "--define", "__os_install_post %{nil}", "--define", "debug_package %{nil}",
            "--define", "_build_id_links none", path,
        )  # fmt: skip


def main(listed: Path, out: Path) -> None:
    """Build all packages of a list that are not absent."""
    rpms = [rpm for rpm in read(listed) if not rpm.absent]
    names = list(dict.fromkeys(name for rpm in rpms for name in rpm.debian))
    with tempfile.TemporaryDirectory() as unpacked:
        versions = unpack(names, Path(unpacked))
        for rpm in rpms:
            build(rpm, versions, Path(unpacked), out)
    for repository in sorted({"crb", *(rpm.repository for rpm in rpms)}):
        (out / repository).mkdir(exist_ok=True)
        run("createrepo_c", "--quiet", "--compatibility", out / repository)
    (out / "packed").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    present = [f"{rpm.repository}/{rpm.name}.rpm\n" for rpm in rpms if rpm.installed]
    (out / "installed").write_text("".join(present), encoding="utf-8")
    (out / "needed").write_text("".join(f"{name}\n" for name in needed(names)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
