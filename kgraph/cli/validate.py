"""`kgraph validate`: check manifest files without a store."""

from __future__ import annotations

import click

from kgraph.cli.documents import read_document
from kgraph.cli.options import json_option
from kgraph.cli.output import print_json, print_text


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@json_option
def command(files: tuple[str, ...], *, as_json: bool) -> int:
    """Check manifest files without a store; every fault is named with its place.

    Exit status 1 where one is refused. Whether cited manifests exist is checked by `publish`.
    """
    documents = [read_document(file) for file in files]
    if as_json:
        print_json(
            [
                {
                    "file": document.path,
                    "isValid": document.identified is not None,
                    "kind": document.identified and document.identified.kind,
                    "refusals": [
                        {
                            "path": refusal.path,
                            "found": refusal.found,
                            "expected": refusal.expected,
                            "line": refusal.line,
                        }
                        for refusal in document.refusals
                    ],
                }
                for document in documents
            ]
        )
    else:
        for document in documents:
            if document.identified is not None:
                print_text(f"{document.path}: valid {document.identified.kind}")
            for refusal in document.refusals:
                print_text(f"{document.path}: {refusal}")
    return 0 if all(document.identified is not None for document in documents) else 1
