"""What was measured, and what speaks against it: steps, run reports, results."""
