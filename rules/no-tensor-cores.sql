-- title: Matrix products without tensor cores
-- help: Large products in fp32, by their types or by the name of their kernel.
-- param: size = 1024 [1, 1000000] Smallest size of a product that counts, where shapes are known
-- SPDX-License-Identifier: MIT
WITH products AS (
  SELECT name, pass, dims, types, strides, concrete, kernel, total_ns FROM "ops-args"
  WHERE category = 'GEMM' AND kernel NOT LIKE '%tf32%'
    AND CASE coalesce(types, '') WHEN ''
        THEN kernel LIKE '%sgemm%' OR kernel LIKE '%\_f32\_%' ESCAPE '\'
        ELSE types LIKE '["float",%' END
    AND NOT EXISTS (SELECT 1 FROM json_tree(iif(json_valid(dims), dims, '[]')) WHERE type = 'integer' AND value < :size)),
device AS (SELECT sum(total_ns) AS total_ns FROM "kernel-summary"),
most AS (SELECT * FROM products ORDER BY total_ns DESC, name, dims LIMIT 1)
SELECT
  'matrix products run in fp32, without tensor cores: ' || percent(100.0 * sum(products.total_ns) / device.total_ns)
    || ' of device time, most by ' || brief(most.kernel) AS text,
  100.0 * sum(products.total_ns) / device.total_ns AS share,
  'torch.set_float32_matmul_precision("high"), or autocast to bfloat16' AS advice,
  json_array(json_object('table', 'ops-args', 'keys', json_object('name', most.name, 'pass', most.pass, 'dims', most.dims,
    'types', most.types, 'strides', most.strides, 'concrete', most.concrete))) AS evidence,
  most.kernel AS where_kernel
FROM products, device, most
HAVING count(*) > 0 AND (SELECT coalesce(min(judged), true) FROM "step-spans")
