-- title: What devices do at each instant, mean a rank; classes below 1 % are in other
-- SPDX-License-Identifier: MIT
WITH ranks AS (SELECT count(*) AS n FROM (SELECT DISTINCT rank FROM "device-classes")),
classes AS (SELECT class, total(time_ns) / ranks.n AS time_ns FROM "device-classes", ranks GROUP BY class),
whole AS (SELECT total(time_ns) AS time_ns FROM classes),
shown AS (
  SELECT CASE WHEN class <> 'idle' AND 100.0 * classes.time_ns / whole.time_ns < 1 THEN 'other' ELSE class END AS class,
         classes.time_ns AS time_ns
  FROM classes, whole)
SELECT class, CAST(round(total(shown.time_ns)) AS INTEGER) AS time_ns, 100.0 * total(shown.time_ns) / whole.time_ns AS share_percent
FROM shown, whole GROUP BY class ORDER BY 2 DESC, class
