"""A cluster under load for hours: rounds of checks one after the other, judged as one."""
