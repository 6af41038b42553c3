-- title: Devices wait for compilation
-- help: Idle time of devices while the launching thread compiles or loads modules, in a usual step.
-- SPDX-License-Identifier: MIT
WITH per_step AS (
  SELECT rank, step, total(time_ns) FILTER (WHERE part = 'idle' AND cause = 'compile') AS lost_ns
  FROM "step-parts" WHERE NOT warmup GROUP BY rank, step),
per_rank AS (
  SELECT rank, median(lost_ns) AS step_ns, median(lost_ns) * count(*) AS cost_ns FROM per_step GROUP BY rank),
spans AS (SELECT avg(span_ns) AS span_ns, min(judged) AS judged FROM "step-spans"),
around AS (
  SELECT rank, name FROM "gap-causes" WHERE cause = 'compile' ORDER BY time_ns DESC, rank, name LIMIT 1),
each AS (SELECT iif(EXISTS (SELECT 1 FROM steps), ' a step', '') AS a_step)
SELECT
  'devices wait ' || duration(avg(step_ns)) || a_step || ' for compilation' AS text,
  avg(cost_ns) AS cost_ns,
  100.0 * avg(cost_ns) / span_ns AS share,
  'compile before the loop; TORCH_LOGS=recompiles says why; mark changing sizes with torch._dynamo.mark_dynamic' AS advice,
  json_array(json_object('table', 'gap-causes', 'keys',
    json_object('rank', around.rank, 'cause', 'compile', 'name', around.name))) AS evidence,
  around.name AS where_op
FROM per_rank, spans, around, each WHERE judged
