-- title: Devices wait until kernels are prepared
-- help: Time in which a device only prepares a kernel, in a usual iteration.
-- param: least = 5 [1, 1000000] Iterations of each rank from which a habit shows
-- SPDX-License-Identifier: MIT
WITH per_rank AS (
  SELECT rank, median(time_ns) AS step_ns, median(time_ns) * count(*) AS cost_ns FROM "iteration-parts"
  WHERE part = 'prep' GROUP BY rank),
iterations AS (SELECT rank, iteration, total(time_ns) AS span_ns FROM "iteration-parts" GROUP BY rank, iteration),
rank_spans AS (SELECT rank, median(span_ns) * count(*) AS span_ns, count(*) AS n FROM iterations GROUP BY rank),
spans AS (SELECT avg(span_ns) AS span_ns, min(n) AS n FROM rank_spans),
sample AS (
  SELECT rank, iteration FROM "iteration-parts" WHERE part = 'prep' ORDER BY time_ns DESC, rank, iteration LIMIT 1)
SELECT
  'devices wait ' || duration(avg(step_ns)) || ' an iteration until kernels are prepared' AS text,
  avg(cost_ns) AS cost_ns,
  100.0 * avg(cost_ns) / spans.span_ns AS share,
  'fuse small kernels, and launch further ahead, so that kernels are prepared while others run (counter ConcurrentPreps)' AS advice,
  json_array(json_object('table', 'iteration-parts', 'keys', json_object(
    'rank', sample.rank, 'iteration', sample.iteration, 'part', 'prep'))) AS evidence
FROM per_rank, spans, sample WHERE spans.n >= :least
