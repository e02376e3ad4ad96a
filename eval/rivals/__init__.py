"""Every rival that installs, in an environment of its own, on the same lines."""
