"""DAOS's own files as they are: what can be said of them without an inventory."""
