"""The border: files and text from others are read, limited and made printable here."""
