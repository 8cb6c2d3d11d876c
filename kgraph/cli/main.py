"""Entry point: finds a command, runs it, and turns errors into one line and an exit code."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from kgraph import __version__
from kgraph.errors import KgraphError

# Each command's module and one line of help. The line stands here and not only in the module so
# that `kgraph --help` and completion import no command; a test holds the two together.
COMMANDS = {
    "serve": ("kgraph.cli.serve", "Serve the catalogue as GraphQL and web pages."),
    "import": ("kgraph.cli.importing", "Publish what a benchmark's result files say."),
    "publish": ("kgraph.cli.publish", "Publish manifests written by hand, in JSON or YAML."),
    "validate": ("kgraph.cli.validate", "Check manifest files without a store."),
    "digest": ("kgraph.cli.digest", "Print both names of each manifest in files."),
    "show": ("kgraph.cli.show", "Print one stored manifest as canonical JSON."),
    "log": ("kgraph.cli.log", "List publications, newest first."),
    "ask": ("kgraph.cli.ask", "Say what is fastest for a workload, from one line."),
    "top": ("kgraph.cli.top", "Say who is fastest at an operation."),
    "history": ("kgraph.cli.history", "Show how a record came about."),
    "scaling": ("kgraph.cli.scaling", "Show how implementations scale, above the floor."),
    "query": ("kgraph.cli.query", "Answer a GraphQL document without a server."),
    "export": ("kgraph.cli.export", "Write the whole catalogue to a file."),
    "verify": ("kgraph.cli.verify", "Check every byte, digest and reference of a store."),
    "repack": ("kgraph.cli.repack", "Gather loose objects into a sealed pack."),
    "index": ("kgraph.cli.index", "Build the index, or say what state it is in."),
    "check": ("kgraph.cli.check", "Fail where a value is not what it should be."),
    "headroom": ("kgraph.cli.headroom", "Hold records against the floor that hardware sets."),
    "schema": ("kgraph.cli.schema", "Print the schema of manifests or of the GraphQL API."),
}


class CommandTable(click.Group):
    """A group that imports a command's module when the command is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names in the order a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of that name; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)  # noqa: S101 - our own table
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The list of commands in the help text, made without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=CommandTable,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="kgraph")
def program() -> None:
    """A verifiable catalogue of GPU kernel benchmark runs.

    Exit status: 0 done, 1 refused data, 2 wrong usage, 3 store or index damaged.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave the process with its exit status."""
    status = run(arguments)
    try:
        sys.stdout.flush()
    except OSError:
        # It has been told; Python would tell it once more, in its own words, while it ends.
        sys.stdout = None
    sys.exit(status)


def run(arguments: list[str] | None = None) -> int:
    """The exit status of a command line; the process's own arguments where None."""
    try:
        outcome: Any = program.main(arguments, prog_name="kgraph", standalone_mode=False)
    except KgraphError as error:
        click.echo(f"kgraph: {error}", err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        click.echo("kgraph: stopped", err=True)
        return 130  # what shells report for a process ended by an interrupt
    except OSError as error:
        # A disk that is full, for one, or what stands behind stdout; files that a command was given
        # are its own to name.
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"kgraph: {place}{error.strerror or error}", err=True)
        return 1
    return outcome if isinstance(outcome, int) else 0
