#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the site of the documentation: site.py OUT --build BUILD

Pages of docs/ and of modules, man pages, what the built program lists, and headers, with a search that needs no server.
Each link within the site is checked.  Needs python3-markdown and mandoc."""
import argparse
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import markdown

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
HEADERS = ("core/include/stagemill", "core/kit")
MAN_PAGES = ("core/cmd/*.1", "core/cmd/*.5", "core/cmd/*.7", "stages/*.7")
INDEXED_CHARACTERS = 6000


class Page:
    """Where it lies in the site, under which heading of the menu, its title, what it shows, and the file that it was made of."""

    def __init__(self, path, section, title, body, source=None):
        self.path, self.section, self.title, self.body, self.source = path, section, title, body, source

    def text(self):
        return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", self.body))).strip()


def slug(text, separator):
    """Anchors as code hosts make them, so that links work in both places."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", separator)


def from_markdown(path, section):
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"^```(\w+) .*$", r"```\1", text, flags=re.M)  # what only tests read
    body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"],
                             extension_configs={"toc": {"slugify": slug}})
    body = re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", body)  # a corner heads nothing
    title = re.search(r"^# (.*)$", text, re.M)
    name = path.relative_to(ROOT)
    return Page(name.with_suffix(".html").as_posix(), section, title.group(1).replace("`", "") if title else name.stem, body, name)


def from_man(path):
    body = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", path], check=True, capture_output=True, text=True).stdout
    return Page(f"man/{path.name}.html", "Manual pages", path.name.replace(".", "(", 1) + ")", body)


def from_header(path):
    name = path.relative_to(ROOT)
    shown = name.as_posix().removeprefix("core/include/").removeprefix("core/")
    body = f"<h1>{shown}</h1><pre><code>{html.escape(path.read_text(encoding='utf-8'))}</code></pre>"
    return Page(name.as_posix() + ".html", "Headers", shown, body, name)


def tag(name, content):
    return f"<{name}>{html.escape(str(content))}</{name}>"


def notices_page(modules):
    """Every notice of every module, with what it means and what helps."""
    body = ["<h1>Notices of modules</h1>"]
    for module in modules:
        for notice in module["notices"]:
            anchor = html.escape(notice["code"])
            body.append(f'<h2 id="{anchor}">{anchor}: {html.escape(notice["what"])}</h2>')
            body += [tag("p", notice[key]) for key in ("effect", "explain", "help") if notice.get(key)]
    return Page("notices.html", "Reference", "Notices of modules", "\n".join(body))


def rules_page(rules):
    body = ["<h1>Rules of findings</h1>"]
    for rule in rules:
        body += [f'<h2 id="{rule["name"]}">{rule["name"]}: {html.escape(rule["title"])}</h2>', tag("p", rule["help"])]
        body += ["<ul>", *(f"<li><code>{p['name']}</code>: {html.escape(p['help'])} (default {p['default']:g})</li>" for p in rule["params"]), "</ul>"]
    return Page("rules.html", "Reference", "Rules of findings", "\n".join(body))


