"""Print what the active environment has yet to install, dependencies first.

A line is name, version and hash. With the argument `roots`, it is only what the environment itself
asks for: the rest comes with it, from a build cache.
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
