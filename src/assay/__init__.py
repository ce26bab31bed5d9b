"""Performance validation and acceptance of DAOS storage clusters."""

__version__ = "0.1.0"
