from assay.foreign.redaction import *
