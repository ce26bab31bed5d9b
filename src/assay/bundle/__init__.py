"""What was accepted, and whether it still is: written, verified, compared."""
