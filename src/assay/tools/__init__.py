"""The benchmark tools: one module each, which builds its command line and reads what it prints."""
