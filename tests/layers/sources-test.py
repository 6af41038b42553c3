#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The layer rules that sources show: sources-test.py SOURCE-ROOT"""
import functools
import pathlib
import re
import sys

# Some modules are called like words that are no names of modules: options (--json, --verify), their choices, and types
# of values.  Where such a word stands in a row of an option, in a question about one, or between other types, it names
# no module; everywhere else it does, as in a list of formats.
OTHER_WORDS = re.compile("|".join([
    r"""\{ (?:\.name = )?"[a-z-]+", (?:0,|'.',|\.[a-z])""",
    r"""\.default_text = "[a-z-]*\"""",
    r'MILL_OPT_CHOICE, "[a-z|-]*", "[a-z-]*"',
    r'cli_(?:flag|text|list|count|number|is)\([\w>-]+, "[a-z-]+"(?:, "[a-z-]+")?\)',
    r'"int", "real", "text"(?:, "text")?, "bool"',
    # Members and columns that are called so.
    r'json_put_(?:text|string)\(\w+, "text"', r'cell\(q, "text"\)', r'"text", (?:NULL, MILL_|MILL_TEXT|TEXT|"share")']))
# The public headers, and what each may include: nothing but the compiler's own, and one another downwards.
HEADERS = {
    "rows.h": {"stddef.h", "stdint.h"},
    "types.h": {"stdbool.h", "stddef.h", "stdint.h", "stagemill/rows.h", "stagemill/figure.h"},
    "figure.h": {"stagemill/types.h"},
    "stage.h": {"stagemill/types.h"},
    "source.h": {"stagemill/types.h"},
    "sink.h": {"stagemill/types.h"},
    "harness.h": {"stagemill/stage.h"},
    "run.h": {"stagemill/sink.h"},
}
# R2: a module includes the header of its kind, and files of it that need less may do with the common one.
KINDS = {
    "stages": {"stagemill/types.h", "stagemill/stage.h"},
    "plugins/source": {"stagemill/types.h", "stagemill/source.h"},
    "plugins/sink": {"stagemill/types.h", "stagemill/sink.h"},
}
# What modules share: the kit, and what the stages of a family have in common.
LIBRARIES = {
    "core/kit": {"stagemill/types.h", "stagemill/stage.h", "stagemill/source.h", "stagemill/sink.h"},
    "stages/*/lib": {"stagemill/types.h", "stagemill/stage.h"},
}
# The rooms of the core: each may include those before it.  The harness runs the engine for tests of modules, and only
# the commands include it; no other room includes the kit, which is for modules alone, and needs base only.
KIT = "kit"
ROOMS = ["base", "model", "plan", "host", "store", "input", "results", "sql", "rules", "compare", "output", "sched", "api", "harness",
         "cmd", KIT]
ALONE = {"harness": {"api"}, KIT: set(ROOMS) - {"base"}}  # what they do not include
OBJECT = "sql/object/"  # a shared object of its own, as modules are: it may include the kit

# Tables of keys from an input are seeded, see core/base/hash-seed.h; these are not.
UNSEEDED = re.compile(r"\bg_(?:str|int|int64|double|bytes|variant)_hash\b")

# What a lane's events mean is asked of the kit or told by facts, so that a stage works for every producer.
DIALECT = re.compile(r'\blane_has_dialect\b|(?:->|\.)dialect\b|"(?:kineto|rocprof|nsys|perfetto|aiu)"')

COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', re.S)
TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"')
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


@functools.lru_cache(maxsize=None)
def code_of(path):
    """The text without its comments, which may name anything."""
    return COMMENT.sub(lambda m: m.group(1) or " ", path.read_text(encoding="utf-8"))


def c_files(folder):
    return sorted(p for p in folder.rglob("*.[ch]") if not p.stem.endswith("-test"))


def includes(path):
    return INCLUDE.findall(code_of(path))


def module_folders(root):
    for pattern in ("stages/*/*", "plugins/*/*"):
        for folder in sorted(root.glob(pattern)):
            if folder.name != "lib" and (folder / "meson.build").exists():
                yield folder


def named_by(folder):
    """Texts that name the module of a folder."""
    family, name = folder.parent.name, folder.name
    return [rf"\b{family}/{name}\b", rf'"{name}"']


