"""For checks that run fdb-hammer."""

from reframe.core.builtins import variable

from assay.tools.fdb_hammer import Fields
from mixins.plugin import Mixin


class RunsFdbHammer(Mixin):
    """Several processes write fields, then read and check them; each phase is a step."""

    #: Fields that each process writes and flushes to the disk together.
    fields_per_step = variable(int)

    #: Number of such steps of each process, over all of its databases.
    field_steps = variable(int)

    @property
    def fields(self) -> Fields:
        """Fields of each process, over all of its databases."""
        return Fields(per_step=self.fields_per_step, steps=self.field_steps)

    @property
    def field(self) -> str:
        """The path of the field of which all fields are copies."""
        return str(self.benchmark("fdb_share") / "field.grib")
