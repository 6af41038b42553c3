#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The site of the documentation in a browser: site-test.py --page PAGE --source SOURCE --build BUILD [--site SITE] [--pictures FOLDER]

Each page at three widths, light and dark: nothing is wider than the window, nothing is said on the console, and axe finds no
fault.  The site is made anew unless SITE is given; the pictures are of one page of each kind."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import chromium
from findings import axe_of, violations

SKIPPED = 77
WIDTHS = (390, 820, 1440)
HEIGHT = 1000
PAGES_OF_A_BROWSER = 50  # it grows with each
FIRST = "index.html"
SHOWN = ("README.html", "docs/reliability.html", "docs/metrics.html", "notices.html", "docs/decisions/0032-torch-speed.html",
         "core/include/stagemill/types.h.html", "man/stagemill-run.1.html", "stages/torch/step-parts/step-parts.html")
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def go(page, path, shown=None):
    """Until the page is there; SHOWN: to which it leads."""
    page.url = (shown or path).resolve().as_uri()
    page.call("Page.navigate", url=path.resolve().as_uri())
    page.wait(f"document.readyState === 'complete' && location.href === {page.url!r}")


def faults_of(page, path, axe):
    """At every width and in both colours; axe looks where colours or the order of things can differ."""
    go(page, path)
    for width in WIDTHS:
        page.resize(width, HEIGHT)
        over = page.evaluate(OVERFLOW)
        if over > 0:
            yield f"{over} pixels too wide at {width}"
    for width, dark in ((WIDTHS[0], True), (WIDTHS[-1], False)):
        page.resize(width, HEIGHT)
        page.media(dark=dark)
        yield from (f"axe at {width}{' dark' if dark else ''}: {name}: {nodes[0]}" for name, nodes in violations(page, axe))


def take_pictures(page, site, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in SHOWN:
        for width in WIDTHS:
            page.resize(width, HEIGHT)
            go(page, site / name)
            for dark in (False, True):
                page.media(dark=dark)
                page.frames()
                stem = f"{pathlib.Path(name).stem}-{width}{'-dark' if dark else ''}.png"
                page.screenshot(folder / stem, whole=False)


def look(site, axe, pictures):
    """How many faults there are, and in how many pages."""
    pages, faults = sorted({*site.rglob("*.html")} - {site / FIRST}), 0
    with chromium.Chromium() as browser:
        go(chromium.Page(browser), site / FIRST, site / SHOWN[0])
    for first in range(0, len(pages), PAGES_OF_A_BROWSER):
        with chromium.Chromium() as browser:
            page = chromium.Page(browser)
            for path in pages[first:first + PAGES_OF_A_BROWSER]:
                for fault in faults_of(page, path, axe):
                    print(f"{path.relative_to(site)}: {fault}", flush=True)
                    faults += 1
            for said in page.console():
                print(f"on the console: {said}")
                faults += 1
    if pictures:
        with chromium.Chromium() as browser:
            take_pictures(chromium.Page(browser), site, pictures)
    return len(pages), faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--page", "--source", "--build", "--site", "--pictures"):
        parser.add_argument(name, type=pathlib.Path)
    options = parser.parse_args()
    axe = axe_of(options)
    if not chromium.program() or not axe:
        print(f"skipped: {'axe-core' if chromium.program() else 'Chromium'} is missing")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        site = options.site or pathlib.Path(scratch) / "site"
        if not options.site:
            # Debian's Python, which has its library.
            subprocess.run(["/usr/bin/python3", options.source / "packaging/site.py", site, "--build", options.build], check=True, stdout=subprocess.DEVNULL)
        n, faults = look(site, axe, options.pictures)
    print(f"{n} pages, {faults} faults")
    return 1 if faults or not n else 0


if __name__ == "__main__":
    sys.exit(main())
