-- title: Kernels become slower from step to step
-- help: Kernels with most of the compute time are slower in the last quarter of the steps than in the first.
-- param: slower = 5 [0, 1000] Percent by which a kernel is slower
-- param: compute = 70 [0, 100] Percent of compute time of kernels that are
-- SPDX-License-Identifier: MIT
WITH kernels AS (
  SELECT rank, kernel, op, shapes, sum(time_ns) AS time_ns, sum(calls) AS calls,
         max(median_ns) FILTER (WHERE quarter = 1) AS first_ns, max(median_ns) FILTER (WHERE quarter = 4) AS last_ns
  FROM "kernel-drift" GROUP BY rank, kernel, op, shapes),
slow AS (SELECT * FROM kernels WHERE last_ns > first_ns * (1 + :slower / 100.0)),
lost AS (SELECT avg(cost_ns) AS cost_ns FROM (
  SELECT rank, sum(time_ns - calls * first_ns) AS cost_ns FROM slow GROUP BY rank)),
spans AS (SELECT avg(span_ns) AS span_ns, min(judged) AS judged FROM "step-spans"),
most AS (SELECT * FROM slow ORDER BY time_ns DESC, rank, kernel, op, shapes LIMIT 1)
SELECT
  'kernels become slower: ' || brief(most.kernel) || ' by ' || percent(100.0 * most.last_ns / most.first_ns - 100)
    || ' from the first quarter of the steps to the last' AS text,
  cost_ns,
  100.0 * cost_ns / span_ns AS share,
  'look at clocks, power and temperature of the device: nvidia-smi -q -d CLOCK,PERFORMANCE, or rocm-smi' AS advice,
  json_array(json_object('table', 'kernel-drift', 'keys', json_object('rank', most.rank, 'kernel', most.kernel,
    'op', most.op, 'shapes', most.shapes, 'quarter', 4))) AS evidence,
  most.kernel AS where_kernel
FROM lost, spans, most
WHERE judged AND (SELECT total(time_ns) FROM slow) >= :compute / 100.0 * (SELECT total(time_ns) FROM kernels)
