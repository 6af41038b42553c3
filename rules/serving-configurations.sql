-- title: Runs of each configuration, by the tags that tell them apart
-- SPDX-License-Identifier: MIT
WITH rows AS (SELECT _group, * FROM throughput WHERE _group IS NOT NULL AND (SELECT count(*) FROM throughput) > 1),
latencies AS (
  SELECT _group, metric, CAST(round(1e6 * p50_ms) AS INTEGER) AS p50_ns, CAST(round(1e6 * p99_ms) AS INTEGER) AS p99_ns FROM latency),
saturated AS ( -- each member of what the finding is about is a tag of the group, or none of its tags
  SELECT rows._group FROM rows, _finding AS f
  WHERE f.name = 'saturation' AND NOT EXISTS (
    SELECT 1 FROM json_each(f."where") AS w LEFT JOIN json_each(rows._group) AS tag ON tag.key = w.key
    WHERE coalesce(tag.value = w.value OR (typeof(w.value) <> 'text' AND CAST(tag.value AS REAL) = w.value), 0) = 0))
SELECT
  rows._group AS "group", rows."request_throughput_req/s" AS "req/s", rows."output_throughput_tok/s" AS "tok/s",
  rows."output_per_gpu_tok/s" AS "tok/s per GPU", ttft.p50_ns AS TTFT_p50_ns, ttft.p99_ns AS TTFT_p99_ns, tpot.p50_ns AS TPOT_p50_ns,
  tpot.p99_ns AS TPOT_p99_ns, rows.failed AS failed_count, goodput."rate_req/s" AS "good req/s",
  CASE WHEN rows._group IN (SELECT _group FROM saturated) THEN 'saturated' ELSE '' END AS mark
FROM rows
LEFT JOIN latencies AS ttft ON ttft._group = rows._group AND ttft.metric = 'ttft'
LEFT JOIN latencies AS tpot ON tpot._group = rows._group AND tpot.metric = 'tpot'
LEFT JOIN goodput ON goodput._group = rows._group
