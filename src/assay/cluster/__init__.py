"""The description of the site, and the datasheets of its devices."""
