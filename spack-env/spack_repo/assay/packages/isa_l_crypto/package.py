# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""ISA-L crypto at the version of DAOS 2.8."""

from spack_repo.builtin.packages.isa_l_crypto.package import IsaLCrypto as BuiltinIsaLCrypto

from spack.package import *


class IsaLCrypto(BuiltinIsaLCrypto):
    """Hashes and ciphers that DAOS computes checksums with."""

    version("2.26", tag="v2.26", commit="07d0b253843ace996aa5a44f538c9b83b085aba6")
