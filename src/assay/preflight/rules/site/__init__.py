"""The cluster as a whole: groups, system, fault domains, what hosts share."""
