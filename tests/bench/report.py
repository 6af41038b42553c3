"""Rows about the page of reports: ./dev bench results."""
# SPDX-License-Identifier: MIT

import os
import sys

from machine import interleave
from result import Result, busy_note

BROWSER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser")
MOST = 4
MEGABYTES = 10
TABLES = 10
OTHERS = 85  # bytes of a row but for its name, with its share of the page and the charts


def ten_megabytes(samples):
    """Tables of as many rows as the program writes, and charts of every kind."""
    width = MEGABYTES * 1_000_000 // (TABLES * 5000) - OTHERS
    names = [f"{i:03} " + "void kernel<256, 128>(float const*)" * 9 for i in range(100)]
    tables = [{**samples.table(n=5000, texts=[name[:width] for name in names]), "name": f"table-{i}"} for i in range(TABLES)]
    return samples.document(metrics=samples.metrics(), tables=tables, pictures=samples.pictures())


def ready(bench):
    """Opened in a browser until its title says so."""
    sys.path.insert(0, BROWSER)
    import samples
    from chromium import Chromium, Page, program
    page = os.path.join(os.path.dirname(bench.tools), "..", "report", "report-page.html")
    if not program() or not os.path.exists(page):
        raise RuntimeError("there is no Chromium, or no page of reports")
    paths = {name: os.path.join(bench.scratch, f"{name}.html") for name in ("alone", "full")}
    samples.write(page, paths["alone"], samples.document())
    samples.write(page, paths["full"], ten_megabytes(samples))
    size = os.path.getsize(paths["full"]) / 1e6
    with Chromium() as browser:
        def opened(path):
            tab = Page(browser)
            seconds = tab.open(path)
            tab.close()
            return seconds
        best, free = interleave({name: lambda path=path: opened(path) for name, path in paths.items()}, bench.rounds)
    ratio = best["full"] / best["alone"]
    notes = [f"{size:.1f} MB: {best['full']:.2f} s, the page alone {best['alone']:.2f} s", *busy_note(free)]
    yield Result("a report of 10 MB, ready", f"at most {MOST}x", f"{ratio:.2f}x", ratio <= MOST, notes)


ROWS = {"report-ready": ready}
