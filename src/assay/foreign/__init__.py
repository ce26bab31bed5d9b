"""The border: everything that others made is read, bounded and made printable here."""
