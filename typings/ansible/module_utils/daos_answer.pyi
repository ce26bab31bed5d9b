from assay.tools.daos_answer import *
