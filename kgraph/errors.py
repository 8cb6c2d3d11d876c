"""The base of every error that kgraph raises on purpose."""

from __future__ import annotations


class KgraphError(Exception):
    """An error with a stable code and a one-line message: where, what was found, what was expected.

    Each subclass sits beside the code that raises it, keeps its parts as attributes and passes its
    built message to `super().__init__`.
    """

    code = "KGRAPH_ERROR"
    """Stable upper-case code; what `extensions.code` and `--json` carry."""

    exit_code = 1
    """Process exit status on the command line: 1 refused data, 2 wrong usage, 3 store damaged."""

    @property
    def public_message(self) -> str:
        """What is told to who asks from elsewhere: the message, without names of our files."""
        return str(self)


class UsageError(KgraphError):
    """The caller asked for something that cannot be asked: an option or argument is off."""

    code = "BAD_USAGE"
    exit_code = 2


class DamageError(KgraphError):
    """Stored bytes or a derived file are not what their name or format promises."""

    code = "DAMAGED"
    exit_code = 3

    @property
    def public_message(self) -> str:
        """What is told to who asks from elsewhere: that, and not where, something is damaged."""
        return "store: what is stored on this server is damaged; its log says where"
