"""The engines of a host: cores, memory, variables and settings."""
