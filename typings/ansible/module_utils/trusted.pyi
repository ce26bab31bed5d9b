from assay.tools.trusted import NotRunError as NotRunError
from assay.tools.trusted import require_trusted as require_trusted
from assay.tools.trusted import run_trusted as run_trusted
