-- title: Kernels that take the most time, all ranks together; rates of the products that launch them
-- screen: 5
-- SPDX-License-Identifier: MIT
WITH kernels AS (
  SELECT name AS kernel, sum(calls) AS calls, sum(total_ns) AS total_ns FROM "kernel-breakdown"
  WHERE type <> 'MEMORY' GROUP BY name ORDER BY 3 DESC, name LIMIT 10),
device AS (SELECT total(total_ns) AS total_ns FROM "kernel-breakdown" WHERE type <> 'MEMORY'),
named AS (
  SELECT *, brief(kernel) AS name, row_number() OVER (PARTITION BY brief(kernel) ORDER BY total_ns DESC, kernel) AS i
  FROM kernels),
work AS (
  SELECT name, pass, dims, types, spec, sum(flop * calls) / sum(calls) AS flop FROM "op-perf"
  WHERE flop > 0 AND spec LIKE 'matrix%' GROUP BY name, pass, dims, types, spec),
peaks AS (SELECT substr(roof, length('roof ') + 1) AS spec, max(tflops) AS tflops FROM roofs GROUP BY roof),
rates AS (
  SELECT kernel, total(work.flop * ops.calls) / total(ops.total_ns) / 1000 AS tflops, max(peaks.tflops) AS peak
  FROM "ops-args" AS ops JOIN work USING (name, pass, dims, types) LEFT JOIN peaks USING (spec) GROUP BY kernel)
SELECT name || CASE WHEN i > 1 THEN ' (' || i || ')' ELSE '' END AS kernel, calls AS calls_count, named.total_ns AS total_ns,
       100.0 * named.total_ns / device.total_ns AS share_percent, rates.tflops AS "TFLOP/s",
       100.0 * rates.tflops / rates.peak AS peak_percent
FROM named LEFT JOIN rates USING (kernel), device ORDER BY 3 DESC, kernel
