-- title: Operators, collectives, copies and idle times that changed most in a step
-- screen: 5
-- SPDX-License-Identifier: MIT
SELECT coalesce(op, class) AS what, iif(part = 'compute', class, iif(part = 'exposed-copy', part, class)) AS class, base_ns, new_ns, change_ns, kind
FROM why WHERE level = 'op' AND change_ns <> 0 ORDER BY abs(change_ns) DESC, part, class, op LIMIT 10
