"""The interfaces of other packages, implemented by this one."""
