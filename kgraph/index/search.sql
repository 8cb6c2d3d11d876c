-- What a project holds, and what search looks through; made after the tables that queries read.

CREATE OR REPLACE TABLE project AS
SELECT p.digest, p.slug, p.name, p.repository, p.homepage,
    count(i.digest)::INTEGER AS implementation_count, count(DISTINCT i.operation)::INTEGER AS operation_count,
    count(DISTINCT i.family)::INTEGER AS family_count, coalesce(sum(i.run_count), 0)::INTEGER AS run_count,
    coalesce(sum(i.eligible_run_count), 0)::INTEGER AS eligible_run_count,
    coalesce(sum(i.record_count), 0)::INTEGER AS record_count
FROM current_project p LEFT JOIN implementation i ON i.project = p.digest
GROUP BY ALL ORDER BY p.slug, p.digest;

-- Search compares text as letters and digits in lower case without accents, anything else one blank
-- (`FOLD_SQL` in search.py is the same expression).
CREATE OR REPLACE TEMP MACRO fold_text(given) AS
    trim(regexp_replace(lower(strip_accents(given)), '[^\p{L}\p{N}]+', ' ', 'g'));

-- What search finds; `terms` name the thing itself, `hints` are further words that lead to it.
CREATE OR REPLACE TEMP TABLE search_source AS
SELECT 'family' AS kind, slug AS key, slug AS name, run_count, [slug] AS terms, []::VARCHAR[] AS hints FROM family
UNION ALL
SELECT 'operation', digest, slug, run_count, list_concat([slug, title], aliases), list_concat([family], tags) FROM operation
UNION ALL
-- A person leaves the maker's name out.
SELECT 'hardware', product, product, run_count,
    [product, regexp_replace(product, '^(NVIDIA|AMD) ((GeForce|Instinct|Tesla|Quadro) )?', '')],
    list_concat([vendor], list_concat(architectures, coalesce(form_factors, []))) FROM hardware
UNION ALL
SELECT 'project', slug, name, run_count, [slug, name, coalesce(regexp_extract(repository, '([^/]+/[^/]+?)(\.git)?/*$', 1), '')], []
FROM project
UNION ALL
SELECT 'implementation', digest, title, run_count, [title, slug, name],
    [operation_slug, family, language, coalesce(project_name, ''), coalesce(version, '')] FROM implementation;

CREATE OR REPLACE TABLE search_entry AS
SELECT kind, key, name, run_count,
    list_position(['family', 'operation', 'hardware', 'project', 'implementation'], kind)::INTEGER AS kind_order
FROM search_source ORDER BY kind, key;

CREATE OR REPLACE TABLE search_term AS
SELECT DISTINCT kind, key, term FROM (SELECT kind, key, fold_text(unnest(terms)) AS term FROM search_source)
WHERE term <> '' ORDER BY kind, key, term;

CREATE OR REPLACE TABLE search_word AS
SELECT DISTINCT word, kind, key
FROM (
    SELECT kind, key, unnest(string_split(fold_text(array_to_string(list_concat(terms, hints), ' ')), ' ')) AS word
    FROM search_source
)
WHERE word <> '' ORDER BY word, kind, key;

CREATE OR REPLACE TABLE search_vocabulary AS SELECT DISTINCT word FROM search_word ORDER BY word;
