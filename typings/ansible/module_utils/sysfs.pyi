from assay.tools.host.sysfs import look as look
from assay.tools.host.sysfs import text as text
