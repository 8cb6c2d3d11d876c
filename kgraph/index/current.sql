-- First half of a build: of each raw table the rows now shown, and what policy has to judge.

CREATE OR REPLACE TEMP TABLE listing AS
SELECT subject,
    arg_max(slug, listed) FILTER (slug IS NOT NULL) AS slug,
    arg_max(aliases, listed) FILTER (aliases IS NOT NULL) AS aliases,
    arg_max(tags, listed) FILTER (tags IS NOT NULL) AS tags,
    arg_max(project, listed) FILTER (project IS NOT NULL) AS project,
    arg_max(published_at, listed) FILTER (published_at IS NOT NULL) AS published_at,
    arg_max(role, listed) FILTER (role IS NOT NULL) AS role,
    arg_max(source, listed) FILTER (source IS NOT NULL) AS source,
    arg_max(cohort, listed) FILTER (cohort IS NOT NULL) AS cohort
FROM (SELECT *, sequence::BIGINT * 100000000 + ordinal AS listed FROM raw_listing)
GROUP BY subject;

CREATE OR REPLACE TEMP TABLE current_project AS
SELECT * FROM raw_project QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1;

CREATE OR REPLACE TEMP TABLE current_operation AS
SELECT o.* EXCLUDE (name, title), coalesce(l.slug, o.name) AS slug, coalesce(o.title, o.name) AS title,
    coalesce(l.aliases, []) AS aliases, coalesce(l.tags, []) AS tags
FROM (SELECT * FROM raw_operation QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1) o
LEFT JOIN listing l ON l.subject = o.digest;

CREATE OR REPLACE TEMP TABLE current_implementation AS
WITH shown AS (
    SELECT * FROM raw_implementation
    QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1
),
-- Where several projects share a repository, the first by slug is taken, whatever the order of import.
by_repository AS (
    SELECT repository, arg_min(digest, slug || digest) AS digest FROM current_project
    WHERE repository IS NOT NULL GROUP BY repository
)
SELECT i.* EXCLUDE (title, role), coalesce(i.title, i.name) AS title, coalesce(l.slug, i.name) AS slug,
    coalesce(l.role, i.role) = 'baseline' AND coalesce(l.role, i.role) IS NOT NULL AS is_baseline,
    p.digest AS project, p.slug AS project_slug, p.name AS project_name, p.repository AS project_repository,
    p.homepage AS project_homepage,
    i.source_content_digest IS NOT NULL AS has_source_digest,
    i.source_content_digest IS NOT NULL OR coalesce(starts_with(i.repository, 'http'), false)
        OR coalesce(starts_with(i.source_url, 'http'), false)
        OR coalesce(starts_with(p.repository, 'http'), false) AS has_public_source
FROM shown i
LEFT JOIN listing l ON l.subject = i.digest
LEFT JOIN by_repository r ON r.repository = i.repository
LEFT JOIN current_project p ON p.digest = coalesce(l.project, r.digest);

CREATE OR REPLACE TEMP TABLE current_environment AS
SELECT * FROM raw_environment QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1;

CREATE OR REPLACE TEMP TABLE correction_of AS
SELECT run, to_json(list(struct_pack(object_id := object_id, run := run, action := action, replacement := replacement,
    reason := reason, by := made_by, "at" := strftime(made_at, '%Y-%m-%dT%H:%M:%S.%f'))
    ORDER BY made_at, sequence, ordinal))::VARCHAR AS corrections_json
FROM raw_correction GROUP BY run;

CREATE OR REPLACE TEMP TABLE run_fact AS
SELECT r.digest, r.object_id, r.title, r.status, r.observed_at, coalesce(l.published_at, u.published_at) AS published_at,
    coalesce(r.source, l.source, u.source, 'unknown') AS source, r.implementation, r.workload, r.protocol, r.environment,
    r.operation, o.family, r.cohort, r.metric, r.statistic, r.unit, r.value, r.interval_low, r.interval_high,
    r.sample_count, r.has_raw_samples, r.has_logs, i.has_source_digest, i.has_public_source, i.is_baseline,
    false AS is_controlled, 0 AS independent_runners, coalesce(c.corrections_json, '[]') AS corrections_json
FROM (
    -- Of an amended run the last object is shown, and it was public from the first on.
    SELECT *, min(sequence) OVER (PARTITION BY digest) AS first_sequence FROM raw_run
    QUALIFY row_number() OVER (PARTITION BY digest ORDER BY sequence DESC, ordinal DESC) = 1
) r
JOIN publication u ON u.sequence = r.first_sequence
JOIN current_operation o ON o.digest = r.operation
JOIN current_implementation i ON i.digest = r.implementation
LEFT JOIN listing l ON l.subject = r.digest
LEFT JOIN correction_of c ON c.run = r.digest;
