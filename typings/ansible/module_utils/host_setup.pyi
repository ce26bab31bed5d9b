from assay.tools.host.host_setup import printed as printed
from assay.tools.host.host_setup import read_setup as read_setup
