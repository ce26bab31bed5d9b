"""Build the RPM repositories of a host that calls itself of another family, of Debian's programs.

Usage: repository.py DIRECTORY STAND_IN LIST..., in a Debian container with rpm, createrepo_c, gpg
and PyYAML; as root, with a package registry. Each package of the lists goes into
DIRECTORY/REPOSITORY; the names of those that a fresh host has are written to DIRECTORY/installed,
and the Debian packages that the programs need besides to DIRECTORY/needed, and those whose files
are packed to DIRECTORY/packed, one a line. STAND_IN has the stand-ins of DAOS. The repository
`daos` is signed, and has its key in RPM-GPG-KEY-DAOS.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

FILESYSTEM = frozenset(
    (
        "/etc",
        "/etc/ld.so.conf.d",
        "/etc/logrotate.d",
        "/etc/sysctl.d",
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
        "/usr/libexec",
        "/usr/lib64",
        "/usr/sbin",
        "/usr/share",
        "/usr/share/doc",
        "/var",
        "/var/lib",
        "/var/log",
        "/var/spool",
    )
)
"""Directories that a host has without any of these packages."""

USER = """\
getent group {user} > /dev/null || groupadd -r {gid} {user}
getent passwd {user} > /dev/null || useradd -r {uid} -g {user} -d / -s /sbin/nologin {user}
"""

SIGNER = "stand-in of the DAOS project"


@dataclass(frozen=True)
class Rpm:
    """A package; `daos.yml` says what each key is."""

    name: str
    repository: str
    read_in: str
    debian: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    stand_in: Mapping[str, str] = field(default_factory=dict)
    text: Mapping[str, str] = field(default_factory=dict)
    modes: Mapping[str, str] = field(default_factory=dict)
    directories: Mapping[str, str] = field(default_factory=dict)
    config: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    requires_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    provides: tuple[str, ...] = ()
    version: str = ""
    user: str = ""
    number: int | None = None
    before: str = ""
    after: str = ""
    unit: str = ""
    leaves: bool = False
    installed: bool = False
    absent: bool = False


def read(*lists: Path) -> list[Rpm]:
    """The packages of lists; the last is that of the family, whose directory has its name."""
    family = lists[-1].parent.name
    listed = [each for path in lists for each in yaml.safe_load(path.read_text("utf-8")).items()]
    rpms = [Rpm(name=name, **each) for name, each in listed]
    return [
        replace(rpm, requires=(*rpm.requires, *rpm.requires_of.get(family, ()))) for rpm in rpms
    ]


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


def put(source: Path, target: Path) -> None:
    """Copy a file, or everything below a directory."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy2(source, target, follow_symlinks=False)


