"""The requirements of a cluster, and their bounds."""
