"""Search engines of static sites, by themselves and with our terms."""
