"""The command line: one module per command, imported when its command is called."""

from kgraph.cli.main import main

__all__ = ["main"]
