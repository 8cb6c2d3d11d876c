"""Imports the public catalogue's own export (KernelIndex, `catalog-<date>.jsonl[.zst]`).

Read: one file, `{"table", "row"}` a line, as that project's `export-catalog` script writes it;
checked against the export of 2026-08-16 (40,795 rows, 16 tables). Manifests are kept as published,
so their spec digests are the site's; a run row holds its protocol and environment as well.

Mapped beside them: `sources` to Source manifests (`verified`, a day, to the instant of its
beginning); operation slugs, aliases and tags, implementation slugs and projects, `role`,
`publishedAt` with the source of a run, and the cohort key of a serving run to Listings; `artifacts`
to the artifact list of Listings; `retractedAt` and `supersedesId` of runs to Corrections.

Compared, never trusted: every digest and key, the primary value of a run, its hardware, status,
time of observation and evidence columns, and every row of `measurements` with the manifest of its
run. The cohort key of a serving run follows the site's rule (`manifest.serving_cohort_key`).

Dropped: row ids and `createdAt` (bookkeeping of the site), columns that the site reads off the
manifest beside them (titles, summaries, labels, major versions, licence conclusions), what it words
itself where the manifest says otherwise (the `name` of 331 projects, the `summary` of serving
configurations), and `record_events`, which are derived here and returned only for comparison. Units
are those of the manifests: nothing is converted.

A file that `kgraph export` made begins with a line of `kgraph_catalogue`. Its manifests are taken
as they stand, those of kgraph's own kinds included, under the object ids and in the publications
that it gives (`restore`).
"""

from kgraph.importers.kernelindex.importer import import_kernelindex

__all__ = ["import_kernelindex"]
