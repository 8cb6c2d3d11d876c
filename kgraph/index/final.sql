-- Second half of a build: the tables that queries read, in the order in which they are read.

-- Cohorts by number, in the order of their keys: a number tells the database which blocks to leave
-- alone, where it knows of a text only the first eight letters.
CREATE OR REPLACE TEMP TABLE numbered AS
SELECT cohort, (row_number() OVER (ORDER BY cohort))::INTEGER AS cohort_number FROM (SELECT DISTINCT cohort FROM run_fact);

-- One cohort is one range of rows: ranking reads a few blocks however large the catalogue.
CREATE OR REPLACE TABLE run AS
SELECT f.*, v.is_eligible, v.reasons, v.evidence, v.evidence_order, v.evidence_reasons, v.rank, v.is_tied, v.position,
    v.ratio_to_leader, v.speedup_over_baseline,
    o.slug AS operation_slug, e.vendor, e.product, e.form_factor, e.architecture,
    i.language, i.title AS implementation_title, i.project_slug, i.project_name, j.license, j.is_permissive, j.is_deployable,
    i.operation <> f.operation AS is_mismatched, n.cohort_number
FROM run_fact f
JOIN numbered n ON n.cohort = f.cohort
JOIN verdict v ON v.digest = f.digest
JOIN current_operation o ON o.digest = f.operation
JOIN current_environment e ON e.digest = f.environment
JOIN current_implementation i ON i.digest = f.implementation
JOIN implementation_verdict j ON j.digest = f.implementation
ORDER BY n.cohort_number, v.position NULLS LAST, f.digest;

-- The same rows by time, for paging through everything new.
CREATE OR REPLACE TABLE run_by_time AS SELECT * FROM run ORDER BY observed_at DESC, digest;
-- Their keys alone, for pages of runs that are in memory already: uncompressed, since a page of 100 would
-- otherwise open a block of 2,048 digests, at a fifth of what it costs.
CREATE OR REPLACE TABLE run_order (digest VARCHAR USING COMPRESSION uncompressed, observed_at TIMESTAMP);
INSERT INTO run_order SELECT digest, observed_at FROM run_by_time ORDER BY observed_at DESC, digest;

CREATE OR REPLACE TABLE cohort AS
WITH standing AS (
    -- '' stands for no run: arg_max would skip a null, and with it the event that left the cohort empty.
    SELECT cohort, arg_max(coalesce(run, ''), ordinal) AS record, max(ordinal) AS record_event_count,
        arg_max(changed_at, ordinal) AS record_since
    FROM record_event GROUP BY cohort
)
SELECT r.cohort AS key, any_value(r.operation) AS operation, any_value(r.operation_slug) AS operation_slug,
    any_value(r.family) AS family, any_value(r.workload) AS workload, any_value(r.protocol) AS protocol,
    any_value(r.environment) AS environment, min(r.source) AS source, any_value(p.profile) AS profile,
    any_value(r.metric) AS metric, any_value(r.statistic) AS statistic, any_value(r.unit) AS unit,
    any_value(r.vendor) AS vendor, any_value(r.product) AS product, any_value(r.form_factor) AS form_factor,
    any_value(r.architecture) AS architecture,
    count(*)::INTEGER AS run_count, (count(*) FILTER (r.is_eligible))::INTEGER AS eligible_run_count,
    any_value(r.cohort_number) AS cohort_number, count(r.position)::INTEGER AS ranked_run_count,
    max(r.observed_at) FILTER (r.is_eligible) AS last_observed_at,
    nullif(any_value(s.record), '') AS record,
    any_value(r.value) FILTER (r.digest = s.record) AS record_value,
    any_value(s.record_since) AS record_since, coalesce(any_value(s.record_event_count), 0) AS record_event_count
FROM run r
JOIN cohort_profile p ON p.cohort = r.cohort
LEFT JOIN standing s ON s.cohort = r.cohort
GROUP BY r.cohort
ORDER BY operation, workload, key;

CREATE OR REPLACE TABLE event AS
SELECT e.*, c.operation, c.operation_slug, c.family, c.workload, c.product, c.source, c.metric, c.unit, c.cohort_number
FROM record_event e JOIN cohort c ON c.key = e.cohort
ORDER BY c.cohort_number, e.ordinal;

-- The first eight digits as numbers, which is how a person's prefix is looked for in all names at once.
CREATE OR REPLACE TABLE object AS
SELECT *, ('0x' || digest[8:15])::UINTEGER AS digest_head, ('0x' || object_id[8:15])::UINTEGER AS object_head,
    row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1 AS is_current
