"""Every key of DAOS's configuration files: its name, its releases and its allowed values."""
