-- title: One rank is slower than the others
-- help: One rank comes last in most collectives of a group, and computes for longer than the others.
-- param: last = 60 [0, 100] Percent of the calls of a group in which it comes last
-- param: compute = 5 [0, 1000] Percent that its compute time is above the median of ranks
-- SPDX-License-Identifier: MIT
WITH calls AS (SELECT DISTINCT "group", ranks, number, last FROM arrivals WHERE NOT warmup),
counts AS (SELECT "group", ranks, last AS rank, count(*) AS calls FROM calls GROUP BY "group", ranks, last),
habits AS (
  SELECT *, 100.0 * calls / sum(calls) OVER (PARTITION BY "group", ranks) AS last_share FROM counts),
worst AS (SELECT * FROM habits WHERE last_share >= :last ORDER BY calls DESC, rank LIMIT 1),
compute AS (
  SELECT rank, total(time_ns) AS compute_ns FROM "step-parts" WHERE NOT warmup AND part = 'compute' GROUP BY rank),
typical AS (SELECT median(compute_ns) AS compute_ns FROM compute),
waits AS (
  SELECT rank, step, total(time_ns) FILTER (WHERE cause = 'wait') AS wait_ns
  FROM "step-parts" WHERE NOT warmup GROUP BY rank, step),
per_rank AS (
  SELECT rank, median(wait_ns) AS step_ns, median(wait_ns) * count(*) AS cost_ns FROM waits GROUP BY rank),
others AS (
  SELECT min(step_ns) AS step_ns, min(cost_ns) AS cost_ns FROM per_rank WHERE rank <> (SELECT rank FROM worst)),
spans AS (SELECT avg(span_ns) AS span_ns, min(judged) AS judged FROM "step-spans"),
sample AS (
  SELECT arrivals."group", arrivals.ranks, number FROM arrivals, worst
  WHERE last = worst.rank AND arrivals.rank = worst.rank AND NOT warmup ORDER BY late_ns DESC, number LIMIT 1),
each AS (SELECT iif(EXISTS (SELECT 1 FROM steps), ' a step', '') AS a_step)
SELECT
  'rank ' || worst.rank || ' holds up the others by ' || duration(others.step_ns) || a_step || ': it computes '
    || percent(100.0 * compute.compute_ns / typical.compute_ns - 100) || ' longer and comes last in '
    || percent(last_share) || ' of collectives' AS text,
  others.cost_ns AS cost_ns,
  100.0 * others.cost_ns / span_ns AS share,
  'compare its kernels with those of another rank: stagemill compare OTHER RANK' || worst.rank AS advice,
  json_array(json_object('table', 'arrivals', 'keys', json_object(
    'group', sample."group", 'ranks', sample.ranks, 'number', sample.number, 'rank', worst.rank))) AS evidence,
  worst.rank AS where_rank
FROM worst JOIN compute ON compute.rank = worst.rank, typical, others, spans, sample, each
WHERE judged AND compute.compute_ns > typical.compute_ns * (1 + :compute / 100.0)