FROM raw_object ORDER BY digest, sequence, ordinal;

CREATE OR REPLACE TABLE operation AS
SELECT o.*, coalesce(r.run_count, 0) AS run_count, coalesce(r.eligible_run_count, 0) AS eligible_run_count,
    r.last_observed_at
FROM current_operation o
LEFT JOIN (
    SELECT operation, count(*)::INTEGER AS run_count, (count(*) FILTER (is_eligible))::INTEGER AS eligible_run_count,
        max(observed_at) FILTER (is_eligible) AS last_observed_at
    FROM run GROUP BY operation
) r ON r.operation = o.digest
ORDER BY o.slug, o.digest;

CREATE OR REPLACE TABLE operation_name AS
SELECT slug AS name, digest, 0 AS preference FROM operation
UNION ALL SELECT unnest(aliases), digest, 1 FROM operation
ORDER BY name, preference, digest;

CREATE OR REPLACE TABLE family AS
SELECT family AS slug, count(*)::INTEGER AS operation_count, sum(run_count)::INTEGER AS run_count,
    sum(eligible_run_count)::INTEGER AS eligible_run_count, max(last_observed_at) AS last_observed_at
FROM operation GROUP BY family ORDER BY slug;

-- A label names the axes that are not constant, then the dtypes; of whole-number dtypes (indices, targets) only
-- where there is no other.
CREATE OR REPLACE TABLE workload AS
SELECT w.*, o.slug AS operation_slug, o.family,
    coalesce(if(w.is_suite, NULL, nullif(array_to_string(list_concat(
        [axis[1] || ' = ' || axis[2] FOR axis IN list_zip(w.axis_names, w.axis_values) IF NOT list_contains(o.constants, axis[1])],
        [array_to_string(dtypes, ' + ') FOR dtypes IN [coalesce(
            nullif([name FOR name IN w.dtypes IF NOT regexp_matches(name, '^(u?int|bool)')], []), w.dtypes)] IF dtypes <> []]
    ), ' · '), '')), w.title, w.name) AS label,
    coalesce(r.run_count, 0) AS run_count, coalesce(r.eligible_run_count, 0) AS eligible_run_count,
    -- Measured workloads first: an operation may declare many cases that nobody has run.
    row_number() OVER (PARTITION BY w.operation ORDER BY coalesce(r.run_count, 0) = 0, w.is_suite, w.axis_names,
        w.axis_values, w.dtypes, w.digest)::INTEGER AS position
FROM (SELECT * FROM raw_workload QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1) w
JOIN operation o ON o.digest = w.operation
LEFT JOIN (
    SELECT workload, count(*)::INTEGER AS run_count, (count(*) FILTER (is_eligible))::INTEGER AS eligible_run_count
    FROM run GROUP BY workload
) r ON r.workload = w.digest
ORDER BY operation_slug, position;

CREATE OR REPLACE TABLE record AS
SELECT c.key AS cohort, c.operation, c.operation_slug, c.family, c.workload, c.protocol, c.environment, c.profile, c.product, c.vendor, c.architecture,
    c.source, c.metric, c.unit, c.record AS run, c.record_value AS value, c.record_since AS since, c.eligible_run_count,
    r.implementation, r.language, r.project_slug, r.license, r.is_permissive, r.is_deployable, r.evidence, r.evidence_order,
    r.observed_at, r.is_mismatched, i.install_command IS NOT NULL AS is_installable, w.dtypes, w.axis_names, w.axis_values
FROM cohort c
JOIN run r ON r.digest = c.record
JOIN current_implementation i ON i.digest = r.implementation
JOIN workload w ON w.digest = c.workload
ORDER BY c.record_since DESC, c.key;

CREATE OR REPLACE TABLE implementation AS
SELECT i.*, j.license, j.is_permissive, j.is_deployable, o.slug AS operation_slug, o.family, coalesce(r.run_count, 0) AS run_count,
    coalesce(r.eligible_run_count, 0) AS eligible_run_count, coalesce(r.record_count, 0) AS record_count
FROM current_implementation i
JOIN implementation_verdict j ON j.digest = i.digest
JOIN operation o ON o.digest = i.operation
LEFT JOIN (
    SELECT r.implementation, count(*)::INTEGER AS run_count, (count(*) FILTER (r.is_eligible))::INTEGER AS eligible_run_count,
        count(c.key)::INTEGER AS record_count
    FROM run r LEFT JOIN cohort c ON c.record = r.digest GROUP BY r.implementation
) r ON r.implementation = i.digest
ORDER BY operation_slug, i.title, i.digest;

