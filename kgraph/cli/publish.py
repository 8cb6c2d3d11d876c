"""`kgraph publish`: manifests that a person wrote."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from kgraph.cli.account import show_report
from kgraph.cli.documents import read_manifests
from kgraph.cli.opening import open_for_writing
from kgraph.cli.options import publishing_options, settings_for
from kgraph.cli.output import ProgressLine
from kgraph.ingest import publish_manifests
from kgraph.vocab import Slug

if TYPE_CHECKING:
    from kgraph.cli.options import PublishingOptions


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--source", metavar="SLUG", help="Slug of the source that the manifests are from.")
@publishing_options
def command(files: tuple[str, ...], source: str | None, options: PublishingOptions) -> int:
    """Publish manifests written by hand, in JSON or YAML, as one publication.

    What a manifest cites must be in the catalogue or among the files. Corrections and attestations
    are published like any other kind. A run of an implementation of one operation on a workload of
    another is refused.
    """
    manifests = read_manifests(files)
    settings = settings_for(options.store)
    store, log = open_for_writing(settings, is_dry_run=options.is_dry_run)
    with ProgressLine("objects stored") as storing:
        report = publish_manifests(
            store,
            log,
            (identified for _, identified in manifests),
            published_by=settings.publisher,
            published_at=datetime.now(UTC),
            source=None if source is None else Slug(source),
            packed=options.packed,
            message=options.message,
            is_dry_run=options.is_dry_run,
            is_own=True,
            progress=storing,
        )
    return show_report(report, as_json=options.as_json)
