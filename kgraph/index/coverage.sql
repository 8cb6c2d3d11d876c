-- What is measured where, and what is worth measuring; made after the tables that queries read.

CREATE OR REPLACE TEMP TABLE measured_cell AS
SELECT DISTINCT workload, product FROM cohort WHERE eligible_run_count > 0;

-- A line joins the cases that differ in the value of one axis and in nothing else.
CREATE OR REPLACE TEMP TABLE axis_line AS
SELECT digest AS workload,
    struct_pack(operation, axis := axis_names[i], names := axis_names, held := list_concat(axis_values[:i - 1], axis_values[i + 1:]),
        dtypes, scalars_json, comparator) AS line
FROM (SELECT *, unnest(range(1, len(axis_names) + 1)) AS i FROM workload WHERE NOT is_suite);

-- Cases that nobody measured on a device, beside cases that somebody did.
CREATE OR REPLACE TABLE challenge AS
WITH line_cell AS (
    SELECT l.line, m.product, count(*) AS case_count FROM axis_line l JOIN measured_cell m ON m.workload = l.workload
    GROUP BY l.line, m.product
),
along AS (
    SELECT l.workload, c.product, sum(c.case_count)::INTEGER AS case_count FROM axis_line l JOIN line_cell c ON c.line = l.line
    GROUP BY l.workload, c.product
),
elsewhere AS (SELECT workload, count(*)::INTEGER AS product_count FROM measured_cell GROUP BY workload),
-- Where nothing of the family runs, a missing case says nothing.
family_product AS (
    SELECT family, product, any_value(vendor) AS vendor FROM cohort WHERE eligible_run_count > 0 GROUP BY family, product
)
SELECT w.digest AS workload, w.operation, w.operation_slug, w.family, w.position, f.product, f.vendor,
    coalesce(e.product_count, 0) AS product_count, coalesce(a.case_count, 0) AS case_count,
    coalesce(e.product_count, 0) + coalesce(a.case_count, 0) AS neighbour_count
FROM workload w
JOIN family_product f ON f.family = w.family
LEFT JOIN elsewhere e ON e.workload = w.digest
LEFT JOIN along a ON a.workload = w.digest AND a.product = f.product
WHERE (e.workload IS NOT NULL OR a.workload IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM measured_cell m WHERE m.workload = w.digest AND m.product = f.product)
ORDER BY neighbour_count DESC, operation_slug, position, f.product;
