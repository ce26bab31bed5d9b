from assay.tools.daos.daos_answer import *
