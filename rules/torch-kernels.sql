-- title: Kernels that take the most time, all ranks together
WITH device AS (SELECT total(total_ns) AS total_ns FROM "kernel-summary"),
kernels AS (
  SELECT kernel, sum(calls) AS calls, sum(total_ns) AS total_ns FROM "kernel-summary" GROUP BY kernel
  ORDER BY 3 DESC, kernel LIMIT 10),
named AS (
  SELECT *, brief(kernel) AS name, row_number() OVER (PARTITION BY brief(kernel) ORDER BY total_ns DESC, kernel) AS i
  FROM kernels)
SELECT name || CASE WHEN i > 1 THEN ' (' || i || ')' ELSE '' END AS kernel, calls AS calls_count, named.total_ns AS total_ns,
       100.0 * named.total_ns / device.total_ns AS share_percent
FROM named, device ORDER BY 3 DESC, kernel
