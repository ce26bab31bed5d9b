"""The checks of each benchmark: metrics, what bounds them, and how outputs are read."""
