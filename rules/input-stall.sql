-- title: Devices wait for input
-- help: Idle time of devices while the launching thread is in the data loader, in a usual step.
-- SPDX-License-Identifier: MIT
WITH per_step AS (
  SELECT rank, step, total(time_ns) FILTER (WHERE part = 'idle' AND cause = 'loader') AS lost_ns
  FROM "step-parts" WHERE NOT warmup GROUP BY rank, step),
per_rank AS (
  SELECT rank, median(lost_ns) AS step_ns, median(lost_ns) * count(*) AS cost_ns FROM per_step GROUP BY rank),
spans AS (SELECT avg(span_ns) AS span_ns, min(judged) AS judged FROM "step-spans"),
around AS (
  SELECT rank, name FROM "gap-causes" WHERE cause = 'loader' ORDER BY time_ns DESC, rank, name LIMIT 1),
each AS (SELECT iif(EXISTS (SELECT 1 FROM steps), ' a step', '') AS a_step)
SELECT
  'devices wait for the data loader ' || duration(avg(step_ns)) || a_step AS text,
  avg(cost_ns) AS cost_ns,
  100.0 * avg(cost_ns) / span_ns AS share,
  'DataLoader: more num_workers, a larger prefetch_factor, pin_memory=True, persistent_workers=True' AS advice,
  json_array(json_object('table', 'gap-causes', 'keys',
    json_object('rank', around.rank, 'cause', 'loader', 'name', around.name))) AS evidence
FROM per_rank, spans, around, each WHERE judged
