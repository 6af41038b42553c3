-- title: Copies that nothing hides
-- help: Devices only copy, or idle behind a copy for which the host waited, in a usual step.
-- SPDX-License-Identifier: MIT
WITH per_step AS (
  SELECT rank, step, total(exposed_ns + sync_ns) AS lost_ns FROM "step-copies" WHERE NOT warmup GROUP BY rank, step),
per_rank AS (
  SELECT rank, median(lost_ns, steps) AS step_ns, median(lost_ns, steps) * steps AS cost_ns
  FROM per_step, (SELECT max(steps) AS steps FROM "step-spans") GROUP BY rank),
spans AS (SELECT avg(span_ns) AS span_ns, count(*) AS ranks, min(judged) AS judged FROM "step-spans"),
most AS (
  SELECT copy, rank, step, max(exposed_ns + sync_ns) FROM "step-copies" WHERE NOT warmup
  GROUP BY copy ORDER BY total(exposed_ns + sync_ns) DESC, copy LIMIT 1),
each AS (SELECT iif(EXISTS (SELECT 1 FROM steps), ' a step', '') AS a_step)
SELECT
  'copies hold devices up for ' || duration(total(step_ns) / ranks) || a_step || ', most by ' || most.copy AS text,
  total(cost_ns) / ranks AS cost_ns,
  100.0 * total(cost_ns) / ranks / span_ns AS share,
  CASE WHEN most.copy LIKE '%pageable%'
    THEN 'the memory is pageable: pin_memory=True, and copies non_blocking=True'
    ELSE 'copy on a stream of its own, non_blocking=True, before the data is needed' END AS advice,
  json_array(json_object('table', 'step-copies', 'keys', json_object(
    'rank', most.rank, 'step', most.step, 'copy', most.copy))) AS evidence
FROM per_rank, spans, most, each WHERE judged
