"""Makes the shipped files; not part of the package, see README.md in this folder."""
