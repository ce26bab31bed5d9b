from assay.tools.pools import *
