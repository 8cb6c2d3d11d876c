"""`kgraph digest`: both names of manifests in files, and the cohort of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import orjson

from kgraph.cli.documents import read_manifests
from kgraph.cli.options import json_option
from kgraph.cli.output import print_json, print_text
from kgraph.manifest import cohort_key, correctness_key, metric_key, primary_measurement
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgraph.manifest import Identified
    from kgraph.vocab import CohortKey


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@json_option
def command(files: tuple[str, ...], *, as_json: bool) -> None:
    """Print the spec digest and the object id of the manifest in each file.

    The cohort key of a run is added where its workload and protocol are among the files.
    """
    manifests = read_manifests(files)
    specs = {item.digest: orjson.loads(item.content)["spec"] for _, item in manifests}
    rows = [
        {
            "file": path,
            "kind": item.kind,
            "name": item.name,
            "digest": item.digest,
            "objectId": item.object_id,
            "cohort": _find_cohort(item, specs),
        }
        for path, item in manifests
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        print_text(f"{row['file']}: {row['kind']} {row['name']}")
        for label in ("digest", "objectId", "cohort"):
            if row[label] is not None:
                print_text(f"  {label:<8}  {row[label]}")


def _find_cohort(item: Identified, specs: Mapping[Any, dict[str, Any]]) -> CohortKey | None:
    if item.kind is not Kind.BENCHMARK_RUN:
        return None
    run = specs[item.digest]
    workload, protocol = specs.get(run["workloadDigest"]), specs.get(run["protocolDigest"])
    if workload is None or protocol is None:
        return None
    return cohort_key(
        operation=workload["operationSpecDigest"],
        workload=run["workloadDigest"],
        protocol=run["protocolDigest"],
        environment=run["environmentDigest"],
        correctness=correctness_key(workload["correctness"]),
        metric=metric_key(primary_measurement(run, protocol)),
    )
