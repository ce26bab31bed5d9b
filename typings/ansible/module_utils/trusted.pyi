from assay.tools.host.trusted import NotRunError as NotRunError
from assay.tools.host.trusted import require_trusted as require_trusted
from assay.tools.host.trusted import run_trusted as run_trusted
