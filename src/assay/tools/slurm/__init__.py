"""Slurm's programs and its MPI launchers."""
