"""What the checks that run fdb-hammer need."""

from reframe.core.builtins import variable

from assay.tools.fdb_hammer import Fields
from mixins.plugin import Mixin


class RunsFdbHammer(Mixin):
    """Processes at once write fields and read them back, every field checked; a step a phase."""

    #: Fields that each process writes, and brings to the disk, at once.
    fields_per_step = variable(int)

    #: How often it does, over all of its databases.
    field_steps = variable(int)

    @property
    def fields(self) -> Fields:
        """Fields of each process, over all of its databases."""
        return Fields(per_step=self.fields_per_step, steps=self.field_steps)

    @property
    def field(self) -> str:
        """The path of the field that all fields are copies of."""
        return str(self.benchmark("fdb_share") / "field.grib")
