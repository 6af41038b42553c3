#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the page of the html sink, with a place for its data: bundle.py PAGE --source FOLDER [--npm NPM --work FOLDER]

With npm, libraries that draw charts are fetched as package-lock.json says, and put into the script.
Without it, which is how the build calls it, nothing is fetched, and the page shows its pictures as SVG."""
import argparse
import base64
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

LIBRARIES = ["echarts", "zrender", "tslib", "uplot"]
TEXTS = ["LICENSE", "LICENSE.txt", "NOTICE", "licenses/LICENSE-d3"]
MAX_BYTES = 1 << 20
IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([\w-]+)\.js";$', re.M)
EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.M)
INSTEAD = {"charts": "charts-svg"}


class Failed(Exception):
    pass


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()[-2000:]}")


# ---- with npm

def licence_of(modules, name):
    folder = modules / name
    about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    texts = [(folder / text).read_text(encoding="utf-8").strip() for text in TEXTS if (folder / text).exists()]
    return {"name": name, "version": about["version"], "licence": about["license"], "text": "\n\n".join(texts)}


def licences_module(licences):
    return f"// Generated.\nexport const licences = {json.dumps(licences)};\n"


def fetch(source, work, npm):
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(source / name, work / name)
    run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline",
         "--fetch-retries=1", "--fetch-retry-mintimeout=1000"], work)


def bundled(source, work, npm):
    """Script and style of the page with charts."""
    fetch(source, work, npm)
    modules = work / "node_modules"
    shutil.rmtree(work / "src", ignore_errors=True)
    shutil.copytree(source / "src", work / "src")
    licences = [licence_of(modules, name) for name in LIBRARIES]
    (work / "src/licences.js").write_text(licences_module(licences), encoding="utf-8")
    run([modules / ".bin/esbuild", "src/main.js", "--bundle", "--minify", "--format=iife", "--legal-comments=none",
         "--target=chrome109,firefox115,safari16", "--define:process.env.NODE_ENV=\"production\"", "--outfile=out/page.js"], work)
    return [(work / "out" / name).read_text(encoding="utf-8") for name in ("page.js", "page.css")]


# ---- without it

def variable(name):
    """What holds the exports of a module."""
    return "_" + INSTEAD.get(name, name).replace("-", "_")


def in_order(folder, name, seen):
    """Our modules as functions that give what they export, each after those that it imports."""
    if name in seen:
        return
    seen.add(name)
    text = (folder / f"{name}.js").read_text(encoding="utf-8")
    for _, other in IMPORT.findall(text):
        yield from in_order(folder, INSTEAD.get(other, other), seen)
    own = IMPORT.sub(lambda found: f"const {found[1]} = {variable(found[2])};", text)
    if re.search(r"^import ", own, re.M):
        raise Failed(f"{name}.js imports what is not one of our modules")
    exports = ", ".join(exported for _, exported in EXPORT.findall(own))
    yield f"const {variable(name)} = (() => {{\n{EXPORT.sub(lambda found: found[1], own)}return {{ {exports} }};\n}})();"


def joined(source):
    """Script and style of the page without libraries: our modules one after the other."""
    parts = in_order(source / "src", "main", {"licences"})
    return "(() => {\nconst _licences = { licences: [] };\n" + "\n".join(parts) + "\n})();\n", ""


# ---- the page

def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page_of(source, script, style):
    script, style = script.strip(), (style + (source / "src/page.css").read_text(encoding="utf-8")).strip()
    if re.search(r"</script|<!--|@DATA@", script, re.I) or re.search("</style", style, re.I):
        raise Failed("the script or the style would end its element")
    policy = (f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; base-uri 'none'; "
              "form-action 'none'")
    page = (source / "src/page.html").read_text(encoding="utf-8")
    for name, text in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script)):
        page = page.replace(f"@{name}@", text)
    if len(page.encode()) > MAX_BYTES:
        raise Failed(f"the page has {len(page.encode())} bytes without data, more than {MAX_BYTES}")
    return page


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("page", type=pathlib.Path)
    options.add_argument("--source", type=pathlib.Path, required=True)
    options.add_argument("--npm")
    options.add_argument("--work", type=pathlib.Path, default=pathlib.Path("."))
    args = options.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        parts = bundled(args.source, args.work.resolve(), args.npm) if args.npm else joined(args.source)
        args.page.write_text(page_of(args.source, *parts), encoding="utf-8")
    except Failed as reason:
        sys.exit(f"the page of the report could not be built: {reason}")


if __name__ == "__main__":
    main()
