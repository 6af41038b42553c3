-- title: Ranks wait for one that comes late
-- help: Ranks wait in collectives until the last one has come, in a usual iteration.
-- param: last = 60 [0, 100] Percent of its collectives to which one rank comes last, to be named
-- param: least = 5 [1, 1000000] Iterations of each rank from which a habit shows
-- SPDX-License-Identifier: MIT
WITH waits AS (SELECT rank, iteration, time_ns FROM "iteration-parts" WHERE cause = 'wait'),
worst AS (
  SELECT rank, 100.0 * last / collectives AS last_share, collectives, last FROM "rank-lateness"
  WHERE 100.0 * last >= :last * collectives ORDER BY last DESC, rank LIMIT 1),
others AS (
  SELECT median(time_ns) AS step_ns, median(time_ns) * count(*) AS cost_ns FROM waits
  WHERE rank <> (SELECT rank FROM worst) GROUP BY rank ORDER BY cost_ns LIMIT 1),
per_iteration AS (SELECT iteration, median(time_ns) AS time_ns FROM waits GROUP BY iteration),
turns AS (SELECT median(time_ns) AS step_ns, median(time_ns) * count(*) AS cost_ns FROM per_iteration),
lost AS (
  SELECT coalesce(others.step_ns, turns.step_ns) AS step_ns, coalesce(others.cost_ns, turns.cost_ns) AS cost_ns
  FROM turns LEFT JOIN others),
iterations AS (SELECT rank, iteration, total(time_ns) AS span_ns FROM "iteration-parts" GROUP BY rank, iteration),
rank_spans AS (SELECT rank, median(span_ns) * count(*) AS span_ns, count(*) AS n FROM iterations GROUP BY rank),
spans AS (SELECT avg(span_ns) AS span_ns, min(n) AS n FROM rank_spans),
sample AS (SELECT rank, iteration FROM waits ORDER BY time_ns DESC, rank, iteration LIMIT 1)
SELECT
  CASE WHEN worst.rank IS NULL THEN 'ranks wait for one another ' || duration(step_ns) || ' an iteration, and the last one changes'
    ELSE 'ranks wait ' || duration(step_ns) || ' an iteration for rank ' || worst.rank || ', which comes last to '
      || percent(last_share) || ' of collectives' END AS text,
  cost_ns,
  100.0 * cost_ns / spans.span_ns AS share,
  CASE WHEN worst.rank IS NULL THEN 'give each rank the same work: batches of equal length; see that hosts launch at one time'
    ELSE 'compare its kernels with those of another rank (table kernel-time); if all are slower, its power: -p aiu-power' END
    AS advice,
  CASE WHEN worst.rank IS NULL THEN
    json_array(json_object('table', 'iteration-parts', 'keys', json_object(
      'rank', sample.rank, 'iteration', sample.iteration, 'part', 'exposed-transfer', 'cause', 'wait')))
  ELSE
    json_array(json_object('table', 'rank-lateness', 'keys', json_object('rank', worst.rank)),
      json_object('table', 'iteration-parts', 'keys', json_object(
        'rank', sample.rank, 'iteration', sample.iteration, 'part', 'exposed-transfer', 'cause', 'wait'))) END AS evidence,
  worst.rank AS where_rank
FROM lost, spans, sample LEFT JOIN worst WHERE spans.n >= :least
