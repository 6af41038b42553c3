-- title: More load only makes requests wait
-- help: From one offered load to the next, the 99th percentile of a latency grows much faster than requests per second.
-- param: times = 2 [0, 1000] How many times faster, in percent of the load before
WITH known AS ( -- a run that lists no requests may lack the end-to-end latency
  SELECT *, _group, coalesce(e2e_mean_ms, ttft_mean_ms + tpot_mean_ms * ("output_throughput_tok/s" / "request_throughput_req/s" - 1))
    AS request_ms FROM saturation),
levels AS (
  SELECT *, lag(level) OVER loads AS level_before, lag(offered) OVER loads AS offered_before,
         lag("request_throughput_req/s") OVER loads AS requests_before, lag(ttft_p99_ms) OVER loads AS ttft_before,
         lag(tpot_p99_ms) OVER loads AS tpot_before, lag(request_ms) OVER loads AS request_before_ms
  FROM known WINDOW loads AS (PARTITION BY _group ORDER BY level)),
growth AS (
  SELECT *, 100.0 * ("request_throughput_req/s" / requests_before - 1) AS requests_growth,
         100.0 * (ttft_p99_ms / ttft_before - 1) AS ttft_growth, 100.0 * (tpot_p99_ms / tpot_before - 1) AS tpot_growth
  FROM levels WHERE level = level_before + 1),
fastest AS (
  SELECT *, coalesce(ttft_growth, -100) >= coalesce(tpot_growth, -100) AS is_ttft,
         max(coalesce(ttft_growth, -100), coalesce(tpot_growth, -100)) AS latency_growth FROM growth),
shares AS (
  SELECT *, iif(is_ttft, 'TTFT', 'TPOT') AS latency, iif(is_ttft, ttft_p99_ms, tpot_p99_ms) AS p99_ms,
         100.0 * coalesce(1 - request_before_ms / request_ms, latency_growth / (100 + latency_growth)) AS share
  FROM fastest WHERE latency_growth > 0 AND latency_growth > :times * requests_growth),
first AS (
  SELECT *, (SELECT group_concat(CASE value WHEN '' THEN 'no ' || key ELSE key || ' ' || value END, ', ') FROM json_each(_group)) AS tags,
         (SELECT json_group_object(key, value) FROM json_each(_group) WHERE value <> '') AS keys,
         row_number() OVER (PARTITION BY _group ORDER BY level) AS i
  FROM shares WHERE share >= 5)
SELECT
  coalesce(tags || ': ', '') || 'saturated at ' || axis || ' ' || coalesce(printf('%.6g', offered), 'inf') || ': p99 ' || latency || ' grows by '
    || percent(latency_growth) || ' to ' || duration(1e6 * p99_ms) || ', requests per second by '
    || percent(requests_growth) AS text,
  share,
  'serve at most ' || axis || ' ' || printf('%.6g', offered_before) || ' with one instance; for more, add instances or GPUs' AS advice,
  json_array(json_object('table', 'saturation', 'keys', json_patch(keys, json_object('level', level_before))),
             json_object('table', 'saturation', 'keys', json_patch(keys, json_object('level', level)))) AS evidence,
  _group AS where_group,
  iif(axis = 'request_rate', coalesce(offered, 'inf'), NULL) AS where_request_rate,
  iif(axis = 'max_concurrency', coalesce(offered, 'inf'), NULL) AS where_max_concurrency
FROM first WHERE i = 1
