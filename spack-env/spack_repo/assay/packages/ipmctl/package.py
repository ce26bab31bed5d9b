# Copyright the daos-assay founders.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

"""ipmctl of the distribution."""

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class Ipmctl(Package):
    """Library for Intel's PMem modules. It belongs to their firmware: the distribution has it."""

    homepage = "https://github.com/intel/ipmctl"
    has_code = False

    version("3.0.0")

    def install(self, spec, prefix):
        """Refuse: see the docstring of the class."""
        raise InstallError("ipmctl comes from the distribution: see spack-env/externals")
