from assay.tools.host_identity import read_identity as read_identity
