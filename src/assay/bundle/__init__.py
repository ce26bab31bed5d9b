"""The bundle of a sign-off: written, verified, and compared with another."""
