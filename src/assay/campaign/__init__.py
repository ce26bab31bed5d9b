"""A measured campaign: its steps, its run reports, its results and their problems."""
