from assay.tools.nft import COMMAND as COMMAND
from assay.tools.nft import Packet as Packet
from assay.tools.nft import Passage as Passage
from assay.tools.nft import Ruleset as Ruleset
