"""What the generated clients of `kgraph.client` build on; the generator copies it beside them."""

from kgraph.client.transport import AwaitingTransport, BlockingTransport


class BlockingClient(BlockingTransport):
    """Sends documents and waits for each."""


class AwaitingClient(AwaitingTransport):
    """Sends documents without holding up the others."""
