"""Print what the active environment has yet to install, dependencies first: name, version and hash, one a line.

With the argument `roots`, only what the environment itself asks for: the rest comes with it, from a build cache.
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
