-- title: Ranks wait for one another
-- help: Ranks wait in collectives for whichever comes last: not always the same one, or one that does not compute for longer.
-- param: last = 60 [0, 100] Percent of calls of a group from which one rank alone is late
-- param: compute = 5 [0, 1000] Percent of computing above the median of ranks from which such a rank is a straggler
-- SPDX-License-Identifier: MIT
WITH calls AS (SELECT DISTINCT "group", ranks, number, last FROM arrivals WHERE NOT warmup),
counts AS (SELECT "group", ranks, last AS rank, count(*) AS calls FROM calls GROUP BY "group", ranks, last),
habits AS (SELECT *, 100.0 * calls / sum(calls) OVER (PARTITION BY "group", ranks) AS last_share FROM counts),
compute AS (
  SELECT rank, total(time_ns) AS compute_ns FROM "step-parts" WHERE NOT warmup AND part = 'compute' GROUP BY rank),
late AS (
  SELECT rank, last_share,
    compute_ns > (SELECT median(compute_ns) FROM compute) * (1 + :compute / 100.0) AS is_straggler
  FROM habits JOIN compute USING (rank) WHERE last_share >= :last ORDER BY calls DESC, rank LIMIT 1),
idle AS (
  SELECT cause, total(time_ns) FILTER (WHERE rank = (SELECT rank FROM late))
      - total(time_ns) / (SELECT count(*) FROM "step-spans") AS more_ns
  FROM "step-parts" WHERE NOT warmup AND part = 'idle' GROUP BY cause ORDER BY 2 DESC, cause LIMIT 1),
waits AS (
  SELECT step, rank, total(time_ns) FILTER (WHERE cause = 'wait') AS wait_ns
  FROM "step-parts" WHERE NOT warmup GROUP BY step, rank),
per_step AS (SELECT step, median(wait_ns) AS wait_ns FROM waits GROUP BY step),
lost AS (SELECT median(wait_ns) AS step_ns, median(wait_ns) * count(*) AS cost_ns FROM per_step),
spans AS (SELECT avg(span_ns) AS span_ns, min(judged) AS judged FROM "step-spans"),
sample AS (
  SELECT "group", ranks, number, rank FROM arrivals WHERE NOT warmup ORDER BY late_ns DESC, number, rank LIMIT 1),
each AS (SELECT iif(EXISTS (SELECT 1 FROM steps), ' a step', '') AS a_step)
SELECT
  'ranks wait for one another ' || duration(step_ns) || a_step || iif(late.rank IS NULL, ', and the last one changes: work is not even',
    ': rank ' || late.rank || ' is last in ' || percent(late.last_share) || ' of collectives, not by computing'
    || coalesce(' but by idle time (' || (SELECT cause FROM idle WHERE more_ns > 0) || ')', '')) AS text,
  cost_ns,
  100.0 * cost_ns / span_ns AS share,
  iif(late.rank IS NULL, 'give each rank the same work: batches by tokens rather than by samples, sequences packed or sorted by length',
    'look at gap-causes of rank ' || late.rank || ': stagemill run -p torch, of its trace alone') AS advice,
  json_array(json_object('table', 'arrivals', 'keys', json_object(
    'group', sample."group", 'ranks', sample.ranks, 'number', sample.number, 'rank', sample.rank))) AS evidence,
  late.rank AS where_rank
FROM lost, spans, sample, each LEFT JOIN late
WHERE judged AND NOT coalesce(is_straggler, false)
