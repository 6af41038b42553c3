"""A line of the benchmark's table."""
# SPDX-License-Identifier: MIT


class Result:
    """One line of the table. `good` is None where a number is only shown or could not be had."""

    def __init__(self, what, target, measured, good, notes=()):
        self.what, self.target, self.measured, self.good = what, target, measured, good
        self.notes = list(notes)

    def verdict(self):
        return {True: "reached", False: "missed", None: "-"}[self.good]


def at_least(what, ratio, target, notes=()):
    return Result(what, f"at least {target:g}x", f"{ratio:.2f}x", ratio >= target, notes)


def busy_note(free):
    return [] if free else ["the CPUs were not free: do not trust this"]
