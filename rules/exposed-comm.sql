-- title: Communication that nothing hides
-- help: Devices only communicate, once all ranks have come, in a usual step; by collective.
-- SPDX-License-Identifier: MIT
WITH per_rank AS (
  SELECT collective, rank, median(transfer_ns + unsplit_ns, steps) AS step_ns,
         median(transfer_ns + unsplit_ns, steps) * steps AS cost_ns, total(unsplit_ns) > 0 AS unsplit
  FROM "step-collectives", (SELECT max(steps) AS steps FROM "step-spans")
  WHERE NOT warmup GROUP BY collective, rank),
per_collective AS (
  SELECT collective, total(step_ns) AS step_ns, total(cost_ns) AS cost_ns, max(unsplit) AS unsplit
  FROM per_rank GROUP BY collective),
spans AS (SELECT avg(span_ns) AS span_ns, count(*) AS ranks, min(judged) AS judged FROM "step-spans"),
sample AS (
  SELECT collective, rank, step, max(transfer_ns + unsplit_ns) FROM "step-collectives" WHERE NOT warmup
  GROUP BY collective),
each AS (SELECT iif(EXISTS (SELECT 1 FROM steps), ' a step', '') AS a_step)
SELECT
  collective || ' is exposed for ' || duration(step_ns / ranks) || a_step
    || CASE WHEN unsplit THEN '; how much of it is waiting is unknown, as ranks are missing' ELSE ' after all ranks have come' END AS text,
  cost_ns / ranks AS cost_ns,
  100.0 * cost_ns / ranks / span_ns AS share,
  'overlap it with computation: buckets, prefetching, another order; or send less: sharding, lower precision' AS advice,
  json_array(json_object('table', 'step-collectives', 'keys', json_object(
    'rank', sample.rank, 'step', sample.step, 'collective', collective))) AS evidence,
  collective AS where_collective
FROM per_collective JOIN sample USING (collective), spans, each WHERE judged
