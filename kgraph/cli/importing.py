"""`kgraph import`: publish what a benchmark's result files say."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgraph.cli.account import show_report
from kgraph.cli.documents import read_file
from kgraph.cli.opening import open_catalog, open_for_writing
from kgraph.cli.options import publishing_options, settings_for
from kgraph.cli.output import ProgressLine, talk
from kgraph.cli.parity import compare_histories
from kgraph.errors import KgraphError
from kgraph.importers import import_kernelindex, import_liger
from kgraph.ingest import publish_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgraph.cli.options import PublishingOptions
    from kgraph.importers import ImportBatch, Progress


@click.group()
def command() -> None:
    """Publish what a benchmark's result files say.

    Importing twice adds nothing. Every refused row is named. Rows of an export that contradict
    their own manifests are left out, with those that refer to them, and the rest is published;
    where a file is damaged or not understood, nothing is. The exit status is 1 in both cases.
    """


@command.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@publishing_options
def liger(files: tuple[str, ...], options: PublishingOptions) -> int:
    """Result files of Liger-Kernel's benchmark scripts (CSV), one or several revisions."""
    contents = [(Path(file).name, read_file(file)) for file in files]
    return _publish(lambda progress: import_liger(contents, progress=progress), options)


@command.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@publishing_options
def kernelindex(file: Path, options: PublishingOptions) -> int:
    """An export of the public catalogue (.jsonl or .jsonl.zst), checked digest by digest."""
    with file.open("rb") as stream:
        return _publish(
            lambda progress: import_kernelindex(stream, name=file.name, progress=progress), options
        )


def _publish(make_batch: Callable[[Progress], ImportBatch], options: PublishingOptions) -> int:
    settings = settings_for(options.store)
    with ProgressLine("rows read") as reading:
        batch = make_batch(reading)
    is_dry_run = options.is_dry_run or not batch.is_publishable
    store, log = open_for_writing(settings, is_dry_run=is_dry_run)
    with ProgressLine("objects stored") as storing:
        report = publish_batch(
            store,
            log,
            batch,
            published_by=settings.publisher,
            published_at=datetime.now(UTC),
            packed=options.packed,
            message=options.message,
            is_dry_run=options.is_dry_run,
            progress=storing,
        )
    history = None
    if batch.published_records and not is_dry_run:
        talk("kgraph: comparing the record history")
        try:
            catalog = open_catalog(settings.with_store(store.where)).current()
            history = compare_histories(batch, catalog)
        except KgraphError:
            # What is published stays published, so its account is due before the error.
            show_report(report, as_json=options.as_json)
            raise
    return show_report(report, history, as_json=options.as_json)
