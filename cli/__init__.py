"""The command `tabletape`."""
