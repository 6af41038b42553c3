-- title: How many configurations there are, which of them is fastest, and where more load only makes requests wait
-- SPDX-License-Identifier: MIT
WITH rows AS (
  SELECT row_number() OVER () AS i, _group, "output_throughput_tok/s" AS tokens, "request_throughput_req/s" AS requests FROM throughput WHERE _group IS NOT NULL),
known AS (SELECT count(*) AS n, count(*) = count(tokens) AS has_tokens FROM rows),
best AS (
  SELECT _group, iif(has_tokens, tokens, requests) AS rate FROM rows, known WHERE iif(has_tokens, tokens, requests) IS NOT NULL
  ORDER BY rate DESC, i LIMIT 1),
saturated AS (SELECT "where" FROM _finding WHERE name = 'saturation' LIMIT 1),
limits AS (SELECT count(*) AS n, max(value) AS offered FROM saturated, json_each("where") WHERE key IN ('request_rate', 'max_concurrency'))
SELECT
  known.n || ' configurations'
    || coalesce(': best ' || CASE WHEN rate < 100 THEN printf('%.1f', rate) ELSE number(round(rate)) END || iif(has_tokens, ' tok/s', ' req/s')
      || ' at ' || (SELECT group_concat(CASE value WHEN '' THEN 'no ' || key ELSE key || ' ' || value END, ', ') FROM json_each(best._group)
          WHERE (SELECT count(DISTINCT json_extract(rows._group, '$."' || key || '"')) FROM rows) > 1), '')
    || CASE WHEN limits.n THEN ', saturated at ' || iif(typeof(offered) = 'text', offered, printf('%.6g', offered)) ELSE '' END AS text
FROM known LEFT JOIN best LEFT JOIN limits WHERE known.n > 1
