-- title: The slowest requests take many times what a usual one takes
-- help: The 99th percentile of the time to first token, or per output token, is far above the median of a run.
-- param: times = 3 [1, 1000] Medians from which the 99th percentile is too long
-- param: least = 20 [1, 1000000000] Requests of a run from which its 99th percentile says something
-- param: hold = 50 [0, 100] Percent of the slow requests that share a length, a start or a load, to be named
-- param: of = 25 [0, 100] Percent of all requests from which that is nothing to name
-- SPDX-License-Identifier: MIT
WITH long AS (
  SELECT * FROM "latency-tails" WHERE n >= :least AND p99_ns > :times * p50_ns AND share_percent >= 5),
worst AS (SELECT * FROM long ORDER BY share_percent DESC, metric LIMIT 1),
bins AS (
  SELECT tails.* FROM "tail-bins" AS tails JOIN worst
  ON tails.result = worst.result AND tails.metric = worst.metric),
ranges AS (
  SELECT a.by, a.bin AS first, b.bin AS last, a."from", b."to",
         (SELECT total(requests) FROM bins AS c WHERE c.by = a.by AND c.bin BETWEEN a.bin AND b.bin) AS requests,
         (SELECT total(slow) FROM bins AS c WHERE c.by = a.by AND c.bin BETWEEN a.bin AND b.bin) AS slow
  FROM bins AS a JOIN bins AS b ON b.by = a.by AND b.bin BETWEEN a.bin AND a.bin + 5),
named AS ( -- more than chance puts there
  SELECT ranges.*, 100.0 * ranges.slow / worst.slow AS hold, 100.0 * requests / worst.n AS of
  FROM ranges, worst
  WHERE 100.0 * ranges.slow >= :hold * worst.slow AND 100.0 * requests < :of * worst.n
    AND ranges.slow > requests / worst.n * worst.slow + 4 * sqrt(requests / worst.n * worst.slow)),
place AS (SELECT * FROM named ORDER BY hold - of DESC, by DESC, first, last LIMIT 1)
SELECT
  'p99 ' || upper(worst.metric)
    || CASE (SELECT count(DISTINCT result) FROM "latency-tails") WHEN 1 THEN '' ELSE ' of ' || brief(worst.result) END || ' is ' || printf('%.1f', worst.p99_ns / worst.p50_ns) || ' times p50'
    || CASE place.by
       WHEN 'input_tokens' THEN ': ' || percent(hold) || ' of the slow have prompts of ' || number("from") || ' to '
         || number("to") || ' tokens (' || percent(of) || ' of all)'
       WHEN 'start' THEN ': ' || percent(hold) || ' of the slow began ' || duration("from") || ' to ' || duration("to")
         || ' after the first (' || percent(of) || ' of all)'
       WHEN 'concurrency' THEN ': ' || percent(hold) || ' of the slow began with ' || number("from") || ' to '
         || number("to") || ' in flight (' || percent(of) || ' of all)'
       ELSE '; no length of prompt, start or load stands out' END AS text,
  worst.share_percent AS share,
  CASE place.by
    WHEN 'input_tokens' THEN 'long prompts: chunked prefill (max_num_batched_tokens), or instances of their own for them'
    WHEN 'start' THEN 'look at the server''s log of that time: warm-up, compilation, preemption; leave warm-up out of the run'
    WHEN 'concurrency' THEN 'bound the requests in flight (max_concurrency, max_num_seqs), or add instances'
    ELSE 'look at the slowest requests, one by one: stagemill run -p serving --set requests.rank-by=' || worst.metric
  END AS advice,
  CASE WHEN place.by IS NULL THEN
    json_array(json_object('table', 'latency-tails', 'keys', json_object('result', worst.result, 'metric', worst.metric)))
  ELSE
    json_array(json_object('table', 'latency-tails', 'keys', json_object('result', worst.result, 'metric', worst.metric)),
      json_object('table', 'tail-bins', 'keys', json_object(
        'result', worst.result, 'metric', worst.metric, 'by', place.by, 'bin', place.first))) END AS evidence,
  worst.result AS where_result
FROM worst LEFT JOIN place
