# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""ndctl of the distribution."""

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Ndctl(Package):
    """Library for PMem modules. It belongs to the kernel, so it comes from the distribution."""

    homepage = "https://github.com/pmem/ndctl"
    has_code = False

    version("71.1")

    def install(self, spec, prefix):
        """Refuse: see the docstring of the class."""
        raise InstallError("ndctl comes from the distribution: see spack-env/externals")
