"""Print the packages that the active environment still has to install, dependencies first.

A line has name, version and hash. With the argument `roots`, it prints only the packages that the
environment itself lists; a build cache installs their dependencies with them.
"""

import sys

import spack.environment
import spack.traverse

roots = spack.environment.active_environment().concrete_roots()
if sys.argv[1:] != ["roots"]:
    roots = spack.traverse.traverse_nodes(roots, order="post", deptype="all")
for spec in roots:
    if not (spec.installed or spec.external):
        print(f"{spec.name}@{spec.version}/{spec.dag_hash()}")
