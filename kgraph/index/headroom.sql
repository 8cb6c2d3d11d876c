-- How far each record lies above its floor; made once the floors are judged.

CREATE OR REPLACE TABLE opportunity AS
SELECT h.cohort, c.record, h.policy, h.floor_ns, h.floor_ns * h.record_ratio AS record_ns, h.record_ratio, h.bound,
    h.below_floor, h.caveat, c.operation, c.operation_slug, c.family, c.workload, c.environment, c.product, c.vendor,
    c.architecture, c.source, c.eligible_run_count, c.last_observed_at
FROM headroom h JOIN cohort c ON c.key = h.cohort
WHERE h.record_ratio IS NOT NULL
ORDER BY h.policy, h.record_ratio DESC, h.cohort;
