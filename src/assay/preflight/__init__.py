"""What no cluster may have, said before anything changes."""
