"""What is required of a cluster, and what bounds it."""
