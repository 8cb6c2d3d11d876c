-- Tables of the index. Everything here is derived from the log; TABLE_VERSION in schema.py names this file's shape.
-- raw_*: what manifests say, appended as the log grows. The other tables are made from them at the end of each build.
-- Digests are full text (`sha256:…`, `blake3:…`), instants are UTC timestamps, *_json columns hold JSON text.

CREATE TABLE meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL);

CREATE TABLE publication (
    sequence INTEGER NOT NULL, object_id VARCHAR NOT NULL, parent VARCHAR, source VARCHAR,
    published_at TIMESTAMP NOT NULL, published_by VARCHAR NOT NULL, message VARCHAR, object_count INTEGER NOT NULL
);

CREATE TABLE raw_object (
    object_id VARCHAR NOT NULL, digest VARCHAR NOT NULL, kind VARCHAR NOT NULL, name VARCHAR NOT NULL,
    size_bytes BIGINT NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL
);

CREATE TABLE raw_reference (from_digest VARCHAR NOT NULL, to_digest VARCHAR NOT NULL, field VARCHAR NOT NULL);

CREATE TABLE raw_listing (
    sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, source VARCHAR, subject VARCHAR NOT NULL, slug VARCHAR,
    aliases VARCHAR[], tags VARCHAR[], project VARCHAR, published_at TIMESTAMP, role VARCHAR, cohort VARCHAR
);

CREATE TABLE raw_artifact (
    sequence INTEGER NOT NULL, content_digest VARCHAR NOT NULL, kind VARCHAR, media_type VARCHAR, size_bytes BIGINT,
    uri VARCHAR, license VARCHAR
);

CREATE TABLE raw_source (
    digest VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, slug VARCHAR NOT NULL, name VARCHAR NOT NULL,
    kind VARCHAR NOT NULL, url VARCHAR, license VARCHAR, attribution VARCHAR, terms VARCHAR, freshness_days INTEGER
);

CREATE TABLE raw_project (
    digest VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, slug VARCHAR NOT NULL, name VARCHAR NOT NULL,
    repository VARCHAR, homepage VARCHAR
);

CREATE TABLE raw_operation (
    digest VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, name VARCHAR NOT NULL, title VARCHAR,
    description VARCHAR, family VARCHAR NOT NULL, axes_json VARCHAR NOT NULL, constants VARCHAR[] NOT NULL, inputs_json VARCHAR NOT NULL,
    outputs_json VARCHAR NOT NULL, mutation VARCHAR NOT NULL, determinism VARCHAR NOT NULL, expression VARCHAR
);

CREATE TABLE raw_workload (
    digest VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, operation VARCHAR NOT NULL,
    is_suite BOOLEAN NOT NULL, name VARCHAR NOT NULL, title VARCHAR, axes_json VARCHAR NOT NULL,
    axis_names VARCHAR[] NOT NULL, axis_values BIGINT[] NOT NULL, dtypes VARCHAR[] NOT NULL, shapes VARCHAR[] NOT NULL, tensors_json VARCHAR NOT NULL,
    scalars_json VARCHAR NOT NULL, comparator VARCHAR NOT NULL, correctness_key VARCHAR NOT NULL,
    case_axes_json VARCHAR NOT NULL, aggregation_metric VARCHAR, aggregation_statistic VARCHAR
);

CREATE TABLE raw_implementation (
    digest VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, operation VARCHAR NOT NULL, name VARCHAR NOT NULL,
    title VARCHAR, description VARCHAR, language VARCHAR NOT NULL, version VARCHAR, commit_id VARCHAR, repository VARCHAR,
    license_declared VARCHAR, license_concluded VARCHAR, install_kind VARCHAR, install_command VARCHAR,
    source_content_digest VARCHAR, source_url VARCHAR, role VARCHAR, architectures VARCHAR[] NOT NULL,
    dtypes VARCHAR[] NOT NULL, authors VARCHAR[] NOT NULL
);

CREATE TABLE raw_protocol (
    digest VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, title VARCHAR NOT NULL, harness_name VARCHAR NOT NULL,
    harness_repository VARCHAR, harness_version VARCHAR, timer VARCHAR, primary_statistic VARCHAR NOT NULL,
    timed_pass VARCHAR, flushes_cache BOOLEAN, comparability_family VARCHAR, notes VARCHAR
);

