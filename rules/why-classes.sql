-- title: What changed in a mean step of a mean rank, by class of work or cause
-- screen: 6
-- SPDX-License-Identifier: MIT
SELECT iif(part = 'compute', class, iif(part = 'exposed-copy', part, part || ', ' || class)) AS what, base_ns, new_ns, change_ns, kind
FROM why WHERE level = 'class' ORDER BY abs(change_ns) DESC, part, class
