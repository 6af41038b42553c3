-- title: Devices have nothing to do
-- help: Time in which a device neither computes nor moves data nor prepares a kernel, in a usual iteration.
-- param: least = 5 [1, 1000000] Iterations of each rank from which a habit shows
-- SPDX-License-Identifier: MIT
WITH per_rank AS (
  SELECT rank, median(time_ns) AS step_ns, median(time_ns) * count(*) AS cost_ns FROM "iteration-parts"
  WHERE part = 'gap' GROUP BY rank),
iterations AS (SELECT rank, iteration, total(time_ns) AS span_ns FROM "iteration-parts" GROUP BY rank, iteration),
rank_spans AS (SELECT rank, median(span_ns) * count(*) AS span_ns, count(*) AS n FROM iterations GROUP BY rank),
spans AS (SELECT avg(span_ns) AS span_ns, min(n) AS n FROM rank_spans),
sample AS (
  SELECT rank, iteration FROM "iteration-parts" WHERE part = 'gap' ORDER BY time_ns DESC, rank, iteration LIMIT 1)
SELECT
  'devices have nothing to do for ' || duration(avg(step_ns)) || ' an iteration: the host launches too late' AS text,
  avg(cost_ns) AS cost_ns,
  100.0 * avg(cost_ns) / spans.span_ns AS share,
  'launch further ahead of the device: fewer, larger graphs, a larger batch, no waiting for results in between' AS advice,
  json_array(json_object('table', 'iteration-parts', 'keys', json_object(
    'rank', sample.rank, 'iteration', sample.iteration, 'part', 'gap'))) AS evidence
FROM per_rank, spans, sample WHERE spans.n >= :least
