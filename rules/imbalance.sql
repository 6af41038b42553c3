-- title: Ranks take turns at being late
-- help: Ranks wait in collectives for whichever comes last, and it is not always the same one.
-- param: last = 60 [0, 100] Percent of calls of a group from which one rank alone is late: straggler
WITH calls AS (SELECT DISTINCT "group", ranks, number, last FROM arrivals WHERE NOT warmup),
counts AS (SELECT "group", ranks, last, count(*) AS calls FROM calls GROUP BY "group", ranks, last),
most AS (SELECT 100.0 * max(calls) / sum(calls) AS share FROM counts GROUP BY "group", ranks),
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
  'ranks wait for one another ' || duration(step_ns) || a_step || ', and the last one changes: work is not even' AS text,
  cost_ns,
  100.0 * cost_ns / span_ns AS share,
  'give each rank the same work: batches by tokens rather than by samples, sequences packed or sorted by length' AS advice,
  json_array(json_object('table', 'arrivals', 'keys', json_object(
    'group', sample."group", 'ranks', sample.ranks, 'number', sample.number, 'rank', sample.rank))) AS evidence
FROM lost, spans, sample, each
WHERE judged AND (SELECT max(share) FROM most) < :last
