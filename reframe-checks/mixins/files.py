"""For checks that write files."""

from pathlib import Path

from assay.subject import Subject
from assay_check import Commands
from mixins.plugin import Mixin


class WritesFiles(Mixin):
    """Files in a separate directory, which is removed with the job; it needs enough free space.

    In job scripts, that directory is `$SCRATCH`.
    """

    def needed_mib(self) -> int:
        """MiB that a subject needs."""
        raise NotImplementedError

    def directory(self, subject: Subject) -> Path:
        """The parent of that directory: the host's scratch directory."""
        scratch = self.cluster.hosts[subject.host].scratch
        assert scratch
        return scratch.directory

    def room(self, subject: Subject) -> Commands:
        """Create that directory."""
        return [["scratch", str(self.directory(subject)), str(self.needed_mib())]]
