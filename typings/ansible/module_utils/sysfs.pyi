from assay.tools.sysfs import look as look
from assay.tools.sysfs import text as text