def check_names(root):
    """R1: the core names nothing of stages/ and plugins/; the kit belongs to them."""
    pattern = re.compile("|".join(text for folder in module_folders(root) for text in named_by(folder)))
    for path in [p for room in ROOMS if room != KIT for p in c_files(root / "core" / room)]:
        for match in pattern.finditer(OTHER_WORDS.sub("", code_of(path))):
            yield f"{path.relative_to(root)}: R1: names {match.group(0)}"


def check_messages(root):
    """R8: what is said to users names a module as `show` takes it; FAMILY/NAME is where its files are."""
    names = "|".join(re.escape(f"{folder.parent.name}/{folder.name}") for folder in module_folders(root))
    pattern = re.compile(rf"(?<![/\w.])(?:{names})(?![/\w.-])")
    for path in [p for top in ("core", "stages", "plugins") for p in c_files(root / top)]:
        for text in TEXT.findall(code_of(path)):
            for name in pattern.findall(text):
                yield f"{path.relative_to(root)}: R8: says {name}; show takes the name alone"


def headers_of(root, folder):
    """The public headers that modules in that folder may include."""
    where = str(folder.relative_to(root))
    return next(headers for prefix, headers in KINDS.items() if where.startswith(prefix + "/"))


def is_shared(root, folder, name):
    """A file of core/base or of the kit, or one that modules of this kind, or of this family, have in common."""
    kind = root / folder.relative_to(root).parts[0]
    if name.split("/")[0] in ("base", KIT):
        return (root / "core" / name).exists()
    family = kind.name == "stages" and f"{folder.relative_to(kind).parts[0]}/lib/"
    return bool(family) and name.startswith(family) and (kind / name).exists()


def check_module(root, folder):
    """R2: a module includes the header of its kind, core/base, the kit, the lib of its family, and its own files."""
    for path in c_files(folder):
        for mark, name in includes(path):
            where = f"{path.relative_to(root)}: R2: includes {name}"
            first = name.split("/")[0]
            if mark == "<" and first == "stagemill" and name not in headers_of(root, folder):
                yield where
            if mark == "<" or (folder / name).exists():
                continue
            generated = name.endswith(".pb-c.h") and (folder / name.replace(".pb-c.h", ".proto")).exists()
            if not generated and not is_shared(root, folder, name):
                yield where


def check_libraries(root):
    """What modules share stands below them."""
    for pattern, headers in LIBRARIES.items():
        for path in [p for folder in sorted(root.glob(pattern)) for p in c_files(folder)]:
            for mark, name in includes(path):
                own = (path.parent / name).exists() or is_shared(root, path.parent, name)
                public = name.split("/")[0] == "stagemill"
                if (mark == '"' and not own) or (mark == "<" and public and name not in headers):
                    yield f"{path.relative_to(root)}: R2: includes {name}"


def check_headers(root):
    """R3: the public headers need nothing but the compiler and what is left of them in HEADERS."""
    public = root / "core" / "include" / "stagemill"
    for header, allowed in HEADERS.items():
        for _, name in includes(public / header):
            if name not in allowed:
                yield f"{header}: R3: includes {name}"
    for path in sorted(public.iterdir()):
        if path.name not in HEADERS:
            yield f"{path.name}: R3: nobody says what it may include"


# ---- R3: inside the core every way is one-way

def unit_of(core, path):
    """A unit is NAME.c and NAME.h."""
    return str(path.relative_to(core).with_suffix(""))


def arrows_between(files, unit, resolve):
    """{unit: {unit that it includes: the file that does}}"""
    arrows = {}
    for path in files:
        own = arrows.setdefault(unit(path), {})
        for mark, name in includes(path):
            target = resolve(path, name) if mark == '"' else None
            if target and unit(target) != unit(path):
                own.setdefault(unit(target), path.name)
    return arrows


def core_arrows(root):
    core = root / "core"

    def resolve(path, name):
        return next((p for p in (core / name, path.parent / name) if p.exists()), None)

    files = [path for room in ROOMS for path in c_files(core / room)]
    return arrows_between(files, lambda path: unit_of(core, path), resolve)


