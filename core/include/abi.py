#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The interface of modules as data, read from the headers: abi.py [--check|--keeps|--twins] HEADER-FOLDER OUTPUT

OUTPUT is JSON: structs with the offset and size of each field, constants, inline functions, and of each call where it
may come.  With --check it is C and C++ that does not compile unless all of that is so, and with --keeps unless all that
stands there is still so: structs may have grown at their ends, except those that are frozen.  With --twins it is C: for
each inline function one that other languages can link.

A strict reader of what the headers are written in: a declaration that it does not know is an error, not left out."""
import json
import pathlib
import re
import sys

HEADERS = ["types.h", "figure.h", "stage.h", "source.h", "sink.h"]
SIZES = {"bool": 1, "uint8_t": 1, "int8_t": 1, "uint16_t": 2, "uint32_t": 4, "int": 4, "int64_t": 8, "uint64_t": 8, "double": 8, "size_t": 8}
POINTER = 8
FIRST = "1.0"  # what says nothing else is from this version on: "(since 1.1)"
COMMENT = re.compile(r"/\*.*?\*/", re.S)
LIMITS = {"UINT32_MAX": 2**32 - 1, "INT64_MIN": -2**63, "INT64_MAX": 2**63 - 1}
TWIN = "kit_"  # what the name of a twin begins with
KINDS = {"MillStageHost": "stage", "MillSourceHost": "source", "MillSinkHost": "sink"}


class Unknown(Exception):
    """The headers hold what this file cannot read."""


# ------------------------------------------------------------------------------------------ text

def without_cpp(text):
    """What a C compiler sees."""
    kept, stack = [], []
    for line in text.split("\n"):
        word = line.split()[0] if line.split() else ""
        if word in ("#if", "#ifdef", "#ifndef"):
            stack.append(word != "#ifndef" and "__cplusplus" in line)
        elif word == "#else":
            stack[-1] = not stack[-1]
        elif word == "#endif":
            stack.pop()
        elif not any(stack):
            kept.append(line)
    return "\n".join(kept)


def squeeze(text):
    return re.sub(r"\s+", " ", text).strip()


def closing(text, at):
    """Behind the brace that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    raise Unknown(f"an open brace: {text[at:at + 60]}")


def pieces(text, separator):
    """Parts of the text between separators outside of brackets."""
    found, start, depth = [], 0, 0
    for i, c in enumerate(text):
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(c, 0)
        if c == separator and depth == 0:
            found.append(text[start:i])
            start = i + 1
    found.append(text[start:])
    return [squeeze(part) for part in found if part.strip()]


# ------------------------------------------------------------------------------------------ values

