"""How the shipped files are made; not part of the package, see README.md in this folder."""
