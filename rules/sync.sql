-- title: The host waits for the device in the middle of a step
-- help: Idle time of devices after the host waited for them, in a usual step.
-- SPDX-License-Identifier: MIT
WITH per_step AS (
  SELECT rank, step, total(time_ns) FILTER (WHERE part = 'idle' AND cause = 'sync') AS lost_ns
  FROM "step-parts" WHERE NOT warmup GROUP BY rank, step),
per_rank AS (
  SELECT rank, median(lost_ns) AS step_ns, median(lost_ns) * count(*) AS cost_ns FROM per_step GROUP BY rank),
spans AS (SELECT avg(span_ns) AS span_ns, min(judged) AS judged FROM "step-spans"),
around AS (
  SELECT rank, name FROM "gap-causes" WHERE cause = 'sync' ORDER BY time_ns DESC, rank, name LIMIT 1),
each AS (SELECT iif(EXISTS (SELECT 1 FROM steps), ' a step', '') AS a_step)
SELECT
  brief(around.name) || ' makes the host wait for the device: it idles ' || duration(avg(step_ns)) || a_step || ' until the next launch' AS text,
  avg(cost_ns) AS cost_ns,
  100.0 * avg(cost_ns) / span_ns AS share,
  'keep values on the device: no .item(), .cpu(), nonzero() or print in the step; copies non_blocking=True' AS advice,
  json_array(json_object('table', 'gap-causes', 'keys',
    json_object('rank', around.rank, 'cause', 'sync', 'name', around.name))) AS evidence,
  around.name AS where_op
FROM per_rank, spans, around, each WHERE judged