class Program:
    def __init__(self, build):
        self.build = build

    def ask(self, *words):
        command = ["meson", "devenv", "-C", self.build, "stagemill", *words, "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def listed_pages(build):
    program = Program(build)
    modules = [module for kind in ("stages", "sources", "sinks") for module in program.ask("list", kind)]
    rules = [program.ask("show", rule["name"]) for rule in program.ask("list", "rules")]
    return [notices_page(modules), rules_page(rules)]


def all_pages(build):
    yield from_markdown(ROOT / "README.md", "Start")
    yield from_markdown(ROOT / "CHANGELOG.md", "Start")
    for path in sorted(ROOT.glob("docs/*.md")):
        yield from_markdown(path, "Authors" if path.stem.startswith(("write-", "use-as")) else "Guides")
    yield from listed_pages(build)
    for room, section in (("stages", "Stages"), ("plugins/source", "Sources"), ("plugins/sink", "Sinks")):
        for path in sorted(ROOT.glob(f"{room}/**/*.md")):
            yield from_markdown(path, section)
    for path in sorted({path for pattern in MAN_PAGES for path in build.glob(pattern)}):
        yield from_man(path)
    for folder in HEADERS:
        for path in sorted((ROOT / folder).rglob("*.h")):
            yield from_header(path)
    for path in sorted(ROOT.glob("docs/decisions/*.md")):
        yield from_markdown(path, "Decisions")


class Site:
    def __init__(self, out, pages):
        self.out, self.pages = out, pages
        self.by_source = {page.source.as_posix(): page.path for page in pages if page.source}
        self.copied, self.broken = set(), []

    def target(self, page, link):
        """Where a link of a page's source leads in the site, seen from the page."""
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or not parts.path or not page.source:
            return link
        wanted = pathlib.Path(*[p for p in (page.source.parent / parts.path).parts if p != "."])
        source = ROOT / wanted
        try:
            name = source.resolve().relative_to(ROOT).as_posix()
        except ValueError:
            self.broken.append(f"{page.source}: {link} leads out of the project")
            return link
        path = self.by_source.get(name) or self.by_source.get(f"{name}/README.md") or self.copy(page, name, link)
        up = "../" * page.path.count("/")
        return up + path + (f"#{parts.fragment}" if parts.fragment else "")

    def copy(self, page, name, link):
        """Files that are no pages are shown as they are; folders by what is in them."""
        source = ROOT / name
        if source.is_dir():
            return self.folder(name)
        if not source.is_file():
            self.broken.append(f"{page.source}: {link} leads nowhere")
            return link
        self.copied.add(name)
        return f"files/{name}" + ("" if source.suffix in (".png", ".svg", ".json", ".html") else ".txt")

    def folder(self, name):
        path = f"files/{name}/index.html"
        if path not in {page.path for page in self.pages}:
            rows = "".join(f"<li>{html.escape(entry.name)}</li>" for entry in sorted((ROOT / name).iterdir()))
            self.pages.append(Page(path, "", name, f"<h1>{name}</h1><ul>{rows}</ul>"))
        return path

    def menu(self, page):
        up, sections = "../" * page.path.count("/"), {}
        for other in self.pages:
            if other.section:
                sections.setdefault(other.section, []).append(other)
        return "".join(self.section(page, name, members, up) for name, members in sections.items())

    @staticmethod
    def section(page, name, members, up):
        """The pages of the section in which the reader is; of others the first."""
        if name not in (page.section, "Start", "Guides"):
            return f'<p><a href="{up}{members[0].path}">{name} ({len(members)})</a></p>'
        lines = []
        for other in members:
            here = ' aria-current="page"' if other is page else ""
            lines.append(f'<li><a href="{up}{other.path}"{here}>{html.escape(other.title)}</a></li>')
        return f"<h2>{name}</h2><ul>{''.join(lines)}</ul>"

    def write(self, template):
        for page in list(self.pages):
            page.body = re.sub(r'(href|src)="([^"]*)"', lambda m: f'{m[1]}="{html.escape(self.target(page, html.unescape(m[2])))}"', page.body)
        for page in self.pages:
            up = "../" * page.path.count("/")
            path = self.out / page.path
            path.parent.mkdir(parents=True, exist_ok=True)
            body = re.sub(r"<table\b.*?</table>", r'<div class="wide" tabindex="0">\g<0></div>', page.body, flags=re.S).replace("<pre>", '<pre tabindex="0">')
            shown = {"TITLE": html.escape(page.title), "UP": up, "MENU": self.menu(page), "BODY": body}
            path.write_text(re.sub(r"@(TITLE|UP|MENU|BODY)@", lambda m: shown[m[1]], template), encoding="utf-8")
        for name in sorted(self.copied):
            target = self.out / self.copy(None, name, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
        index = [[page.title, page.path, page.section, page.text()[:INDEXED_CHARACTERS]] for page in self.pages if page.section]
        (self.out / "search.js").write_text((HERE / "site-search.js").read_text(encoding="utf-8").replace("[/* PAGES */]", json.dumps(index)),
                                            encoding="utf-8")
        shutil.copyfile(HERE / "site.css", self.out / "site.css")
        (self.out / "index.html").write_text('<!doctype html><html lang="en"><title>stagemill</title><meta http-equiv="refresh" content="0;url=README.html">\n'
                                             '<a href="README.html">stagemill</a></html>\n', encoding="utf-8")

    def check(self):
        """Each link of each page leads to a file, and to a place in it."""
        anchors = {}
        for page in self.pages:
            text = (self.out / page.path).read_text(encoding="utf-8")
            anchors[page.path] = set(re.findall(r'id="([^"]+)"', text))
        for page in self.pages:
            text = (self.out / page.path).read_text(encoding="utf-8")
            for link in re.findall(r'(?:href|src)="([^"]*)"', text):
                parts = urllib.parse.urlsplit(html.unescape(link))
                if parts.scheme:
                    continue
                path = (self.out / page.path).parent / parts.path if parts.path else self.out / page.path
                name = os.path.relpath(path, self.out)
                if not path.is_file():
                    self.broken.append(f"{page.path}: {link} leads nowhere")
                elif parts.fragment and name in anchors and urllib.parse.unquote(parts.fragment) not in anchors[name]:
                    self.broken.append(f"{page.path}: {link}: no such place in the page")
        return sorted(set(self.broken))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    site = Site(options.out, list(all_pages(options.build)))
    site.write((HERE / "site.html").read_text(encoding="utf-8"))
    broken = site.check()
    for line in broken:
        print(line, file=sys.stderr)
    print(f"{options.out}/index.html: {len(site.pages)} pages, {len(broken)} broken links")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
