#!/usr/bin/env python3
"""The binding for Rust: generate.py ABI SAFE OUTPUT

ABI is what `stagemill schema abi` prints; SAFE, the part that people wrote, follows what is made of it."""
import json
import re
import sys

PLAIN = {"uint8_t": "u8", "int8_t": "i8", "uint16_t": "u16", "uint32_t": "u32", "int32_t": "i32", "int64_t": "i64", "uint64_t": "u64",
         "double": "f64", "size_t": "usize", "int": "c_int", "bool": "bool", "char": "c_char", "void": "c_void"}
KEYWORDS = {"as", "in", "match", "move", "ref", "type", "where"}
HEAD = """// Made from `stagemill schema abi`; the second part is by hand.  Needs Rust 1.63 or later, and no crate.
//
// SPDX-License-Identifier: MIT
#![allow(dead_code, non_camel_case_types, non_snake_case)]

use std::os::raw::{c_char, c_int, c_void};
"""


def rust_type(kind):
    """Of a C type, as `const char *const *`."""
    words = re.findall(r"\w+|\*", kind)
    base = next(word for word in words if word not in ("const", "*", "struct"))
    text = PLAIN.get(base, base)
    constant = "const" in words[:words.index("*")] if "*" in words else False
    for i, word in enumerate(words):
        if word == "*":
            text = f"*{'const' if constant else 'mut'} {text}"
            constant = words[i + 1:i + 2] == ["const"]
    return text


def function_type(field):
    parameters = ", ".join(rust_type(p["type"]) for p in field["parameters"] if p["type"] != "void")
    returns = "" if field["returns"] == "void" else f" -> {rust_type(field['returns'])}"
    return f"Option<unsafe extern \"C\" fn({parameters}){returns}>"


def name_of(field):
    return "r#" + field if field in KEYWORDS else field


def field_type(struct, field):
    if field["type"] in ("union", "struct"):
        return struct + field["name"].capitalize()
    return function_type(field) if field["type"] == "function" else rust_type(field["type"])


def empty(kind):
    if kind.startswith("*"):
        return f"std::ptr::null{'' if kind.startswith('*const') else '_mut'}()"
    if kind.startswith("Option"):
        return "None"
    if kind == "f64":
        return "0.0"
    if kind == "bool":
        return "false"
    return f"{kind}::EMPTY" if kind.startswith("Mill") and kind != "MillSym" else "0"


def put_struct(name, fields, out, union=False):
    for field in fields:
        if "fields" in field:
            put_struct(name + field["name"].capitalize(), field["fields"], out, field["type"] == "union")
    kept = [field for i, field in enumerate(fields) if union or i == 0 or field["offset"] != fields[i - 1]["offset"]]
    types = [(field["name"], field_type(name, field)) for field in kept]  # one of those at one offset
    out.append(f"#[repr(C)]\n#[derive(Clone, Copy)]\npub {'union' if union else 'struct'} {name} {{")
    out.extend(f"    pub {name_of(field)}: {kind}," for field, kind in types)
    out.append("}")
    if any("*" in kind for _, kind in types):
        out.append(f"unsafe impl Sync for {name} {{}}")
    shown = types[:1] if union else types
    out.append(f"impl {name} {{\n    pub const EMPTY: {name} = {name} {{")
    out.extend(f"        {name_of(field)}: {empty(kind)}," for field, kind in shown)
    out.append("    };\n}")


def put_rows(name, element, out):
    out.append(f"impl {name} {{\n    pub const fn of(rows: &'static [{element}]) -> {name} {{\n"
               f"        {name} {{ at: rows.as_ptr(), n: rows.len() as u32, stride: std::mem::size_of::<{element}>() as u32 }}\n"
               "    }\n}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        abi = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        safe = file.read()
    out = [HEAD]
    for alias in abi["types"]:
        out.append(f"pub type {alias['name']} = {PLAIN[alias['type']]};")
    for constant in abi["constants"]:
        if constant["type"] == "text":
            out.append(f"pub const {constant['name']}: &str = {json.dumps(constant['value'])};")
        else:
            out.append(f"pub const {constant['name']}: {PLAIN[constant['type']]} = {constant['value']};")
    for struct in abi["structs"]:
        name = struct["name"]
        if struct["fields"] is None:
            out.append(f"#[repr(C)]\npub struct {name} {{\n    private: [u8; 0],\n}}")
            continue
        put_struct(name, struct["fields"], out)
        if name.endswith("Rows"):
            put_rows(name, name[:-4], out)
        out.append(f"const _: () = assert!(std::mem::size_of::<{name}>() == {struct['size']});")
        out.append(f"const _: () = assert!(std::mem::align_of::<{name}>() == {struct['align']});")
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n\n" + safe)


main()
