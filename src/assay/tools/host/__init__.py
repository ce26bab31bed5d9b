"""A host as its kernel and its programs show it."""
