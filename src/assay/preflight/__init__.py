"""The preflight: it reports what is wrong with a cluster before anything changes."""
