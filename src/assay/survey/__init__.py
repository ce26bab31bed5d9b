"""The survey: what a cluster that is already there shows to `assay describe`."""
