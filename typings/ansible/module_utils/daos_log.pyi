from assay.tools.daos.daos_log import *
