"""Short campaigns, night by night: what gets worse on a cluster that was accepted."""
