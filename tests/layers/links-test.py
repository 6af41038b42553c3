#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The layer rules that objects show (R7): links-test.py SOURCE-ROOT BUILD-ROOT

A unit is NAME.c with its header.  No unit of the core needs a symbol of one that, in the end, needs a symbol of it."""
import pathlib
import re
import subprocess
import sys

# The kit is for modules: its own libraries, see sources-test.py.
ROOMS = ["base", "model", "plan", "host", "store", "input", "results", "sql", "rules", "compare", "output", "sched", "api", "harness", "cmd"]
# nm prints "U" for what is needed, a capital for what is given to other objects; "w", "v" are the runtime's own.
SYMBOL = re.compile(r"^(.*):(?:[0-9a-f]+)? +([A-Z]) (\S+)$", re.M)

# The program has functions of these names of its own, which are in the way of modules; units mean those of libc.
OF_LIBC = {"exit", "_exit", "_Exit", "quick_exit", "getenv", "pthread_exit",
           "execve", "execv", "execvp", "execvpe", "fexecve", "execl", "execlp", "execle"}


def objects_of(build):
    """{unit: object}; a generated source is none."""
    found = {}
    for path in sorted((build / "core").rglob("*.c.o")):
        place = path.relative_to(build / "core")
        room = place.parts[0] if len(place.parts) > 2 else None
        name = path.name.removesuffix(".c.o")
        if room is None:  # one library for several rooms: host_verify.c.o
            room, _, name = name.partition("_")
        if room in ROOMS and not name.endswith("-test"):
            found[f"{room}/{name}"] = path
    return found


def symbols_of(objects):
    """{unit: (names that it gives, names that it needs)}"""
    unit_of = {str(path): unit for unit, path in objects.items()}
    text = subprocess.run(["nm", "-A", *unit_of], capture_output=True, text=True, check=True).stdout
    symbols = {unit: (set(), set()) for unit in objects}
    for path, kind, name in SYMBOL.findall(text):
        if name not in OF_LIBC:
            symbols[unit_of[path]][kind == "U"].add(name)
    return symbols


def arrows_between(symbols):
    """{unit: {unit that it needs: a symbol that says so}}"""
    giver = {name: unit for unit, (gives, _) in symbols.items() for name in gives}
    arrows = {unit: {} for unit in symbols}
    for unit, (_, needs) in symbols.items():
        for name in sorted(needs):
            other = giver.get(name)
            if other and other != unit:
                arrows[unit].setdefault(other, name)
    return arrows


def knots(arrows):
    """Sets of units that all need one another (Tarjan), the largest first."""
    index, low, stack, found = {}, {}, [], []

    def visit(at):
        index[at] = low[at] = len(index)
        stack.append(at)
        for to in sorted(arrows[at]):
            if to not in index:
                visit(to)
            if to in stack:
                low[at] = min(low[at], low[to])
        if low[at] == index[at]:
            knot = stack[stack.index(at):]
            del stack[stack.index(at):]
            if len(knot) > 1:
                found.append(set(knot))

    for unit in sorted(arrows):
        if unit not in index:
            visit(unit)
    return sorted(found, key=lambda knot: (-len(knot), sorted(knot)))


def shortest_cycle(arrows, knot):
    """The shortest way in the knot that ends where it began, as [(from, symbol, to), ...]."""
    best = []
    for start in sorted(knot):
        before, queue = {start: None}, [start]
        for at in queue:
            if start in arrows[at]:
                way = [at]
                while before[way[0]]:
                    way.insert(0, before[way[0]])
                steps = [(a, arrows[a][b], b) for a, b in zip(way, way[1:] + [start])]
                best = steps if not best or len(steps) < len(best) else best
                break
            for to in sorted(set(arrows[at]) & knot - set(before)):
                before[to] = at
                queue.append(to)
    return best


def draw(cycle):
    return "\n    ".join(f"{at}  --{symbol}-->  {to}" for at, symbol, to in cycle)


def check_itself():
    """The search sees every knot, and only those."""
    ring = {"a": {"b": "f"}, "b": {"c": "g", "d": "x"}, "c": {"a": "h"}, "d": {}, "e": {"a": "f"}}
    if knots(ring) != [{"a", "b", "c"}] or len(shortest_cycle(ring, {"a", "b", "c"})) != 3:
        yield f"a ring is not found: {knots(ring)}"
    tree = {"a": {"b": "f", "c": "g"}, "b": {"d": "h"}, "c": {"d": "h"}, "d": {}}
    if knots(tree):
        yield f"a tree is taken for a ring: {knots(tree)}"


def main():
    root, build = (pathlib.Path(arg).resolve() for arg in sys.argv[1:])
    symbols = symbols_of({unit: path for unit, path in objects_of(build).items() if (root / "core" / f"{unit}.c").exists()})
    arrows = arrows_between(symbols)
    found = list(check_itself())
    for room in ROOMS:
        if not any(unit.startswith(f"{room}/") for unit in symbols):
            found.append(f"core/{room}: no object of it is found in {build}")
    n_units = 0
    for knot in knots(arrows):
        n_units += len(knot)
        found.append(f"core: R7: {len(knot)} units need one another: {', '.join(sorted(knot))}\n"
                     f"    {draw(shortest_cycle(arrows, knot))}")
    print(*found, sep="\n")
    print(f"{len(symbols)} units, {sum(len(to) for to in arrows.values())} links, {n_units} units in cycles, "
          f"{len(found)} rules broken")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
