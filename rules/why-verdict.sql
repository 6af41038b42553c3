-- title: What a step of the new run costs more or less than one of the base, and which parts of it
-- param: min_change = 1 [0, 100] Percent of a step: a smaller change is none
-- param: min_part = 10 [0, 100] Percent of the change of the step: smaller parts are "other"
-- SPDX-License-Identifier: MIT
WITH s AS (SELECT *, abs(change_ns) AS size FROM "why-summary"),
u AS (
  SELECT iif(big >= 1e9, 1e9, iif(big >= 1e6, 1e6, 1e3)) AS ns, iif(big >= 1e9, 's', iif(big >= 1e6, 'ms', 'us')) AS name,
    CASE WHEN big / iif(big >= 1e9, 1e9, iif(big >= 1e6, 1e6, 1e3)) >= 10 THEN '%.1f' ELSE '%.2f' END AS form
  FROM (SELECT max(base_ns, new_ns) AS big FROM s)),
-- One item for all of computing where one factor explains it.
items AS (
  SELECT part, class, why.change_ns FROM why, s WHERE level = 'class' AND NOT (part = 'compute' AND factor_ratio IS NOT NULL)
  UNION ALL SELECT part, NULL, why.change_ns FROM why, s WHERE level = 'part' AND part = 'compute' AND factor_ratio IS NOT NULL),
ranked AS (
  SELECT part, class, items.change_ns, row_number() OVER (ORDER BY abs(items.change_ns) DESC, part, class) AS place
  FROM items, s WHERE abs(items.change_ns) >= :min_part / 100.0 * size AND items.change_ns <> 0),
top AS (SELECT * FROM ranked WHERE place <= 3),
-- The operator that changed most in each of them, and the kernels that went and came under it.
ops AS (
  SELECT part, class, op, kind, row_number() OVER (PARTITION BY part, class ORDER BY abs(change_ns) DESC, op) AS place
  FROM why WHERE level = 'op'),
kernels AS (
  SELECT part, class, op, kernel, kind, row_number() OVER (PARTITION BY part, class, op, kind ORDER BY abs(change_ns) DESC, kernel) AS place
  FROM why WHERE level = 'kernel' AND kind IN ('new', 'gone')),
named AS (
  SELECT top.place, top.change_ns, top.part, top.class, ops.op, ops.kind,
    (SELECT brief(kernel) FROM kernels k WHERE k.part = top.part AND k.class = top.class AND k.op IS ops.op AND k.kind = 'gone' AND k.place = 1) AS went,
    (SELECT brief(kernel) FROM kernels k WHERE k.part = top.part AND k.class = top.class AND k.op IS ops.op AND k.kind = 'new' AND k.place = 1) AS came
  FROM top LEFT JOIN ops ON ops.part = top.part AND ops.class = top.class AND ops.place = 1),
texts AS (
  SELECT place, named.change_ns, CASE
      WHEN part = 'compute' AND class IS NULL
        THEN 'computing (all kernels ' || percent(100 * abs(factor_ratio - 1)) || iif(factor_ratio > 1, ' slower)', ' faster)')
      WHEN part = 'compute' THEN class || CASE
          WHEN kind = 'replaced' THEN ' (' || went || ' -> ' || came || ')'
          WHEN op IS NOT NULL THEN ' (' || iif(kind IN ('new', 'gone', 'more-often', 'less-often'), replace(kind, '-', ' ') || ': ', '')
            || brief(iif(instr(op, ' ['), substr(op, 1, instr(op, ' [') - 1), op)) || ')'
          ELSE '' END
      WHEN class = 'wait' THEN 'waiting' || coalesce(' for rank ' || iif(named.change_ns > 0, waited_for, NULL), ' for ranks')
      WHEN class = 'transfer' THEN 'transfer of ' || op
      WHEN class = 'unsplit' THEN 'communication (' || op || ')'
      WHEN part = 'exposed-copy' THEN 'copies (' || op || ')'
      WHEN class = 'loader' THEN 'waiting for the data loader'
      WHEN class = 'allocation' THEN 'idle, host allocates' || coalesce(' (' || op || ')', '')
      WHEN class = 'collection' THEN 'idle, garbage collection'
      WHEN class = 'compile' THEN 'idle, host compiles' || coalesce(' (' || op || ')', '')
      WHEN class = 'sync' THEN 'idle, host waits for the device' || coalesce(' (' || op || ')', '')
      WHEN class = 'launch' THEN 'idle, late launches' || coalesce(' (' || op || ')', '')
      WHEN class = 'stream' THEN 'idle, waiting for another stream'
      ELSE 'idle, cause unknown' END AS what
  FROM named, s),
pieces AS (
  SELECT place, change_ns, what FROM texts
  UNION ALL SELECT 9, size_all - coalesce((SELECT sum(change_ns) FROM texts), 0), 'other' FROM (SELECT change_ns AS size_all FROM s))
SELECT
  iif(s.steps, 'step ', 'devices work for ') || printf(form, s.base_ns / u.ns) || ' -> ' || printf(form, s.new_ns / u.ns) || ' ' || u.name
  || CASE WHEN abs(relative_change_percent) < :min_change THEN ': no change'
    ELSE ' (' || iif(s.change_ns > 0, '+', '-') || percent(abs(relative_change_percent)) || '): '
      || (SELECT group_concat(iif(p.change_ns < 0, '-', '+') || printf(form, abs(p.change_ns) / u.ns) || ' ' || u.name || ' ' || what, ', ')
          FROM (SELECT * FROM pieces WHERE what <> 'other' OR abs(change_ns) >= 0.05 * u.ns ORDER BY place) AS p)
    END
  || iif(min(base_matched_percent, new_matched_percent) < 90, '; of computing time ' || percent(base_matched_percent) || ' and '
    || percent(new_matched_percent) || ' match', '') AS text
FROM s, u
