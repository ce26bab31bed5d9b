"""What the checks that write files need."""

from pathlib import Path

from assay.subject import Subject
from assay_check import Commands
from mixins.plugin import Mixin


class WritesFiles(Mixin):
    """Files in a directory of the job's own, which goes away with it, and is refused without room.

    In job scripts that directory is `$SCRATCH`.
    """

    def needed_mib(self) -> int:
        """MiB that a subject needs."""
        raise NotImplementedError

    def directory(self, subject: Subject) -> Path:
        """Below which directory they are written: the host's scratch directory."""
        scratch = self.cluster.hosts[subject.host].scratch
        assert scratch
        return scratch.directory

    def room(self, subject: Subject) -> Commands:
        """A scratch directory."""
        return [["scratch", str(self.directory(subject)), str(self.needed_mib())]]
