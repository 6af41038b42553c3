"""What rules found, at the top of a page, and the links from there to rows of tables."""
# SPDX-License-Identifier: MIT
import json
import unittest

import samples

LINKS = "[...document.querySelectorAll('.evidence a')]"
MARKED = "[...document.querySelectorAll('tr[aria-current]')]"
# The marked rows lie within the window, and within what their table shows.
SEEN = f"""{MARKED}.length > 0 && {MARKED}.slice(0, 1).every((row) => {{
  const at = row.getBoundingClientRect(), frame = row.closest('.scroll').getBoundingClientRect();
  return at.top > Math.max(0, frame.top) - 1 && at.bottom < Math.min(innerHeight, frame.bottom) + 1;
}})"""
HOME = "document.getElementById('findings')"


def axe_of(options):
    """Fetched with what draws the charts; None: the page was made without."""
    path = options.page.parent / "node_modules/axe-core/axe.min.js"
    return path.read_text(encoding="utf-8") if path.exists() else None


def violations(page, axe):
    """Nothing is loaded for it: a page from the disk may not read its own style sheet as data."""
    page.evaluate(f"(() => {{ {axe}; return true; }})()")
    found = page.evaluate("axe.run({ preload: false, resultTypes: ['violations'] }).then((r) => JSON.stringify(r.violations))")
    return [(v["id"], [node["html"][:200] for node in v["nodes"]]) for v in json.loads(found)]


class Found:
    """Tests of the section Findings, for a Case."""

    def follow(self, page, index=0):
        """The cells of the rows that a link leads to."""
        page.evaluate(f"{LINKS}[{index}].click()")
        page.wait(SEEN)
        return page.evaluate(f"{MARKED}.map((row) => [...row.cells].map((cell) => cell.title || cell.textContent))")

    def text(self, page):
        return page.evaluate(f"{HOME}.innerText")

    def test_they_come_first(self):
        page = self.show(samples.found())
        self.assertEqual(page.evaluate("document.querySelector('main > section').id"), "findings")
        self.assertEqual(page.evaluate("document.querySelector('.verdict').textContent"), "a step takes 10.258 ms (12 steps), devices busy 99.8 %, 4 ranks")
        text = self.text(page)
        for part in ("Critical 35 %, 1.235 s straggler", "rank 2 holds up the others", "Advice: look at rank 2", "what they cost overlaps", "Note 5.2 % hot-kernel"):
            self.assertIn(part, text)
        badges = page.evaluate("[...document.querySelectorAll('.finding .badge')].map((badge) => badge.textContent)")
        self.assertEqual(badges, ["critical", "warning", "note"])

    def test_a_link_leads_to_its_row(self):
        page = self.show(samples.found())
        table = samples.table()
        self.assertEqual(page.evaluate(f"{LINKS}[0].textContent"), "kernel-time: rank 1, name all_reduce 4321")
        rows = self.follow(page)
        self.assertEqual([row[:2] for row in rows], [["1", table["rows"][4321][1]]])

    def test_every_link_leads_to_a_row_that_exists(self):
        page = self.show(samples.found(), height=600)
        for index, row in enumerate(samples.EVIDENCE_ROWS):
            with self.subTest(index):
                rows = self.follow(page, index)
                self.assertEqual(len(rows), 1)
                self.assertEqual(rows[0][:2], [str(value) for value in samples.table()["rows"][row][:2]])
        self.assertEqual(len(samples.EVIDENCE_ROWS), page.evaluate(f"{LINKS}.length") - 1)
        self.assertIn("row left out of this page", self.text(page))  # the last one, which leads to its table

    def test_a_row_that_is_filtered_or_sorted_away_is_reached(self):
        page = self.show(samples.found())
        page.evaluate("(() => { const i = document.querySelector('#table-kernel-time input'); i.value = 'gemm'; i.dispatchEvent(new Event('input')); })()")
        page.evaluate("document.querySelector('#table-kernel-time th:nth-child(5) button').click()")
        self.follow(page)
        self.assertEqual(page.evaluate("document.querySelector('#table-kernel-time input').value"), "")
        self.assertEqual(page.evaluate("document.getElementById('table-kernel-time').dataset.rows"), "6000")
        page.evaluate("scrollTo(0, 0)")
        self.follow(page)  # the same link once more: the address stays as it is

    def test_many_rows_are_marked_and_an_address_leads_to_them(self):
        path = self.write(samples.found())
        page = self.open(path)
        page.evaluate("location.hash = 'table-stragglers:1,2'")
        page.wait(SEEN)
        self.assertEqual(page.evaluate(f"{MARKED}.length"), 2)
        page.evaluate("history.back()")
        for odd in ("table-stragglers:7", "table-none:1", "table-stragglers:", "table-stragglers:0", "%3Cb%3E:1"):
            page.evaluate(f"location.hash = {json.dumps(odd)}")
        page.frames()

    def test_rules_that_found_nothing(self):
        page = self.show(samples.document(provenance={**samples.provenance(), "rules": ["straggler", "sync"]}))
        self.assertEqual(self.text(page).split("\n")[-1], "no findings of 2 rules")

    def test_why_there_are_none(self):
        page = self.show(samples.document(no_findings="no findings: no cause that the rules know costs 5 % or more"))
        self.assertEqual(self.text(page).split("\n")[-1], "no findings: no cause that the rules know costs 5 % or more")

    def test_no_rules(self):
        page = self.show(samples.document())
        self.assertEqual(page.evaluate(f"{HOME}.checkVisibility()"), False)
        self.assertEqual(page.evaluate("document.querySelectorAll('nav a[href=\"#findings\"]').length"), 0)

    def test_what_became_of_findings(self):
        page = self.show(samples.document(tables=[samples.changes_table()]))
        text = self.text(page)
        for part in ("Came 23 % straggler, rank 1", "Went was 12 % sync", "Grew 5.5 % to 31 % copy"):
            self.assertIn(part, text)
        self.assertEqual(self.follow(page, 2)[0][0], "copy")

    def test_axe_finds_no_fault(self):
        axe = axe_of(self.options)
        if not axe:
            raise unittest.SkipTest("no axe-core beside the page: ./dev build fetches it")
        for data, look in ((samples.found(), {}), (samples.found(), {"dark": True, "width": 400}), (samples.document(tables=[samples.changes_table()]), {"dark": True})):
            with self.subTest(look):
                page = self.show(data, **look)
                self.follow(page)
                self.assertEqual(violations(page, axe), [])
