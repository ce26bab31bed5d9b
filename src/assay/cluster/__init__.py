"""The site as described, and what the parts of it promise."""
