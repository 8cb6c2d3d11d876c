"""Pages in schema.org's words (JSON-LD), for search engines of data sets.

Source: https://schema.org/Dataset and the guidelines of Google Dataset Search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.web.pages.links import safe_href
from kgraph.web.pages.words import show_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.web.pages.ask import Asked, Data

# Search engines want 50 to 5,000 characters.
_MIN_DESCRIPTION, _MAX_DESCRIPTION = 50, 5000


def describe_catalog(catalog: Data, asked: Asked) -> Data:
    """The catalogue as a whole."""
    links = asked.links
    return {
        "@context": "https://schema.org",
        "@type": "DataCatalog",
        "name": "kgraph",
        "url": links.absolute(links.page("/")),
        "description": "Benchmark runs of GPU kernels, each with its source and its digest.",
        "version": catalog["snapshot"],
        **_dated("dateModified", catalog["publishedAt"]),
        "license": _licences(catalog["sources"]),
    }


def describe_operation(operation: Data, comparison: Data | None, asked: Asked) -> Data:
    """All runs of an operation as one data set."""
    links = asked.links
    path = links.operation(asked.name)
    measured = []
    if comparison is not None:
        metric = comparison["metric"]
        measured.append(
            {
                "@type": "PropertyValue",
                "name": show_metric(metric["name"], metric["statistic"]),
                **({"unitText": metric["unit"]} if metric["unit"] else {}),
            }
        )
    told = f"Benchmark runs of GPU kernels that compute {operation['title']}."
    return _dataset(
        name=operation["title"],
        description=f"{operation['description'] or ''} {told}".strip(),
        path=path,
        identifier=operation["digest"],
        sources=operation["sources"],
        asked=asked,
    ) | {
        "keywords": [operation["family"]["slug"], *operation["tags"], *operation["aliases"]],
        "variableMeasured": measured,
        **_dated("dateModified", operation["lastObservedAt"]),
    }


def describe_run(run: Data, asked: Asked) -> Data:
    """One run as a data set."""
    links = asked.links
    title = f"{run['title']} ({run['implementation']['title']})"
    told = (
        f"{run['operation']['title']}, {run['workload']['label']}, measured on "
        f"{run['environment']['hardware']['product']} by {run['source']['name']}."
    )
    measured = [
        {
            "@type": "PropertyValue",
            "name": show_metric(one["metric"], one["statistic"]),
            "value": one["value"],
            **({"unitText": one["unit"]} if one["unit"] else {}),
        }
        for one in [*([run["primary"]] if run["primary"] else []), *run["measurements"]]
    ]
    described = _dataset(
        name=title,
        description=told,
        path=links.whole_run(run["digest"]),
        identifier=run["digest"],
        sources=[run["source"]],
        asked=asked,
    )
    described["distribution"].append(
        {
            "@type": "DataDownload",
            "encodingFormat": "application/json",
            "name": "canonical manifest",
            "contentUrl": run["citation"]["permalink"],
        }
    )
    return described | {
        "variableMeasured": measured,
        "temporalCoverage": run["observedAt"],
        "datePublished": run["publishedAt"],
        "isPartOf": links.absolute(links.operation(run["operation"]["slug"])),
        "citation": run["citation"]["text"],
    }


def describe_workload(workload: Data, asked: Asked) -> Data:
    """The runs of one workload as a data set."""
    operation = workload["operation"]
    told = f"Benchmark runs of GPU kernels for {operation['title']}: {workload['label']}."
    return _dataset(
        name=f"{operation['title']}: {workload['label']}",
        description=told,
        path=asked.links.whole_workload(workload["digest"]),
        identifier=workload["digest"],
        sources=[],
        asked=asked,
    ) | {"isPartOf": asked.links.absolute(asked.links.operation(operation["slug"]))}


def _dataset(
    *,
    name: str,
    description: str,
    path: str,
    identifier: str,
    sources: Sequence[Data],
    asked: Asked,
) -> Data:
    links = asked.links
    address = links.absolute(path)
    if len(description) < _MIN_DESCRIPTION:
        description = f"{description} Part of the kgraph catalogue of GPU kernel benchmarks."
    return {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": name,
        "description": description[:_MAX_DESCRIPTION],
        "url": address,
        "identifier": identifier,
        "version": asked.moment.catalog.snapshot,
        "isAccessibleForFree": True,
        "license": _licences(sources),
        "creator": [
            {
                "@type": "Organization",
                "name": source["name"],
                **({"url": url} if (url := safe_href(source["url"])) else {}),
            }
            for source in sources
        ],
        "includedInDataCatalog": {
            "@type": "DataCatalog",
            "name": "kgraph",
            "url": links.absolute(links.page("/")),
        },
        "distribution": [
            {
                "@type": "DataDownload",
                "encodingFormat": "application/json",
                "contentUrl": f"{address}{'&' if '?' in address else '?'}format=json",
            }
        ],
    }


def _licences(sources: Sequence[Data]) -> list[str]:
    """Licences of the sources as they write them; one that states none adds nothing."""
    return sorted({source["license"] for source in sources if source["license"]})


def _dated(name: str, instant: str | None) -> dict[str, str]:
    return {} if instant is None else {name: instant}
