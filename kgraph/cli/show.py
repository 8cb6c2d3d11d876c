"""`kgraph show`: one stored manifest, as it is stored."""

from __future__ import annotations

import click

from kgraph.cli.opening import open_catalog, open_for_reading
from kgraph.cli.options import settings_for, store_option
from kgraph.cli.output import print_text
from kgraph.digest import parse_ref
from kgraph.errors import KgraphError


class NothingNamedError(KgraphError):
    """A digest or prefix names no manifest of the catalogue."""

    code = "NOTHING_NAMED"

    def __init__(self, ref: str, where: str) -> None:
        self.ref, self.where = ref, where
        super().__init__(f"{where}: holds no manifest and no publication named {ref}")


@click.command()
@click.argument("ref")
@store_option
def command(ref: str, store: str | None) -> None:
    """Print one stored manifest, or one publication of the log, as canonical JSON.

    REF is a spec digest, an object id, or a prefix of at least 8 hex digits that names one manifest
    only. The bytes are checked against their name before they are printed.
    """
    settings = settings_for(store)
    prefix = parse_ref(ref)
    objects, log = open_for_reading(settings)
    if prefix.algorithm != "sha256":
        # Snapshots name log entries, which are no objects of the store.
        entries = log.find(prefix.hex)
        if len(entries) == 1:
            print_text(entries[0].content.decode())
            return
    found = open_catalog(settings).current().find_object(ref)
    if found is None:
        raise NothingNamedError(ref, settings.store)
    print_text(objects.get(found.object_id).decode())
