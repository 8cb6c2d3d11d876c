"""What a valid manifest is: frozen models of every kind, their names and their cohort."""

from __future__ import annotations

from kgraph.canonical import Refusal
from kgraph.manifest.base import Manifest, Metadata
from kgraph.manifest.cohort import (
    NO_METRIC,
    Primary,
    cohort_key,
    correctness_key,
    metric_key,
    primary_measurement,
)
from kgraph.manifest.identity import (
    Identified,
    identify,
    identify_value,
    object_id_of,
    spec_digest_of,
)
from kgraph.manifest.implementation import ImplementationRevision, SoftwareProject
from kgraph.manifest.kinds import make_manifest
from kgraph.manifest.measurement import BenchmarkProtocol, BenchmarkRun, ExecutionEnvironment
from kgraph.manifest.operation import OperationSpec
from kgraph.manifest.own import Attestation, Correction, Listing, Publication, Source
from kgraph.manifest.reading import read_manifest
from kgraph.manifest.refusals import ManifestRefusedError
from kgraph.manifest.schema import json_schema
from kgraph.manifest.serving import (
    ModelRevision,
    ServingConfiguration,
    ServingRun,
    ServingStackRevision,
    ServingWorkload,
)
from kgraph.manifest.serving_cohort import (
    metric_set_key,
    serving_cohort_key,
    serving_protocol_key,
)
from kgraph.manifest.workload import WorkloadCase, WorkloadSuite

__all__ = [
    "NO_METRIC",
    "Attestation",
    "BenchmarkProtocol",
    "BenchmarkRun",
    "Correction",
    "ExecutionEnvironment",
    "Identified",
    "ImplementationRevision",
    "Listing",
    "Manifest",
    "ManifestRefusedError",
    "Metadata",
    "ModelRevision",
    "OperationSpec",
    "Primary",
    "Publication",
    "Refusal",
    "ServingConfiguration",
    "ServingRun",
    "ServingStackRevision",
    "ServingWorkload",
    "SoftwareProject",
    "Source",
    "WorkloadCase",
    "WorkloadSuite",
    "cohort_key",
    "correctness_key",
    "identify",
    "identify_value",
    "json_schema",
    "make_manifest",
    "metric_key",
    "metric_set_key",
    "object_id_of",
    "primary_measurement",
    "read_manifest",
    "serving_cohort_key",
    "serving_protocol_key",
    "spec_digest_of",
]
