"""The command `tabletape`: one module per command, imported when that command is called."""

from cli.main import main

__all__ = ["main"]
