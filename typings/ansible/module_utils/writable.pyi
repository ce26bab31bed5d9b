from assay.tools.host.writable import writable as writable
