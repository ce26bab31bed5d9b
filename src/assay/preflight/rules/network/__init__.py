"""The fabric, its addresses and ports, and what agents hand out."""
