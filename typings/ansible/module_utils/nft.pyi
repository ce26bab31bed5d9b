from assay.tools.host.nft import COMMAND as COMMAND
from assay.tools.host.nft import Packet as Packet
from assay.tools.host.nft import Passage as Passage
from assay.tools.host.nft import Ruleset as Ruleset
