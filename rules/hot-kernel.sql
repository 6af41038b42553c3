-- title: One kernel takes most of the time
-- help: A kernel that is neither a matrix product nor attention takes a large share of device time.
-- param: share = 40 [0, 100] Percent of device time
-- SPDX-License-Identifier: MIT
WITH kernels AS (
  SELECT name AS kernel, sum(total_ns) AS total_ns, sum(calls) AS calls FROM "kernel-breakdown"
  WHERE type <> 'MEMORY' GROUP BY name),
device AS (SELECT sum(total_ns) AS total_ns FROM kernels),
hot AS (
  SELECT kernel, kernels.total_ns, calls FROM kernels, device WHERE kernels.total_ns > :share / 100.0 * device.total_ns),
sample AS (
  SELECT kernel, rank, category, op, class, stream, max("kernel-summary".total_ns)
  FROM hot JOIN "kernel-summary" USING (kernel) GROUP BY kernel)
SELECT
  brief(kernel) || ' takes ' || percent(100.0 * hot.total_ns / device.total_ns) || ' of device time in '
    || number(calls) || ' calls' AS text,
  100.0 * hot.total_ns / device.total_ns AS share,
  'fuse it with its neighbours (torch.compile), or see whether its operator has a faster kernel' AS advice,
  json_array(json_object('table', 'kernel-summary', 'keys', json_object('rank', sample.rank, 'category', sample.category,
    'op', sample.op, 'kernel', kernel, 'class', sample.class, 'stream', sample.stream))) AS evidence,
  kernel AS where_kernel
FROM hot JOIN sample USING (kernel), device
WHERE class NOT IN ('GEMM', 'Attention', 'COMM')
  AND (SELECT coalesce(min(judged), true) FROM "step-spans")
