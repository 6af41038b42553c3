-- title: Matrix products, convolutions and attention that take the most time, and how near they come to the device's peak
-- screen: 0
-- SPDX-License-Identifier: MIT
WITH work AS (
  SELECT name, pass, dims, types, spec, sum(flop * calls) / sum(calls) AS flop FROM "op-perf"
  WHERE flop > 0 AND spec LIKE 'matrix%' GROUP BY name, pass, dims, types, spec),
peaks AS (SELECT substr(roof, length('roof ') + 1) AS spec, max(tflops) AS tflops FROM roofs GROUP BY roof),
products AS (
  SELECT name, dims, sum(ops.calls) AS calls, sum(ops.total_ns) AS total_ns, total(work.flop * ops.calls) AS flop,
    max(peaks.tflops) AS peak
  FROM "ops-args" AS ops JOIN work USING (name, pass, dims, types) LEFT JOIN peaks USING (spec) GROUP BY name, dims)
SELECT name AS product, dims AS shapes, calls AS calls_count, total_ns, flop / total_ns / 1000 AS "TFLOP/s",
       100.0 * flop / total_ns / 1000 / peak AS peak_percent
FROM products WHERE total_ns > 0 ORDER BY total_ns DESC, name, dims LIMIT 5
