from assay.tools.host.host_identity import read_identity as read_identity
