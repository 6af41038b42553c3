-- title: Some steps are much longer than the others
-- help: What steps longer than 1.25 medians take above the median.
-- param: times = 1.25 [1, 1000] Medians from which a step is slow
-- SPDX-License-Identifier: MIT
WITH per_rank AS (
  SELECT rank, step, total(time_ns) AS span_ns FROM "step-parts" WHERE NOT warmup GROUP BY rank, step),
steps AS (SELECT step, avg(span_ns) AS span_ns FROM per_rank GROUP BY step),
typical AS (SELECT median(span_ns) AS span_ns FROM steps),
slow AS (SELECT step, steps.span_ns, steps.span_ns - typical.span_ns AS more_ns FROM steps, typical
  WHERE steps.span_ns > :times * typical.span_ns),
worst AS (SELECT * FROM slow ORDER BY more_ns DESC, step LIMIT 1),
parts AS (
  SELECT step, part, coalesce(cause, '') AS cause, total(time_ns) AS time_ns FROM "step-parts" WHERE NOT warmup
  GROUP BY step, part, coalesce(cause, '')),
usual AS (
  SELECT part, cause, median(time_ns, (SELECT count(*) FROM steps)) AS time_ns FROM parts GROUP BY part, cause),
grown AS (
  SELECT parts.part, parts.cause FROM parts JOIN usual USING (part, cause)
  WHERE step = (SELECT step FROM worst) ORDER BY parts.time_ns - usual.time_ns DESC, part, cause LIMIT 1),
sample AS (
  SELECT "step-parts".rank, max(time_ns) FROM "step-parts", grown
  WHERE step = (SELECT step FROM worst) AND "step-parts".part = grown.part
    AND coalesce("step-parts".cause, '') = grown.cause),
spans AS (SELECT avg(span_ns) AS span_ns, min(judged) AS judged FROM "step-spans")
SELECT
  'step ' || worst.step || ' takes ' || printf('%.1f', worst.span_ns / typical.span_ns) || ' times the median: more '
    || grown.part || CASE grown.cause WHEN '' THEN '' ELSE ' (' || grown.cause || ')' END
    || CASE (SELECT count(*) FROM slow) WHEN 1 THEN '' ELSE '; ' || ((SELECT count(*) FROM slow) - 1) || ' more are slow' END AS text,
  (SELECT total(more_ns) FROM slow) AS cost_ns,
  100.0 * (SELECT total(more_ns) FROM slow) / spans.span_ns AS share,
  'look at that step alone: --set steps=' || worst.step AS advice,
  json_array(json_object('table', 'step-parts', 'keys', json_object('rank', sample.rank, 'step', worst.step,
    'part', grown.part, 'cause', nullif(grown.cause, '')))) AS evidence,
  worst.step AS where_step
FROM worst, typical, grown, sample, spans WHERE judged AND typical.span_ns > 0
