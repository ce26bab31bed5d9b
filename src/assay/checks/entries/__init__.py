"""The entries of the catalogue, a module a layer."""
