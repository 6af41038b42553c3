"""Values at which programs go wrong, and what a value may be changed to."""
# SPDX-License-Identifier: MIT

# Numbers at which sums, differences and products of 64 bits end, in units from nanoseconds to seconds.
NUMBERS = [0, -1, 1, 0.5, 1e-9, -0.0, 2**31, 2**32, 2**53 + 1, 2**62, -2**62, 2**63 - 1, -2**63, 2**63, 9223372036854775,
           9223372036854774.807, -9223372036854775, 9223372036.854775, 1e18, -1e18, 1e300, 1.7e308, 1e15, -20, 3600e6]
TEXTS = ["", " ", "0", "1,234", "0x1f", "1e3", "nan", "1.5.2", "name with \" and \\", "\u202e", "\u0000", "x" * 300, "=1+1", "-",
         "ProfilerStep#1", "ncclDevKernel_AllReduce", "aten::mm", "Memcpy HtoD (Pageable -> Device)", "kernel,foo", "{rank}"]
WORDS = TEXTS[:9]
# What times and sizes are multiplied by where their unit is another one; and how far away a time can be.
UNITS = [1000, 1e-3, 10**6, 1e-6, 1024, 10**9, -1]
AWAY = [2**40, -2**40, 2**52, 2**53 + 1, 10**15, -10**15, 9223372036854775, -9223372036854775, 1767225600000000, 2**62]


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def finite(number, other):
    """What a document can say."""
    return number if abs(number) < 1.79e308 else other


def changed_number(pick, value):
    """A rule for one number or for all of a kind, so that what belongs together is changed alike."""
    way = pick.randrange(7)
    unit, away, number, odd = pick.choice(UNITS), pick.choice(AWAY), pick.choice([0, 0, 1, value]), pick.choice(NUMBERS)
    return [lambda v: finite(v * unit, v), lambda v: v + away, lambda v: number, lambda v: -v, str, lambda v: odd,
            lambda v: away - v][way]


def other_value(pick, value):
    """Mostly of the same type, and near to what was there."""
    if pick.random() < 0.1:
        return pick.choice([None, True, [], {}, [1, 2], {"a": 1}, pick.choice(NUMBERS), pick.choice(TEXTS)])
    if is_number(value):
        return changed_number(pick, value)(value)
    return pick.choice(TEXTS)


def a_few(pick):
    return range(pick.choice([1, 1, 2, 4]))