class Interface:
    def __init__(self):
        self.constants, self.structs, self.functions, self.types, self.macros = {}, {}, {}, {}, []
        self.since = {}

    def value(self, expression):
        text = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", expression)
        text = re.sub(r"\((?:size_t|u?int\d+_t)\)", "", re.sub(r"U?INT64_C\((\d+)\)", r"\1", text))
        names = dict(LIMITS, **{name: c["value"] for name, c in self.constants.items()})
        if not re.fullmatch(r"[\w\s()<|+\-*]+", text):
            raise Unknown(f"a value: {expression}")
        try:
            return int(eval(text, {"__builtins__": {}}, names))  # names, numbers and operators alone
        except (NameError, SyntaxError, TypeError, ValueError) as e:
            raise Unknown(f"a value: {expression}") from e

    def add_constant(self, name, value, group):
        if isinstance(value, str):
            kind = "text"
        else:
            kind = "uint32_t" if 0 <= value < 2**32 else "int64_t"
        self.constants[name] = {"name": name, "type": kind, "value": value, "group": group}

    def add_define(self, name, text):
        if re.fullmatch(r'"[^"\\]*"', text):
            self.add_constant(name, text[1:-1], None)
        elif text:
            self.add_constant(name, self.value(text), None)

    def add_enum(self, body, group):
        following = 0
        for item in pieces(body, ","):
            name, _, expression = item.partition("=")
            following = self.value(expression) if expression else following
            self.add_constant(name.strip(), following, group)
            following += 1

    # -------------------------------------------------------------------------------------- layout

    def size_of(self, kind):
        """Size and alignment."""
        plain = re.sub(r"\bconst\b", "", kind).strip()
        if plain.endswith("*") or plain == "function":
            return POINTER, POINTER
        plain = self.types.get(plain, plain)
        if plain in SIZES:
            return SIZES[plain], SIZES[plain]
        if plain in self.structs and self.structs[plain]["fields"] is not None:
            return self.structs[plain]["size"], self.structs[plain]["align"]
        raise Unknown(f"a type: {kind}")

    def field_of(self, text):
        """The fields of one declaration, without their offsets."""
        unnamed = re.fullmatch(r"union \{(.*)\}", text, re.S)
        if unnamed:  # its members are fields of the struct, at one offset
            for member in pieces(unnamed.group(1), ";"):
                yield from ({**field, "at_one": True} for field in self.field_of(member))
            return
        nested = re.fullmatch(r"(union|struct) \{(.*)\} (\w+)", text, re.S)
        if nested:
            inner = self.lay_out(nested.group(2), nested.group(1) == "union")
            yield {"name": nested.group(3), "type": nested.group(1), **inner}
            return
        call = re.fullmatch(r"(.+?)\(\*(\w+)\)\((.*)\)", text)
        if call:
            yield {"name": call.group(2), "type": "function", "returns": squeeze(call.group(1)),
                   "parameters": [self.parameter(p) for p in pieces(call.group(3), ",")]}
            return
        first, *more = pieces(text, ",")
        match = re.fullmatch(r"(.*?)(\w+)", first)
        if not match or not match.group(1):
            raise Unknown(f"a field: {text}")
        yield {"name": match.group(2), "type": squeeze(match.group(1))}
        base = match.group(1).rstrip(" *")
        for other in more:
            stars, name = re.fullmatch(r"([* ]*)(\w+)", other).groups()
            yield {"name": name, "type": squeeze(base + " " + stars)}

    def parameter(self, text):
        match = re.fullmatch(r"(.*[ *])(\w+)", text)
        named = match and match.group(2) not in SIZES and match.group(2) not in self.types and not match.group(2).startswith("Mill")
        kind, name = (squeeze(match.group(1)), match.group(2)) if named else (text, None)
        return {"name": name, "type": kind}

    def lay_out(self, body, union=False):
        fields, at, end, align = [], 0, 0, 1
        for declaration in pieces(body, ";"):
            first = None  # where those that lie at one offset begin
            for field in self.field_of(declaration):
                size, own = (field["size"], field["align"]) if "fields" in field else self.size_of(field["type"])
                at = 0 if union else -(-(at if first is None else first) // own) * own
                first = at if field.pop("at_one", False) else None
                fields.append({**field, "offset": at, "size": size})
                at += size
                end, align = max(end, at), max(align, own)
            at = end
        return {"size": -(-end // align) * align, "align": align, "fields": fields}

    def add_struct(self, name, body):
        self.structs[name] = {"name": name, **self.lay_out(body)}

    # ------------------------------------------------------------------------------------- reading

    def read(self, raw):
        groups = {first: group for group, first in re.findall(r"enum\s*\{\s*/\*(.*?)\*/\s*(\w+)", raw, re.S)}
        for name, version in re.findall(r"(\w+)\)?(?:\([^;\n]*\))?;[^\n]*?\(since (\d+\.\d+)\)", raw):
            self.since[name] = version
        text = re.sub(r"\\\n", " ", COMMENT.sub(" ", without_cpp(raw)))
        text = re.sub(r"^\s*#\s*include.*$", "", text, flags=re.M)
        for name, arguments, value in re.findall(r"^\s*#define (\w+)(\([^)]*\))?(.*)$", text, re.M):
            if arguments:
                self.macros.append(name)
            elif not name.endswith("_H"):
                self.later(name, value.strip())
        text = re.sub(r"^\s*#define.*$", "", text, flags=re.M)
        self.declarations(text, groups)
        self.settle()

    def later(self, name, value):
        self.types.setdefault("#", []).append((name, value))

    def settle(self):
        for name, value in self.types.pop("#", []):
            self.add_define(name, value)

    def declarations(self, text, groups):
        at = 0
        while text[at:].strip():
            at += len(text[at:]) - len(text[at:].lstrip())
            at = self.declaration(text, at, groups)

    def declaration(self, text, at, groups):
        """Takes one; where the next begins."""
        rest = text[at:]
        rows = re.match(r"MILL_ROWS_OF\((\w+)\);", rest)
        forward = re.match(r"typedef struct (\w+) \1;", rest)
        alias = re.match(r"typedef (\w+) (\w+);", rest)
        body = re.match(r"(enum|typedef struct (\w+)|struct (\w+)) \{", rest)
        inline = re.match(r"static inline ([^(]+?)(\w+)\(([^)]*)\)\s*\{", rest)
        if rows:
            self.add_struct(rows.group(1) + "Rows", f"const {rows.group(1)} *at; uint32_t n; uint32_t stride;")
            return at + rows.end()
        if forward:
            self.structs.setdefault(forward.group(1), {"name": forward.group(1), "size": None, "align": None, "fields": None})
            return at + forward.end()
        if alias:
            self.types[alias.group(2)] = alias.group(1)
            return at + alias.end()
        if inline:
            self.functions[inline.group(2)] = {
                "name": inline.group(2), "returns": squeeze(inline.group(1)),
                "parameters": [self.parameter(p) for p in pieces(inline.group(3), ",")]}
            return closing(text, at + inline.end() - 1)
        if not body:
            raise Unknown(f"a declaration: {squeeze(rest[:80])}")
        end = closing(text, at + body.end() - 1)
        inner = text[at + body.end():end - 1]
        if body.group(1) == "enum":
            first = re.match(r"\s*(\w+)", inner).group(1)
            self.add_enum(inner, groups.get(first) and squeeze(groups[first]))
        else:
            self.add_struct(body.group(2) or body.group(3), inner)
        return text.index(";", end) + 1


# ------------------------------------------------------------------------------------------ where calls may come

def words_of(text):
    """Names between commas; "_result" begins like the name before it."""
    found = []
    for word in re.split(r",\s*", re.sub(r"\([^)]*\)", "", text).strip(", ")):
        word = re.sub(r"^and ", "", word.strip()).replace(" a ", " ").replace(" ", "_")
        found.append(found[-1].split("_")[0] + word if word.startswith("_") else word)
    return found


def calls_in(text, known):
    """The same; "get_int ... get_count" are all from one to the other."""
    for word in words_of(text):
        first, *more = word.split("_..._")
        last = more[0] if more else first
        yield from known[known.index(first):known.index(last) + 1]


def table_of(header, known):
    """{operation: {call, ...}} of the comment that lists what may be asked."""
    comment = re.search(r"What a call may ask.*?has\s(?:\*\s)?failed:\n(.*?)\*/", header, re.S).group(1)
    table, row = {}, None
    for line in comment.splitlines():
        line = re.sub(r"^ \*   ", "", line.rstrip())
        if not line.startswith(" "):
            operations, line = re.split(r"\s{3,}", line, maxsplit=1)
            row = words_of(operations)
        for operation in row:
            table.setdefault(operation, set()).update(calls_in(line, known))
    return table


def always_of(header, known):
    """The calls of the kind's own that may be asked for always."""
    return set(re.findall(r"\w+", re.search(r"\(MillHost(.*?): always", header, re.S).group(1))) & set(known)


def rows_in(header, columns):
    """The rows of a table in a comment, as texts by its columns, which begin where their titles do."""
    lines = header.split("\n")
    start = next((i for i, line in enumerate(lines) if re.fullmatch(r" \*\s+" + r"\s+".join(columns), line)), None)
    if start is None:
        raise Unknown("there is no table of " + ", ".join(columns))
    ends = [lines[start].index(column) for column in columns] + [None]
    rows = []
    for line in lines[start + 1:]:
        if not line.startswith(" *   "):
            return rows
        cells = [line[a:b].strip() for a, b in zip(ends, ends[1:])]
        if cells[1]:
            rows.append(cells)
        else:  # it goes on
            rows[-1] = [f"{x} {y}".strip() for x, y in zip(rows[-1], cells)]
    raise Unknown("a table of the header does not end")


def levels_of_stage(header):
    """{operation: [{"scope": ..., "level": ...}, ...]}; on the level of the run what stands in brackets is of scope run."""
    found = {}
    for scopes, level, calls in rows_in(header, ["scope", "level", "calls"]):
        in_brackets = set(re.findall(r"\w+", " ".join(re.findall(r"\[(.*?)\]", calls))))
        for call in re.findall(r"\w+", calls):
            for scope in re.split(r",\s*", scopes):
                if level != "run" or scope == "run" or call not in in_brackets:
                    found.setdefault(call, []).append({"scope": scope, "level": level})
    return found


def levels_of_sink(header):
    comment = re.search(r"Which call comes on which level:\n(.*?)(?:What is not|\*/)", header, re.S).group(1)
    found = {}
    for line in re.findall(r"^ \*   (\S.*)$", comment, re.M):
        levels, calls = re.split(r"\s{2,}", line, maxsplit=1)
        for call in re.findall(r"\w+", calls.split("   ")[0]):
            found.setdefault(call, []).extend({"level": level} for level in levels.split(", "))
    return found


def calls_of(interface, struct):
    return [f["name"] for f in interface.structs[struct]["fields"] if f["type"] == "function"]


def add_places(interface, headers):
    """Where each call may come: of the program by the operations that may ask for it, of a module by its levels."""
    for struct, kind in KINDS.items():
        known = calls_of(interface, struct)
        table = table_of(headers[kind + ".h"], known)
        always = always_of(headers[kind + ".h"], known)
        for field in interface.structs[struct]["fields"]:
            if field["name"] in known:
                field["in"] = "always" if field["name"] in always else sorted(o for o in table if field["name"] in table[o])
                if not field["in"]:
                    raise Unknown(f"{struct}.{field['name']} stands in no row of {kind}.h")
    for field in interface.structs["MillHost"]["fields"]:
        if field["type"] == "function":
            field["in"] = "always" if field["name"] in ("log", "symbol_text", "resize") else "always but in close"
    for struct, levels in (("MillStageOps", levels_of_stage(headers["stage.h"])), ("MillSinkOps", levels_of_sink(headers["sink.h"]))):
        operations = calls_of(interface, struct)
        if set(levels) != set(operations):
            raise Unknown(f"{struct}: its table of levels differs in {sorted(set(levels) ^ set(operations))}")
        for field in interface.structs[struct]["fields"]:
            if field["name"] in operations:
                field["levels"] = levels[field["name"]]


def read_headers(folder):
    headers = {name: (folder / name).read_text(encoding="utf-8") for name in HEADERS}
    interface = Interface()
    types = headers["types.h"].replace("#include <stagemill/figure.h>", headers["figure.h"])
    for text in (types, headers["stage.h"], headers["source.h"], headers["sink.h"]):
        interface.read(text)
    add_places(interface, headers)
    return interface


# ------------------------------------------------------------------------------------------ output

def as_json(interface):
    def dated(item, name):
        return {**item, "since": interface.since.get(name, FIRST)}

    structs = []
    for struct in interface.structs.values():
        if struct["fields"] is not None:
            struct = {**struct, "fields": [dated(f, f["name"]) for f in struct["fields"]]}
        structs.append(dated(struct, struct["name"]))
    major, minor = (interface.constants[f"MILL_ABI_{part}"]["value"] for part in ("MAJOR", "MINOR"))
    return {
        "abi": f"{major}.{minor}", "data_model": "LP64", "byte_order": "of the machine", "entry": "mill_module_v1",
        "types": [{"name": name, "type": kind} for name, kind in interface.types.items()],
        "constants": [dated(c, c["name"]) for c in interface.constants.values()],
        "structs": structs,
        "functions": [{**dated(f, f["name"]), "twin": TWIN + f["name"]} for f in interface.functions.values()],
    }


PROLOGUE = """/* Made by abi.py: what it read from the headers, for the compiler to refuse. */
#include <stagemill/sink.h>
#include <stagemill/source.h>
#include <stagemill/stage.h>
#ifdef __cplusplus
#include <type_traits>
#define SAME(expression, ...) std::is_same<std::remove_reference<decltype(expression)>::type, __VA_ARGS__>::value
#define ALIGN alignof
#define HOLDS static_assert
#else
#define SAME(expression, ...) _Generic((expression), __VA_ARGS__ : 1, default : 0)
#define ALIGN _Alignof
#define HOLDS _Static_assert
#endif
"""


def type_of(item):
    if item["type"] != "function":
        return item["type"]
    return f"{item['returns']} (*)({', '.join(p['type'] for p in item['parameters']) or 'void'})"


def check_fields(path, struct, fields, at=0):
    for field in fields:
        place = f"{path}{field['name']}"
        yield f"HOLDS(offsetof({struct}, {place}) == {at + field['offset']}, \"offset of {struct}.{place}\");"
        yield f"HOLDS(sizeof(((({struct} *)0)->{place})) == {field['size']}, \"size of {struct}.{place}\");"
        if "fields" in field:
            yield from check_fields(place + ".", struct, field["fields"], at + field["offset"])
        else:
            yield f"HOLDS(SAME((({struct} *)0)->{place}, {type_of(field)}), \"type of {struct}.{place}\");"


# Copied by value, or in arrays without a stride.
FROZEN = re.compile(r"Mill(?:Event|Attr|Value|Named|List|Text|\w+Rows)$")
# What a later minor version counts up.
COUNTED = {"MILL_ABI", "MILL_ABI_MINOR", "MILL_N_KINDS"}


def as_check(interface, may_grow=False):
    lines = [PROLOGUE]
    for struct in interface.structs.values():
        if struct["fields"] is None:
            continue
        name = struct["name"]
        compared = ">=" if may_grow and not FROZEN.match(name) else "=="
        lines.append(f"HOLDS(sizeof({name}) {compared} {struct['size']}, \"size of {name}\");")
        lines.append(f"HOLDS(ALIGN({name}) == {struct['align']}, \"alignment of {name}\");")
        lines.extend(check_fields("", name, struct["fields"]))
    for name, constant in interface.constants.items():
        value = constant["value"]
        if may_grow and name in COUNTED:
            continue
        if isinstance(value, str):
            lines.append(f"HOLDS(sizeof({name}) == sizeof(\"{value}\"), \"{name}\");")
        else:
            text = "INT64_MIN" if value == -2**63 else f"{value}{'' if -2**31 <= value < 2**31 else 'll'}"
            lines.append(f"HOLDS(({name}) == ({text}), \"{name}\");")
    for name, function in interface.functions.items():
        pointer = type_of({**function, "type": "function"}).replace("(*)", f"(*check_{name})", 1)
        lines.append(f"extern {pointer};\n{pointer} = {name};")
    return "\n".join(lines) + "\n"


def as_twins(interface):
    lines = ["/* Made by abi.py: the inline functions of the headers, for languages that link. */",
             "#include <stagemill/sink.h>\n#include <stagemill/source.h>\n#include <stagemill/stage.h>"]
    for name, function in interface.functions.items():
        given = [p for p in function["parameters"] if p["type"] != "void"]
        parameters = [f"{p['type']}{'' if p['type'].endswith('*') else ' '}{p['name']}" for p in given]
        head = f"{function['returns']} {TWIN}{name}({', '.join(parameters) or 'void'})"
        call = f"{name}({', '.join(p['name'] for p in given)});"
        lines.append(f"{head};\n{head}\n{{\n  {'' if function['returns'] == 'void' else 'return '}{call}\n}}")
    return "\n".join(lines) + "\n"


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    folder, output = map(pathlib.Path, words)
    try:
        interface = read_headers(folder)
    except Unknown as e:
        sys.exit(f"abi.py: {folder}: {e}")
    if "--check" in sys.argv or "--keeps" in sys.argv:
        text = as_check(interface, "--keeps" in sys.argv)
    elif "--twins" in sys.argv:
        text = as_twins(interface)
    else:
        text = json.dumps(as_json(interface), indent=1) + "\n"
    output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
