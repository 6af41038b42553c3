#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of reports in a real browser: browser-test.py --page PAGE --program PROGRAM --source ROOT [TEST...]

Skipped where there is no Chromium (apt-get install chromium)."""
import argparse
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import samples
from chromium import Chromium, Page, program
from findings import Found
from looks import TABLE, Columns, Zooming

SKIPPED = 77
# Of all canvases of an element: has anything been drawn, and in how many colours.
COLOURS = """(() => [...document.querySelectorAll('.chart')].map((chart) => {
  const seen = new Set();
  for (const canvas of chart.querySelectorAll('canvas')) {
    const data = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    for (let i = 0; i < data.length; i += 3) if (data[i]) seen.add(data[i]);
  }
  return seen.size;
}))()"""
# Comes near each picture once: those far away stand still.
VISIT = """(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => done()));
  for (const figure of document.querySelectorAll('figure')) {
    figure.scrollIntoView();
    for (let i = 0; i < 50 && figure.querySelector('.still'); i++) await frame();
  }
  scrollTo(0, 0);
  await frame();
})()"""


class Case(unittest.TestCase):
    options = None
    browser = None
    scratch = None

    def write(self, data, page=None):
        path = self.scratch / f"{self.id()}.html"
        samples.write(page or self.options.page, path, data)
        return path

    def show(self, data, page=None, **look):
        return self.open(self.write(data, page), **look)

    def open(self, path, **look):
        page = Page(self.browser, **look)
        self.addCleanup(page.close)
        self.seconds = page.open(path)
        self.addCleanup(lambda: self.assertEqual((page.console(), page.requests()), ([], [])))
        return page

    def visit(self, page):
        page.evaluate(VISIT)
        return page

    def has_charts(self):
        return "echarts" in pathlib.Path(self.options.page).read_text(encoding="utf-8")

    def need_charts(self):
        if not self.has_charts():
            self.skipTest("this build has no charts: ./dev build, or -Dreport_bundle=FILE")


class Whole(Case):
    def test_sections_are_there(self):
        page = self.show(samples.full())
        ids = page.evaluate("[...document.querySelectorAll('main > section')].map((s) => s.id)")
        self.assertEqual(ids, ["findings", "summary", "captions", "quality", "figures", "tables", "provenance", "licences"])
        self.assertEqual(page.evaluate("document.title"), "serving · stagemill · ready")
        cards = page.evaluate("[...document.querySelectorAll('.card .value')].map((c) => c.textContent)")
        self.assertEqual(cards, ["96.4 ms", "31.70 ms", "2,140.3 tok/s", "64.00 GiB", "41.0 %"])
        self.assertIn("no collectives in this trace", page.evaluate("document.getElementById('summary').textContent"))
        self.assertIn("Rank 3 arrives last", page.evaluate("document.getElementById('captions').textContent"))
        quality = page.evaluate("document.getElementById('quality').textContent")
        for text in ("OVC-02", "wrong by one counter period", "soc-mhz=998.4", "12,000 of 18,000 rows"):
            self.assertIn(text, quality)

    def test_provenance(self):
        page = self.show(samples.full())
        home = "document.getElementById('provenance')"
        names = page.evaluate(f"[...{home}.querySelectorAll('dt')].map((name) => name.textContent)")
        self.assertEqual(names, ["program", "profile", "plan", "arguments", "modules", "inputs"])
        text = page.evaluate(f"{home}.textContent")
        for part in ("--set top=20", "kernel-time", "30,000,002", "sha256:5f70", f"sha256:{2:064x}"):
            self.assertIn(part, text)

    def test_every_chart_is_drawn(self):
        self.need_charts()
        page = self.visit(self.show(samples.full()))
        colours = page.evaluate(COLOURS)
        self.assertEqual(len(colours), sum(len(p["panels"]) for p in samples.pictures()))
        self.assertGreater(min(colours), 10)
        for picture in samples.pictures():
            text = page.evaluate(f"document.getElementById('figure-{picture['name']}').querySelector('figcaption').textContent")
            self.assertIn(picture["description"], text)
        self.assertIn("the table comm-time has no rows", page.evaluate("document.getElementById('figures').textContent"))

    def test_nothing_at_all(self):
        page = self.show(samples.document(profile="", program={"name": None, "version": None}, title=None, lanes={"n": 0, "names": []}))
        self.assertNotIn("inputs", page.evaluate("document.querySelector('.lead').textContent"))
        self.assertIn("no tables", page.evaluate("document.getElementById('tables').textContent"))
        self.assertIn("Nothing odd", page.evaluate("document.getElementById('quality').textContent"))

    def test_empty_tables_and_single_values(self):
        empty = {**samples.table(n=0), "name": "empty"}
        flat = samples.picture("flat", samples.panel(samples.axis("Time", "s", 0, 1), samples.axis("Value", "", 0.5, 1.5),
                                                      samples.series("line", "", 0, x=[0], y=[1])))
        huge = samples.picture("huge", samples.panel(samples.axis("Time", "", 1e299, 1e300), samples.axis("Value", "", -1e300, 1e300),
                                                      samples.series("points", "", 0, x=[5e299], y=[1e300])))
        none = samples.picture("none", samples.panel(samples.categories("", []), samples.axis("Value"), samples.series("bars", "", 0, x=[], low=[], high=[])))
        page = self.show(samples.document(tables=[empty], pictures=[flat, huge, none]))
        self.assertIn("no rows", page.evaluate("document.getElementById('table-empty').textContent"))

    def test_hostile_names_are_text(self):
        page = self.show(samples.hostile())
        self.assertIsNone(page.evaluate("window.bad ?? null"))
        self.assertEqual(page.evaluate("document.querySelectorAll('img').length"), 0)
        self.assertEqual(page.evaluate("document.querySelectorAll('script').length"), 2)
        self.assertEqual(page.evaluate("document.querySelector('h1').textContent"), samples.HOSTILE[0])
        cells = page.evaluate(f"[...{TABLE}.querySelectorAll('tbody td:nth-child(2)')].slice(0, 16).map((c) => c.textContent)")
        self.assertEqual(cells[2], samples.HOSTILE[2])
        self.assertEqual(cells[5], "\\x1b[31mred\\x07\\x9b")
        self.assertEqual(cells[6], "\\u202egnirts\\u202c")
        self.assertEqual(cells[9], samples.HOSTILE[9])
        self.assertLess(len(cells[15]), 100)
        self.assertLess(page.evaluate("document.documentElement.scrollHeight"), 20_000)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 1400)

    def test_nothing_but_the_page_itself_may_run(self):
        data = samples.full()
        path = self.write(data)
        path.write_text(path.read_text(encoding="utf-8").replace("</body>", "<script>window.bad = 1</script></body>"), encoding="utf-8")
        page = Page(self.browser)
        self.addCleanup(page.close)
        page.open(path)
        self.assertIsNone(page.evaluate("window.bad ?? null"))
        self.assertIn("Content Security Policy", " ".join(page.console()))

    def test_narrow(self):
        page = self.show(samples.full(), width=400)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 400)

    def test_dark(self):
        self.need_charts()
        background = "getComputedStyle(document.body).backgroundColor"
        first = "document.querySelector('.chart canvas').toDataURL()"
        page = self.visit(self.show(samples.full(), dark=True))
        dark = page.evaluate(background), page.evaluate(first)
        page.media(dark=False)
        page.frames(3)
        light = page.evaluate(background), page.evaluate(first)
        self.assertNotEqual(dark[0], light[0])
        self.assertNotEqual(dark[1], light[1])
        self.assertEqual(page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--scheme').trim()"), "light")

    def test_paper(self):
        page = self.show(samples.full(), dark=True)
        page.pdf(self.scratch / "printed.pdf")
        self.assertGreater((self.scratch / "printed.pdf").stat().st_size, 20_000)
        page.frames()
        self.assertEqual(page.evaluate("document.documentElement.className"), "")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(page.evaluate(f"{TABLE}.querySelectorAll('table.part tbody tr').length"), 100)
        widest = "Math.max(...[...document.querySelectorAll('.chart canvas, .still svg')].map((c) => c.getBoundingClientRect().width))"
        self.assertLessEqual(page.evaluate(widest), 680)  # or they would be cut off
        self.assertIn("first 100 of 6,000", page.evaluate(f"{TABLE}.querySelector('.status').textContent"))
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.frames(3)
        self.assertGreater(page.evaluate(widest), 680)
        self.assertEqual(page.evaluate(f"{TABLE}.querySelector('.status').textContent"), "6,000 rows")
        self.assertEqual(page.evaluate(f"{TABLE}.querySelectorAll('table.part').length"), 0)


class Tables(Columns, Case):
    def setUp(self):
        self.page = self.show(samples.document(tables=[samples.table()]))

    def cells(self, column, n=5):
        return self.page.evaluate(f"[...{TABLE}.querySelectorAll('tbody tr:not(.spacer) td:nth-child({column})')].slice(0, {n}).map((c) => c.textContent)")

    def sort(self, column):
        self.page.evaluate(f"{TABLE}.querySelector('th:nth-child({column}) button').click()")
        return self.page.evaluate(f"{TABLE}.querySelector('th:nth-child({column})').getAttribute('aria-sort')")

    def search(self, words):
        self.page.evaluate(f"(() => {{ const i = {TABLE}.querySelector('input[type=search]'); i.value = {json.dumps(words)};"
                           " i.dispatchEvent(new Event('input')); })()")
        return int(self.page.evaluate(f"{TABLE}.dataset.rows"))

    def test_only_rows_in_sight_are_elements(self):
        self.assertEqual(self.page.evaluate(f"{TABLE}.dataset.rows"), "6000")
        self.assertLess(self.page.evaluate(f"{TABLE}.querySelectorAll('tr').length"), 60)
        self.page.evaluate(f"{TABLE}.querySelector('.scroll').scrollTop = 1e9")
        self.page.frames(3)
        self.assertEqual(self.page.evaluate(f"[...{TABLE}.querySelectorAll('tbody tr:not(.spacer)')].at(-1).getAttribute('aria-rowindex')"), "6001")
        self.assertLess(self.page.evaluate(f"{TABLE}.querySelectorAll('tr').length"), 60)
        self.assertEqual(self.page.evaluate(f"{TABLE}.querySelector('table').getAttribute('aria-rowcount')"), "6001")

    def test_sorting(self):
        self.assertEqual(self.sort(5), "descending")
        self.assertEqual(self.cells(5, 2), ["5,999", "5,998"])
        self.assertEqual(self.sort(5), "ascending")
        self.assertEqual(self.cells(5, 2), ["0", "1"])
        self.assertEqual(self.sort(2), "ascending")
        self.assertEqual(self.page.evaluate(f"{TABLE}.querySelector('th:nth-child(5)').getAttribute('aria-sort')"), "none")
        self.assertEqual(self.cells(2, 3), ["all_reduce", "all_reduce 5", "all_reduce 9"])  # numbers by their size

    def test_absent_values_come_last_both_ways(self):
        for _ in range(2):
            self.sort(4)
            self.page.evaluate(f"{TABLE}.querySelector('.scroll').scrollTop = 1e9")
            self.page.frames(3)
            self.assertEqual(self.cells(4, 100)[-1], "")

    def test_integers_beyond_doubles_keep_their_digits(self):
        self.sort(6)
        title = f"{TABLE}.querySelectorAll('tbody tr')[%d].children[5].title"
        self.assertEqual([self.page.evaluate(title % i) for i in range(2)], ["9223372036854775807", "9223372036854775806"])

    def test_filtering(self):
        rows = samples.table()["rows"]
        self.assertEqual(self.search("GEMM"), sum("gemm" in row[1] for row in rows))
        self.assertEqual(self.search("gemm 5999 "), 0)
        self.assertIn("No row", self.page.evaluate(f"{TABLE}.querySelector('tbody').textContent"))
        wanted = sum("layer_norm" in row[1] and any("5999" in str(value) for value in row) for row in rows)
        self.assertEqual(self.search("layer_norm 5999"), wanted)
        self.assertEqual(self.page.evaluate(f"{TABLE}.querySelector('.status').textContent"), f"{wanted} of 6,000 rows")
        self.assertEqual(self.search(""), 6000)

    def test_copying(self):
        page = self.show(samples.document(tables=[samples.table(n=16, texts=samples.HOSTILE)]))
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })")
        page.evaluate(f"{TABLE}.querySelector('.copy').click()")
        page.wait("window.copied")
        lines = page.evaluate("window.copied").split("\r\n")
        self.assertEqual(lines[0], "rank,name,total_ns,share_percent,calls,traffic_bytes,done")
        self.assertEqual(lines[1], "0,</script><script>window.bad = 1</script>,0,0.0,0,9223372036854775807,true")
        self.assertEqual(lines[4], "3,\"'=cmd|' /C calc'!A0\",23757,,3,9223372036854775804,true")
        self.assertIn("\"a \"\"quoted\"\" 'name' `x` $(y)\"", page.evaluate("window.copied"))
        self.assertIn("16 rows copied", page.evaluate(f"{TABLE}.querySelector('.status').textContent"))

    def test_keyboard(self):
        self.page.evaluate(f"{TABLE}.querySelector('input').focus()")
        for letter in "norm":
            self.page.key(letter, text=letter)
        self.assertEqual(self.page.evaluate(f"{TABLE}.dataset.rows"), "1500")
        self.page.key("Tab", 9)
        self.page.key("Tab", 9)
        self.assertEqual(self.page.evaluate("document.activeElement.className"), "scroll")
        self.page.key("Tab", 9)
        self.page.key("Enter", 13, "\r")
        self.assertEqual(self.page.evaluate(f"{TABLE}.querySelector('th').getAttribute('aria-sort')"), "descending")
        self.assertEqual(self.cells(1, 1), ["7"])


class Charts(Zooming, Case):
    def setUp(self):
        self.need_charts()

    def image(self, page, figure):
        return page.evaluate(f"[...document.querySelectorAll('#figure-{figure} canvas')].map((c) => c.toDataURL()).join()")

    def test_legends_switch_series_off(self):
        page = self.visit(self.show(samples.document(pictures=[samples.bars(), samples.long_lines()])))
        for figure in ("time-by-rank", "long-lines"):
            before = self.image(page, figure)
            button = f"document.querySelector('#figure-{figure} .legend button')"
            page.evaluate(f"({button}.focus(), {button}.click())")
            self.assertEqual(page.evaluate(f"{button}.getAttribute('aria-pressed')"), "false")
            self.assertEqual(page.evaluate(f"document.activeElement === {button}"), True)
            self.assertNotEqual(self.image(page, figure), before)
            page.evaluate(f"{button}.click()")
            self.assertEqual(self.image(page, figure), before)

    def test_pictures_far_away_stand_still(self):
        """They are there from the start, and move when someone comes near."""
        page = self.show(samples.full())
        kinds = "[...document.querySelectorAll('figure')].map((f) => (f.querySelector('canvas') ? 'moves' : f.querySelector('.still svg > *') ? 'still' : 'none'))"
        first, heights = page.evaluate(kinds), "[...document.querySelectorAll('figure')].map((f) => f.getBoundingClientRect().height)"
        self.assertIn("still", first)
        self.assertNotIn("none", first)
        before = page.evaluate(heights)
        self.assertEqual(set(self.visit(page).evaluate(kinds)), {"moves"})
        self.assertEqual(page.evaluate(heights), before)  # or the page would jump

    def test_legends_say_what_their_names_are(self):
        page = self.show(samples.document(pictures=[{**samples.bars(), "legend_title": "<i>Kind"}, samples.lines()]))
        texts = page.evaluate("[...document.querySelectorAll('figure')].map((f) => f.querySelector('.legend').innerText.split('\\n').join(' '))")
        self.assertEqual(texts, ["<i>Kind: compute NCCL", "p50 p99"])

    def test_texts_of_points_do_not_cover_one_another(self):
        def drawn(*texts):
            dots = samples.series("points", "", 0, x=[0.5] * len(texts), y=[0.5] * len(texts), text=list(texts))
            page = self.visit(self.show(samples.document(pictures=[samples.picture("dots", samples.panel(samples.axis("X"), samples.axis("Y"), dots))])))
            page.frames(3)
            return self.image(page, "dots")
        self.assertEqual(drawn("first name", "second name"), drawn("first name", ""))
        self.assertNotEqual(drawn("first name", "second name"), drawn("", ""))

    def test_notes_hide_nothing(self):
        dots = samples.series("points", "", 0, x=[0, 1], y=[0, 1], text=["low", "high"])
        panel = {**samples.panel(samples.axis("X"), samples.axis("Y"), dots), "note": "numbers: Offered"}
        page = self.visit(self.show(samples.document(pictures=[samples.picture("dots", panel)])))
        place = "(() => { const b = document.querySelector('%s').getBoundingClientRect(); return [b.top, b.bottom]; })()"
        self.assertLessEqual(page.evaluate(place % ".corner")[1], page.evaluate(place % ".chart")[0])

    def test_rules_stand_across_bins(self):
        """A line down the panel for each number of a rule, with its text."""
        rule = samples.series("rule", "", 1, x=[2e6], text=["p50 2 ms"])
        bins = samples.series("bins", "", 0, x=[1e6, 2e6], x_high=[2e6, 4e6], low=[0, 0], high=[3, 5])
        axes = samples.axis("Latency", "ms", 1e6, 4e6, 1e-6), samples.axis("Share", "%", 0, 6)
        def drawn(*series):
            page = self.visit(self.show(samples.document(pictures=[samples.picture("bins", samples.panel(*axes, *series), kind="histogram")])))
            page.frames(3)
            return self.image(page, "bins")
        self.assertNotEqual(drawn(bins, rule), drawn(bins))
        self.assertNotEqual(drawn(bins, rule), drawn(bins, {**rule, "text": ["p99 2 ms"]}))

    def test_keys_zoom(self):
        page = self.visit(self.show(samples.document(pictures=[samples.lines(), samples.long_lines()])))
        for figure in ("latency-over-time", "long-lines"):
            before = self.image(page, figure)
            page.evaluate(f"document.querySelector('#figure-{figure} .chart').focus()")
            page.key("+", 187, "+")
            page.frames(3)
            self.assertNotEqual(self.image(page, figure), before)
            page.key("0", 48, "0")
            page.frames(3)
            self.assertEqual(self.image(page, figure), before)

    def tip(self, picture, x, y):
        """What is said of that share of the chart's width and height."""
        page = self.visit(self.show(samples.document(pictures=[picture])))
        box = page.evaluate("(() => { const b = document.querySelector('.chart').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
        page.mouse(box[0] + 2, box[1] + 2)
        page.mouse(box[0] + x * box[2], box[1] + y * box[3])
        page.frames(2)
        self.assertEqual(page.evaluate("getComputedStyle(document.getElementById('tip')).display"), "block")
        return " ".join(page.evaluate("document.getElementById('tip').innerText").split())

    def test_tooltips_name_value_and_unit(self):
        ranked = samples.ranked()
        ranked["panels"].pop()
        said = self.tip(ranked, 0.6, 0.12)
        self.assertIn("Total time 5 s", said)
        self.assertIn("void cutlass::Kernel2", said)
        self.assertIn("Duration 120 us to 130 us", self.tip(samples.histogram(), 0.44, 0.6))
        self.assertIn("Imbalance 1 x", self.tip(samples.cells(), 0.1, 0.76))
        self.assertRegex(self.tip(samples.field(), 0.5, 0.6), r"Events \d")
        self.assertRegex(self.tip(samples.boxes(), 0.145, 0.745), r"h100 Type fp8 .*median 10 us mean 10.3 us .*n 24")


class Findings(Found, Case):
    pass


class Plain(Case):
    """The page of a build without a bundle."""

    def show_plain(self, document):
        plain = self.scratch / "plain-page.html"
        subprocess.run([sys.executable, self.options.source / "report/bundle.py", plain, "--source", self.options.source / "report"],
                       check=True)
        return self.show(document, plain)

    def test_pictures_are_svg(self):
        page = self.show_plain(samples.full())
        self.assertIn("built without charts", page.evaluate("document.getElementById('still').textContent"))
        self.assertEqual(page.evaluate("document.querySelectorAll('canvas').length"), 0)
        self.assertEqual(page.evaluate(f"{TABLE}.dataset.rows"), "6000")
        sizes = page.evaluate("[...document.querySelectorAll('.still > svg')].map((s) => s.getBoundingClientRect().width)")
        self.assertEqual(len(sizes), len(samples.pictures()))
        self.assertGreater(min(sizes), 700)

    def test_legends_are_no_buttons(self):
        page = self.show_plain(samples.document(pictures=[samples.bars()]))
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.legend li')].map((l) => l.textContent)"), ["compute", "NCCL"])
        self.assertEqual(page.evaluate("document.querySelectorAll('.legend button').length"), 0)

    def test_marks_stand_where_the_list_says(self):
        page = self.show_plain(samples.document(pictures=[samples.bars()]))
        def boxes(selector):
            found = page.evaluate(f"[...document.querySelectorAll({json.dumps(f'.still {selector}')})].map((e) => e.getBBox()).map((b) => [b.x, b.y, b.width, b.height])")
            return [[round(v) for v in box] for box in found]
        self.assertEqual(boxes("path[fill='#0072b2']"), [[100, 100, 300, 200]])
        self.assertEqual([boxes(f"path[fill='{c}']") for c in ("#fee0d2", "#de2d26")], [[[500, 100, 100, 100]], [[600, 100, 100, 100]]])
        line = "document.querySelector('.still path[stroke=\"#d55e00\"]').getAttribute('d')"
        self.assertEqual(page.evaluate(line), "M100 50L200 60M300 70L400 50")
        self.assertEqual(boxes("path[fill='#009e73']"), [[800, 100, 100, 100]])
        self.assertEqual(boxes("clipPath rect"), [[800, 100, 100, 50]])
        self.assertEqual(page.evaluate("document.querySelector('.still path[stroke=\"#cc79a7\"]').getAttribute('d')"), "M150 320h0M250 320h0")
        self.assertEqual([boxes(f"path[fill='{c}']") for c in ("#440154", "#fde725")], [[[500, 220, 100, 50]], [[500, 220, 200, 100]]])
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.still stop')].map((s) => s.getAttribute('stop-color'))"), ["#440154", "#31688e", "#fde725"])
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.still text')].map((t) => t.textContent)"), [samples.HOSTILE[0], "turned"])
        middles = page.evaluate("[...document.querySelectorAll('.still text')].map((t) => t.getBBox()).map((b) => b.x + b.width / 2)")
        self.assertAlmostEqual(middles[0], 600, delta=2)

    def test_hostile_names_are_text(self):
        page = self.show_plain(samples.hostile())
        self.assertIsNone(page.evaluate("window.bad ?? null"))
        self.assertEqual(page.evaluate("document.querySelectorAll('img').length"), 0)
        self.assertEqual(page.evaluate("document.querySelectorAll('script').length"), 2)


class Runs(Case):
    """What the program itself writes."""

    def run_profile(self, profile, samples_of):
        out = self.scratch / f"out-{profile}"
        subprocess.run([self.options.program, "run", "-p", profile, self.options.source / "samples" / samples_of, "--format", "html,csv", "-o", out],
                       check=True, capture_output=True)
        return out

    def test_reports_of_the_samples(self):
        for profile, folder in (("kernels", "kineto"), ("serving", "serving"), ("aiu", "aiu")):
            with self.subTest(profile):
                out = self.run_profile(profile, folder)
                page = self.open(out / "report.html")
                still = page.evaluate("JSON.parse(document.getElementById('data').textContent).displays.map((d) => d.marks.length)")
                self.assertEqual(len(still), page.evaluate("document.querySelectorAll('figure').length"))
                self.assertGreater(min(still), 5)
                if self.has_charts():
                    colours = self.visit(page).evaluate(COLOURS)
                    self.assertGreater(min(colours, default=99), 10)
                self.assertEqual(page.evaluate("document.querySelectorAll('#tables > section').length"), len(list((out / "tables").iterdir())))

    def test_copied_tables_are_the_files_of_the_csv_sink(self):
        out = self.run_profile("kernels", "kineto")
        page = self.open(out / "report.html")
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })")
        for path in sorted((out / "tables").iterdir()):
            page.evaluate(f"(window.copied = null, document.getElementById('table-{path.stem}').querySelector('.copy').click())")
            page.wait("window.copied")
            self.assertEqual(page.evaluate("window.copied"), path.read_bytes().decode("utf-8"))

    def test_ten_megabytes(self):
        base = samples.table(n=1)
        rows = [[i % 8, f"kernel {i} " + "x" * 150, i * 977, 1.5, i, i * 4096, True] for i in range(50_000)]
        page = self.show(samples.document(tables=[{**copy.deepcopy(base), "rows": rows, "n_rows": len(rows)}]))
        self.assertEqual(page.evaluate(f"{TABLE}.dataset.rows"), "50000")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    if not program():
        print("skipped: there is no Chromium here (apt-get install chromium)")
        return SKIPPED
    if not options.page.exists():
        print("skipped: this build has no page of reports")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch, Chromium() as browser:
        Case.options, Case.browser, Case.scratch = options, browser, pathlib.Path(scratch)
        return not unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    sys.exit(main())
