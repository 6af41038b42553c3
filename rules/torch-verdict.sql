-- title: How long a step takes, and how busy the devices are
-- SPDX-License-Identifier: MIT
WITH spans AS (
  SELECT avg(span_ns) AS span_ns, avg(steps) AS steps, count(*) AS ranks, max(warmup) AS warmup, min(judged) AS judged,
    max(why_not) AS why_not
  FROM "step-spans"),
busy AS (
  SELECT 100.0 * total(time_ns) FILTER (WHERE part <> 'idle') / total(time_ns) AS share
  FROM "step-parts" WHERE NOT warmup),
lanes AS (SELECT count(*) AS n FROM (SELECT DISTINCT rank FROM "device-classes"))
SELECT
  CASE WHEN EXISTS (SELECT 1 FROM steps)
    THEN 'a step takes ' || duration(span_ns / spans.steps) || ' (' || number(spans.steps) || CASE round(spans.steps) WHEN 1 THEN ' step' ELSE ' steps' END
      || CASE WHEN warmup THEN ', without warm-up' ELSE '' END || ')'
    ELSE 'the devices work for ' || duration(span_ns) END
  || ', devices busy ' || percent(busy.share) || ', ' || lanes.n || CASE lanes.n WHEN 1 THEN ' rank' ELSE ' ranks' END AS text,
  CASE WHEN judged THEN 'no findings: no cause that the rules know costs 5 % or more'
    ELSE 'no findings: not judged, ' || why_not END AS no_findings
FROM spans, busy, lanes WHERE span_ns > 0
