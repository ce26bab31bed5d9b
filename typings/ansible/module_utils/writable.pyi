from assay.tools.writable import writable as writable
