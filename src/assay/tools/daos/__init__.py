"""DAOS's own programs, logs and metrics: what they are asked, and what they answer."""
