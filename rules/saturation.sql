-- title: More load only makes requests wait
-- help: From one offered load to the next, a latency grows much faster than requests per second; the stage load decides.
-- SPDX-License-Identifier: MIT
WITH levels AS (
  SELECT *, _group, lag(level) OVER loads AS level_before, lag(offered) OVER loads AS offered_before,
         CASE latency WHEN 'p99 TTFT' THEN ttft_p99_ms WHEN 'p99 TPOT' THEN tpot_p99_ms WHEN 'mean e2e' THEN e2e_mean_ms
           ELSE ttft_mean_ms END AS latency_ms
  FROM saturation WINDOW loads AS (PARTITION BY _group ORDER BY level)),
first AS (
  SELECT *, (SELECT group_concat(CASE value WHEN '' THEN 'no ' || key ELSE key || ' ' || value END, ', ') FROM json_each(_group)) AS tags,
         (SELECT json_group_object(key, value) FROM json_each(_group) WHERE value <> '') AS keys,
         row_number() OVER (PARTITION BY _group ORDER BY level) AS i
  FROM levels WHERE saturated)
SELECT
  coalesce(tags || ': ', '') || 'saturated at ' || axis || ' ' || coalesce(printf('%.6g', offered), 'inf') || ': ' || latency || ' grows by '
    || percent(latency_growth_percent) || ' to ' || duration(1e6 * latency_ms) || ', requests per second by '
    || percent(gain_percent) AS text,
  share_percent AS share,
  'serve at most ' || axis || ' ' || printf('%.6g', offered_before) || ' with one instance; for more, add instances or GPUs' AS advice,
  json_array(json_object('table', 'saturation', 'keys', json_patch(keys, json_object('level', level_before))),
             json_object('table', 'saturation', 'keys', json_patch(keys, json_object('level', level)))) AS evidence,
  _group AS where_group,
  iif(axis = 'request_rate', coalesce(offered, 'inf'), NULL) AS where_request_rate,
  iif(axis = 'max_concurrency', coalesce(offered, 'inf'), NULL) AS where_max_concurrency
FROM first WHERE i = 1
