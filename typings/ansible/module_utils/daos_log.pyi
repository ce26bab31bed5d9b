from assay.tools.daos_log import *