def stage(rpm: Rpm, sources: Path, stand_in: Path, tree: Path) -> None:
    """Put its files where the family has them."""
    for debian, paths in rpm.debian.items():
        for theirs, ours in paths.items():
            put(sources / debian / theirs[1:], tree / ours[1:])
    for theirs, ours in rpm.stand_in.items():
        put(stand_in / theirs, tree / ours[1:])
    for path, content in rpm.text.items():
        target = tree / path[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
        target.chmod(0o755 if content.startswith("#!") else 0o644)
    for path in rpm.directories:
        (tree / path[1:]).mkdir(parents=True, exist_ok=True)
    if rpm.debian:
        run(sys.executable, "-m", "compileall", "-q", "-s", tree, "-p", "/", tree)


def files(rpm: Rpm, tree: Path) -> Iterator[str]:
    """The lines of %files."""
    for each in sorted(tree.rglob("*")):
        path = f"/{each.relative_to(tree)}"
        is_directory = each.is_dir() and not each.is_symlink()
        if is_directory and (path in FILESYSTEM or (rpm.leaves and any(each.iterdir()))):
            continue
        owner = rpm.directories.get(path, "root")
        mode = "0755" if is_directory and owner == "root" else "0700" if is_directory else "-"
        attributes = rpm.modes.get(path, f"{mode}, {owner}, {owner}")
        config = "%config(noreplace) " if path in rpm.config else ""
        yield f"%attr({attributes}) {config}{'%dir ' if is_directory else ''}{path}"


def scripts(rpm: Rpm) -> Iterator[str]:
    """What runs when it comes and goes, as the macros of EL have it."""
    if rpm.user or rpm.before:
        gid, uid = ("", "") if rpm.number is None else (f"-g {rpm.number}", f"-u {rpm.number}")
        account = USER.format(user=rpm.user, gid=gid, uid=uid) if rpm.user else ""
        yield f"%pre\n{account}{rpm.before}exit 0\n"
    libraries = any(
        path.startswith("/usr/lib64") for each in rpm.debian.values() for path in each.values()
    )
    preset = f"systemctl --no-reload preset {rpm.unit} || :\nsystemctl daemon-reload || :\n"
    if rpm.unit or rpm.after:
        yield f"%post\n{rpm.after}{preset if rpm.unit else ''}"
    elif libraries:
        yield "%post -p /sbin/ldconfig\n%postun -p /sbin/ldconfig\n"
    if rpm.unit:
        yield f"%preun\n[ $1 != 0 ] || systemctl --no-reload disable --now {rpm.unit} || :\n"
        yield "%postun\nsystemctl daemon-reload || :\n"


def spec(rpm: Rpm, version: str, tree: Path) -> str:
    """Its spec file, which takes the files as they are."""
    lines = [
        f"Name: {rpm.name}",
        f"Version: {version}",
        "Release: 1",
        f"Summary: A stand-in, as read in {rpm.read_in}",
        "License: those of the packages of Debian that the files are of",
        "AutoReqProv: no",
        *(f"Requires: {each}" for each in rpm.requires),
        *(f"Provides: {each}" for each in rpm.provides),
        *(["Requires(pre): /usr/sbin/useradd"] if rpm.user else []),
        *(["Requires(post): systemd"] if rpm.unit else []),
        "%description",
        f"It has the name, files and dependencies of {rpm.name}, and other programs.",
        f"%install\ncp -a {tree}/. %{{buildroot}}/" if any(tree.iterdir()) else "%install",
        *scripts(rpm),
        "%files",
        *files(rpm, tree),
    ]
    return "\n".join(lines) + "\n"


def build(rpm: Rpm, version: str, tree: Path, out: Path) -> None:
    """Build a package into its repository."""
    with tempfile.TemporaryDirectory() as work:
        path = Path(work, f"{rpm.name}.spec")
        path.write_text(spec(rpm, version, tree), encoding="utf-8")
        run(
            "rpmbuild", "-bb", "--quiet", "--define", f"_rpmdir {out / rpm.repository}",
            "--define", f"_topdir {work}/build", "--define", "_build_name_fmt %%{NAME}.rpm",
            "--define", "__os_install_post %{nil}", "--define", "debug_package %{nil}",
            "--define", "_build_id_links none", path,
        )  # fmt: skip


def sign(repository: Path, home: Path) -> None:
    """Sign packages and their list with a new key, which is put beside them and is not locked."""
    gpg = ("gpg", "--homedir", home, "--batch", "--quiet", "--pinentry-mode", "loopback",
           "--passphrase", "")  # fmt: skip
    run(*gpg, "--quick-generate-key", SIGNER, "rsa2048", "sign", "never")
    run(
        "rpmsign", "--addsign", "--define", f"_gpg_name {SIGNER}", "--define", f"_gpg_path {home}",
        "--define", "__gpg /usr/bin/gpg", *sorted(repository.glob("*.rpm")),
    )  # fmt: skip
    run("createrepo_c", "--quiet", "--compatibility", repository)
    run(*gpg, "--detach-sign", "--armor", repository / "repodata/repomd.xml")
    for key in ("RPM-GPG-KEY-DAOS", "repodata/repomd.xml.key"):
        run(*gpg, "--armor", "--output", repository / key, "--export", SIGNER)


def main(out: Path, stand_in: Path, *lists: Path) -> None:
    """Build all packages of the lists that are not absent."""
    rpms = [rpm for rpm in read(*lists) if not rpm.absent]
    names = list(dict.fromkeys(name for rpm in rpms for name in rpm.debian))
    with tempfile.TemporaryDirectory() as work:
        sources, home = Path(work, "sources"), Path(work, "gnupg")
        sources.mkdir()
        home.mkdir(mode=0o700)
        versions = unpack(names, sources)
        for rpm in rpms:
            tree = Path(work, "trees", rpm.name)
            tree.mkdir(parents=True)
            stage(rpm, sources, stand_in, tree)
            version = rpm.version or next((versions[name] for name in rpm.debian), "1")
            build(rpm, version, tree, out)
        for repository in sorted({rpm.repository for rpm in rpms} - {"daos"}):
            run("createrepo_c", "--quiet", "--compatibility", out / repository)
        sign(out / "daos", home)
    (out / "packed").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    present = [f"{rpm.repository}/{rpm.name}.rpm\n" for rpm in rpms if rpm.installed]
    (out / "installed").write_text("".join(present), encoding="utf-8")
    (out / "needed").write_text("".join(f"{name}\n" for name in needed(names)), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