def find_cycle(arrows):
    """One way that ends where it began, as [(from, file, to), ...], or []."""
    done, way = set(), []

    def walk(at):
        if at in [step[0] for step in way]:
            return way[[step[0] for step in way].index(at):]
        if at in done:
            return []
        for to, file in sorted(arrows.get(at, {}).items()):
            way.append((at, file, to))
            found = walk(to)
            if found:
                return found
            way.pop()
        done.add(at)
        return []

    for unit in sorted(arrows):
        found = walk(unit)
        if found:
            return found
    return []


def draw(cycle):
    return "\n    ".join(f"{at}  --{file}-->  {to}" for at, file, to in cycle)


def rooms_of(arrows):
    rooms = {}
    for unit, targets in arrows.items():
        for target, file in targets.items():
            room, other = unit.split("/")[0], target.split("/")[0]
            if room != other and not (unit.startswith(OBJECT) and other == KIT):
                rooms.setdefault(room, {}).setdefault(other, f"{unit.split('/')[1]}: {file}")
    return rooms


def check_core(root):
    """No cycle among units, nor among rooms, and no room includes one to its right."""
    arrows = core_arrows(root)
    rooms = rooms_of(arrows)
    for what, cycle in (("units", find_cycle(arrows)), ("rooms", find_cycle(rooms))):
        if cycle:
            yield f"core: R3: these {what} include one another:\n    {draw(cycle)}"
    for room, targets in sorted(rooms.items()):
        for target, file in sorted(targets.items()):
            if ROOMS.index(target) > ROOMS.index(room) or target in ALONE.get(room, ()):
                yield f"core/{room}: R3: {file} includes {target}/"


def check_tables(root):
    """No input can be made to fill one chain of a hash table."""
    for path in [*c_files(root / "core"), *c_files(root / "stages"), *c_files(root / "plugins")]:
        for name in UNSEEDED.findall(code_of(path)):
            yield f"{path.relative_to(root)}: {name} has no seed"


def check_dialects(root):
    """No stage compares names of dialects; tests of stages make lanes of all of them."""
    for path in c_files(root / "stages"):
        for word in DIALECT.findall(code_of(path)) if not path.name.endswith("-test.c") else ():
            yield f"{path.relative_to(root)}: a stage asks for facts, not for a dialect: {word}"


def check_itself():
    """The search sees cycles of any length, and only those; words of the command line are left out, formats are not."""
    words = """{ .name = "json", .help = "a" } cli_flag(job->cli, "json") cli_is(cli, "log-format", "json")"""
    if "json" in OTHER_WORDS.sub("", words):
        yield f"options are taken for modules: {OTHER_WORDS.sub('', words)}"
    if OTHER_WORDS.search("""formats[] = { "json", "text" }; add(formats, "json"); !strcmp(format, "json")"""):
        yield "a list of formats is taken for an option"
    if not (DIALECT.search('lane.dialect') and DIALECT.search('strcmp(d, "rocprof")')) or DIALECT.search('"the dialect"'):
        yield "the search does not know dialects"
    ring = {"a": {"b": "a.c"}, "b": {"c": "b.h"}, "c": {"a": "c.c"}, "d": {"a": "d.c"}}
    if [step[0] for step in find_cycle(ring)] != ["a", "b", "c"]:
        yield f"a ring is not found: {find_cycle(ring)}"
    tree = {"a": {"b": "a.c", "c": "a.c"}, "b": {"d": "b.c"}, "c": {"d": "c.c"}, "d": {}}
    if find_cycle(tree):
        yield f"a tree is taken for a ring: {find_cycle(tree)}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = [*check_itself(), *check_names(root), *check_messages(root), *check_libraries(root), *check_core(root), *check_headers(root),
             *check_tables(root), *check_dialects(root)]
    n_modules = 0
    for folder in module_folders(root):
        n_modules += 1
        found += check_module(root, folder)
    print(*found, sep="\n")
    print(f"{n_modules} modules, {len(c_files(root / 'core'))} files of the core, "
          f"{len(found)} rules broken")
    return bool(found) or n_modules == 0


if __name__ == "__main__":
    sys.exit(main())