CREATE TABLE raw_environment (
    digest VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, title VARCHAR NOT NULL, vendor VARCHAR NOT NULL,
    product VARCHAR NOT NULL, form_factor VARCHAR, architecture VARCHAR NOT NULL, memory_bytes BIGINT, device_count INTEGER,
    interconnect VARCHAR, software_json VARCHAR NOT NULL
);

CREATE TABLE raw_run (
    digest VARCHAR NOT NULL, object_id VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    title VARCHAR NOT NULL, status VARCHAR NOT NULL, observed_at TIMESTAMP NOT NULL, source VARCHAR,
    implementation VARCHAR NOT NULL, workload VARCHAR NOT NULL, protocol VARCHAR NOT NULL, environment VARCHAR NOT NULL,
    operation VARCHAR NOT NULL, cohort VARCHAR NOT NULL, metric VARCHAR NOT NULL, statistic VARCHAR, unit VARCHAR,
    value DOUBLE, interval_low DOUBLE, interval_high DOUBLE, sample_count BIGINT,
    has_raw_samples BOOLEAN NOT NULL, has_logs BOOLEAN NOT NULL
);

CREATE TABLE raw_correction (
    object_id VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, run VARCHAR NOT NULL, action VARCHAR NOT NULL,
    replacement VARCHAR, reason VARCHAR NOT NULL, made_by VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL
);

CREATE TABLE raw_attestation (
    object_id VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, run VARCHAR NOT NULL, kind VARCHAR NOT NULL,
    statement VARCHAR NOT NULL, made_by VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL
);

CREATE TABLE raw_serving_part (
    digest VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind VARCHAR NOT NULL, name VARCHAR NOT NULL,
    title VARCHAR, version VARCHAR, dtype VARCHAR, stack VARCHAR, is_streaming BOOLEAN, load_generation VARCHAR
);

CREATE TABLE raw_serving_run (
    digest VARCHAR NOT NULL, object_id VARCHAR NOT NULL, sequence INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    title VARCHAR NOT NULL, status VARCHAR NOT NULL, observed_at TIMESTAMP NOT NULL, source VARCHAR,
    model VARCHAR NOT NULL, configuration VARCHAR NOT NULL, workload VARCHAR NOT NULL, harness_name VARCHAR,
    harness_version VARCHAR, scenario VARCHAR, quality_policy VARCHAR, accelerator_vendor VARCHAR, accelerator_model VARCHAR NOT NULL,
    accelerator_count INTEGER NOT NULL, node_count INTEGER NOT NULL, measurements_json VARCHAR NOT NULL
);

-- A run that cites something the catalogue does not hold: kept out of every answer, shown by `kgraph verify`.
CREATE TABLE dangling (digest VARCHAR NOT NULL, field VARCHAR NOT NULL, missing VARCHAR NOT NULL);

-- What policy said, one row a run or event; re-derived for the cohorts whose facts changed.
CREATE TABLE verdict (
    digest VARCHAR NOT NULL, cohort VARCHAR NOT NULL, is_eligible BOOLEAN NOT NULL, reasons VARCHAR[] NOT NULL,
    evidence VARCHAR NOT NULL, evidence_order INTEGER NOT NULL, evidence_reasons VARCHAR[] NOT NULL, rank INTEGER, is_tied BOOLEAN,
    position INTEGER, ratio_to_leader DOUBLE, speedup_over_baseline DOUBLE
);

CREATE TABLE record_event (
    cohort VARCHAR NOT NULL, ordinal INTEGER NOT NULL, changed_at TIMESTAMP NOT NULL, cause VARCHAR NOT NULL, policy VARCHAR NOT NULL,
    run VARCHAR, previous_run VARCHAR, value DOUBLE, previous_value DOUBLE, improvement_percent DOUBLE
);

CREATE TABLE cohort_profile (cohort VARCHAR NOT NULL, profile VARCHAR NOT NULL);

-- The floor of each cohort under each version of the estimate; judged again where its record changed.
CREATE TABLE headroom (
    cohort VARCHAR NOT NULL, policy VARCHAR NOT NULL, operation_slug VARCHAR NOT NULL, record_value DOUBLE, floor_ns DOUBLE,
    strict_floor_ns DOUBLE, record_ratio DOUBLE, bound VARCHAR, below_floor VARCHAR, caveat VARCHAR, reason VARCHAR
);
