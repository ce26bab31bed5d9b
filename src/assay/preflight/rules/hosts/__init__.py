"""A host: its name, its setup, its links."""
