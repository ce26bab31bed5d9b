"""Every key of DAOS's configuration files: what it is called, in which releases, what it takes."""
