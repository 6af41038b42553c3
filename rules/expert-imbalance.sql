-- title: Experts of a layer do not get the same load
-- help: Over layers, what the most loaded expert (or GPU, with a placement) gets above the mean: the others wait for it.
-- param: chance = 4 [0, 1000] Standard deviations of even routing by which a layer's largest load must be above its mean
-- SPDX-License-Identifier: MIT
WITH experts AS ( -- each layer of each group begins with its expert 0
  SELECT layer, expert AS number, load, sum(expert = 0) OVER (ROWS UNBOUNDED PRECEDING) AS block FROM "expert-load"),
gpus AS (
  SELECT layer, gpu AS number, load, sum(gpu = 0) OVER (ROWS UNBOUNDED PRECEDING) AS block FROM "expert-load-gpu"),
loads AS (
  SELECT * FROM gpus UNION ALL SELECT * FROM experts WHERE NOT EXISTS (SELECT 1 FROM "expert-load-gpu")),
layers AS (
  SELECT layer, avg(load) AS mean, max(load) AS most, number FROM loads WHERE layer <> 'all' GROUP BY block, layer),
uneven AS (
  SELECT *, iif(most - mean > :chance * sqrt(mean), most - mean, 0) AS above FROM layers WHERE most > 0),
sums AS (SELECT total(above) AS above, total(most) AS most, count(*) AS n FROM uneven),
worst AS (SELECT * FROM uneven ORDER BY above / most DESC, layer LIMIT 1),
kind AS (SELECT iif(EXISTS (SELECT 1 FROM "expert-load-gpu"), 'gpu', 'expert') AS word)
SELECT
  iif(word = 'gpu', 'GPU', 'expert') || 's wait ' || percent(100.0 * sums.above / sums.most)
    || ' of the time of the busiest one, mean of ' || number(n) || iif(n = 1, ' layer', ' layers') || '; worst is layer ' || worst.layer || ', whose '
    || iif(word = 'gpu', 'GPU', 'expert') || ' ' || worst.number || ' has ' || printf('%.2f', worst.most / worst.mean) || ' times the mean load' AS text,
  100.0 * sums.above / sums.most AS share,
  iif(word = 'gpu', 'turn on EPLB, or place experts by their load: --set placement=map:... says what another placement does',
    'turn on EPLB with redundant experts for the hot ones; --set placement=contiguous:N says what it means for N GPUs')
    AS advice,
  json_array(json_object('table', iif(word = 'gpu', 'expert-load-gpu', 'expert-load'),
    'keys', json_object('layer', worst.layer, word, worst.number))) AS evidence,
  worst.layer AS where_layer,
  iif(word = 'gpu', NULL, worst.number) AS where_expert
FROM sums, worst, kind
