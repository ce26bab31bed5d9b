from assay.tools.daos.pools import *
