"""The interfaces of other packages over this one."""
