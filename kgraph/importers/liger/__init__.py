"""Importer of the Liger-Kernel benchmark CSV.

Source project: linkedin/Liger-Kernel, `benchmark/data/all_benchmark_data.csv`, BSD-2-Clause. The
curated table was made against revision ead96b618e5c67bddc6a6e9bcb99bfe6b5ab661c (the file was last
changed in 2120862ba532c9449e72d603ba6324310ae756e7); earlier revisions read the same way.

Files read: that CSV (RFC 4180, CRLF or LF, UTF-8), any number of revisions of it at once.

Fields mapped, with the manifest that each ends in:
    kernel_name: OperationSpec, through the table; `sourceNative.benchmark` and `externalId`.
    kernel_provider: ImplementationRevision and its SoftwareProject, through the table.
    kernel_operation_mode: BenchmarkProtocol; forward, backward and full are never one protocol.
    x_name, x_value, extra_benchmark_config_str: axes, dtype and scalars of the WorkloadCase,
        through the table. A row whose parameters the table does not bind is left out and counted.
    y_value_50, y_value_20, y_value_80: median, p20 and p80 of the BenchmarkRun.
    gpu_name: ExecutionEnvironment, through the table; an unknown name is kept as written.
    timestamp: `observedAt`. The file states no zone: UTC is assumed, and each run is labelled so.
    liger_version: a label of the run; for Liger-Kernel's own providers also the revision and the
        install recipe.

Fields dropped, and why: rows whose metric is memory (another quantity of a case already described;
counted as MEMORY_METRIC); x_label (display text, wrong for embedding); config keys that the table
ignores (left-overs of the scripts, each with its reason there).

Left out and counted, too: rows of three nan values (the writer's filler for a point that ran out of
memory or failed; it does not say which, so no status can be given), rows without a mode, unknown
kernels and providers, and repeats of one row. Everything else that is not understood is refused.

Units: speed is in ms, converted to integer ns (half to even) for `timing` and `measurements`; the
published ms stay in `sourceNative.metrics`. p20, median and p80 are equal in 367 rows: too few
timed calls, not stability, so no interval is claimed from them.
"""

from kgraph.importers.liger.importer import import_liger

__all__ = ["import_liger"]
