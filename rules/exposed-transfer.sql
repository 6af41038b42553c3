-- title: Data transfers that no kernel hides
-- help: Time in which a device only moves data, once all ranks have come, in a usual iteration.
-- param: least = 5 [1, 1000000] Iterations of each rank from which a habit shows
-- SPDX-License-Identifier: MIT
WITH moves AS (
  SELECT rank, iteration, total(time_ns) AS time_ns, total(time_ns) FILTER (WHERE cause = 'unsplit') AS unsplit_ns
  FROM "iteration-parts" WHERE cause IN ('transfer', 'unsplit') GROUP BY rank, iteration),
per_rank AS (
  SELECT rank, median(time_ns) AS step_ns, median(time_ns) * count(*) AS cost_ns, total(unsplit_ns) > 0 AS unsplit
  FROM moves GROUP BY rank),
iterations AS (SELECT rank, iteration, total(time_ns) AS span_ns FROM "iteration-parts" GROUP BY rank, iteration),
rank_spans AS (SELECT rank, median(span_ns) * count(*) AS span_ns, count(*) AS n FROM iterations GROUP BY rank),
spans AS (SELECT avg(span_ns) AS span_ns, min(n) AS n FROM rank_spans),
sample AS (
  SELECT rank, iteration, cause FROM "iteration-parts" WHERE cause IN ('transfer', 'unsplit')
  ORDER BY time_ns DESC, rank, iteration LIMIT 1)
SELECT
  'devices only move data for ' || duration(avg(step_ns)) || ' an iteration, while no kernel runs'
    || CASE WHEN max(unsplit) THEN ', waiting for other ranks included' ELSE '' END AS text,
  avg(cost_ns) AS cost_ns,
  100.0 * avg(cost_ns) / spans.span_ns AS share,
  'start transfers earlier or in smaller pieces, so that kernels run meanwhile; stagemill run -p aiu-comm shows links' AS advice,
  json_array(json_object('table', 'iteration-parts', 'keys', json_object('rank', sample.rank, 'iteration', sample.iteration,
    'part', 'exposed-transfer', 'cause', sample.cause))) AS evidence
FROM per_rank, spans, sample WHERE spans.n >= :least
