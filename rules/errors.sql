-- title: Many requests fail
-- help: Requests with an error or without output; a server that drops some of its load looks faster than it is.
-- param: share = 5 [0, 100] Percent of requests that failed
-- SPDX-License-Identifier: MIT
WITH known AS (SELECT rank, requests, failed, duration_ns FROM runs WHERE failed IS NOT NULL AND requests > 0),
sums AS (SELECT total(failed) AS failed, total(requests) AS requests FROM known),
most AS (SELECT error FROM "request-errors" ORDER BY requests DESC, error LIMIT 1),
worst AS (
  SELECT * FROM known ORDER BY 1.0 * failed / requests DESC, requests, duration_ns LIMIT 1)
SELECT
  number(sums.failed) || ' of ' || number(sums.requests) || ' requests failed (' || percent(100.0 * sums.failed / sums.requests)
    || ')' || coalesce(', most often with ' || brief(most.error), '') AS text,
  100.0 * sums.failed / sums.requests AS share,
  'ask the server''s log for this error; repeat with less load before you compare latencies' AS advice,
  json_array(json_object('table', 'runs', 'keys', json_object(
    'rank', worst.rank, 'requests', worst.requests, 'failed', worst.failed, 'duration', worst.duration_ns))) AS evidence
FROM sums, worst LEFT JOIN most WHERE 100.0 * sums.failed >= :share * sums.requests