CREATE OR REPLACE TABLE protocol AS
SELECT * FROM raw_protocol QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1
ORDER BY digest;

CREATE OR REPLACE TABLE environment AS SELECT * FROM current_environment ORDER BY digest;

CREATE OR REPLACE TABLE hardware AS
SELECT product, min(vendor) AS vendor, list_sort(list(DISTINCT architecture)) AS architectures,
    list_sort(list(DISTINCT form_factor) FILTER (form_factor IS NOT NULL)) AS form_factors, count(*)::INTEGER AS run_count,
    (count(*) FILTER (is_eligible))::INTEGER AS eligible_run_count, count(DISTINCT cohort)::INTEGER AS cohort_count,
    count(DISTINCT family)::INTEGER AS family_count, max(observed_at) FILTER (is_eligible) AS last_observed_at
FROM run GROUP BY product ORDER BY product;

CREATE OR REPLACE TABLE serving_run AS
SELECT r.digest, r.object_id, r.title, r.status, r.observed_at, coalesce(l.published_at, u.published_at) AS published_at,
    coalesce(r.source, l.source, u.source, 'unknown') AS source, coalesce(l.cohort, '') AS cohort, r.model,
    coalesce(m.title, m.name, '') AS model_name, r.configuration, coalesce(c.stack, '') AS stack, k.version AS stack_version,
    r.workload, coalesce(w.title, w.name, '') AS workload_name, r.scenario, r.quality_policy, r.accelerator_vendor,
    r.accelerator_model, r.accelerator_count, r.node_count, c.dtype, r.measurements_json
FROM (
    SELECT *, min(sequence) OVER (PARTITION BY digest) AS first_sequence FROM raw_serving_run
    QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1
) r
JOIN publication u ON u.sequence = r.first_sequence
LEFT JOIN listing l ON l.subject = r.digest
LEFT JOIN (SELECT * FROM raw_serving_part QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1) m ON m.digest = r.model
LEFT JOIN (SELECT * FROM raw_serving_part QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1) c ON c.digest = r.configuration
LEFT JOIN (SELECT * FROM raw_serving_part QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1) k ON k.digest = c.stack
LEFT JOIN (SELECT * FROM raw_serving_part QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1) w ON w.digest = r.workload
ORDER BY observed_at DESC, r.digest;

CREATE OR REPLACE TABLE source AS
SELECT s.*, coalesce(r.run_count, 0) + coalesce(v.run_count, 0) AS run_count,
    greatest(r.last_observed_at, v.last_observed_at) AS last_observed_at
FROM (SELECT * FROM raw_source QUALIFY row_number() OVER (PARTITION BY slug ORDER BY sequence DESC, ordinal DESC) = 1) s
LEFT JOIN (SELECT source, count(*)::INTEGER AS run_count, max(observed_at) AS last_observed_at FROM run GROUP BY source) r
    ON r.source = s.slug
LEFT JOIN (SELECT source, count(*)::INTEGER AS run_count, max(observed_at) AS last_observed_at FROM serving_run GROUP BY source) v
    ON v.source = s.slug
ORDER BY s.slug;

CREATE OR REPLACE TABLE operation_source AS
SELECT operation, source, count(*)::INTEGER AS run_count, max(observed_at) AS last_observed_at
FROM run GROUP BY operation, source ORDER BY operation, source;

CREATE OR REPLACE TABLE correction AS SELECT * FROM raw_correction ORDER BY run, made_at, sequence, ordinal;
CREATE OR REPLACE TABLE attestation AS SELECT * FROM raw_attestation ORDER BY run, made_at, sequence, ordinal;
-- Of all but runs: their rows hold what they cite.
CREATE OR REPLACE TABLE reference AS SELECT DISTINCT from_digest, to_digest FROM raw_reference ORDER BY from_digest, to_digest;

-- Exact look-ups by name; everything else is found by the order of its table.
CREATE INDEX run_digest ON run (digest);
CREATE INDEX implementation_digest ON implementation (digest);
CREATE INDEX workload_digest ON workload (digest);
CREATE INDEX cohort_key ON cohort (key);
CREATE INDEX object_digest ON object (digest);
CREATE INDEX object_id ON object (object_id);
