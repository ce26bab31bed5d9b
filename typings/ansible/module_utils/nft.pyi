from assay.tools.nft import COMMAND as COMMAND
from assay.tools.nft import Judgement as Judgement
from assay.tools.nft import Packet as Packet
from assay.tools.nft import Ruleset as Ruleset
