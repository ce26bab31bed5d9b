# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""libfuse as DAOS 2.6 builds it."""

from spack_repo.builtin.packages.libfuse.package import Libfuse as BuiltinLibfuse

from spack.package import *


class Libfuse(BuiltinLibfuse):
    """FUSE library that dfuse of DAOS 2.6 links, with DAOS's patch: lookups go on in parallel."""

    patch(
        "https://github.com/libfuse/libfuse/commit/c9905341ea34ff9acbc11b3c53ba8bcea35eeed8.patch?full_index=1",
        sha256="a69518b4135c0826d5909c44e806cf771d5955004c45ba0d9b64580b894185e5",
        when="@3.16.2",
    )
