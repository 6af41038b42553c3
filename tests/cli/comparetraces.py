"""compare with traces as its sides."""
# SPDX-License-Identifier: MIT
import json

from harness import AIU, SOURCE, Case

BEFORE, AFTER = SOURCE / "samples/slower/before", SOURCE / "samples/slower/after"
VERDICT = "step 7.67 -> 9.10 ms (+19 %): +0.72 ms elementwise (new: aten::add)"


class CompareTraces(Case):
    def test_the_first_line_says_why(self):
        shown = self.ok("compare", BEFORE, AFTER).out
        self.assertTrue(" ".join(shown.splitlines()[:2]).startswith(VERDICT), shown)
        self.assertEqual(list(self.folder.iterdir()), [])
        other = self.ok("compare", f"new={AFTER / 'rank0.json'}", f"base={BEFORE / 'rank0.json'}").out
        self.assertEqual(other.split("\n\n")[0], shown.split("\n\n")[0])

    def test_levels_add_up(self):
        tables = {t["name"]: t["rows"] for t in self.json("compare", BEFORE, AFTER, "--json")["tables"]}
        sums = {}
        for row in tables["why"]:
            sums[row["level"]] = sums.get(row["level"], 0) + row["change"]
        self.assertEqual(set(sums), {"step", "part", "class", "op", "kernel"})
        self.assertEqual(len(set(sums.values())), 1, sums)

    def test_files_are_written_with_an_output(self):
        self.ok("compare", BEFORE, AFTER, "-o", "out")
        summary = json.loads((self.folder / "out/summary.json").read_text())
        self.assertTrue(summary["verdict"].startswith(VERDICT))
        self.assertTrue((self.folder / "out/report.html").exists())

    def test_a_small_change_is_none(self):
        self.assertIn("ms: no change", self.ok("compare", BEFORE, AFTER, "--min-change", "20%").out)
        self.assertIn("ms: no change", self.ok("compare", BEFORE, BEFORE).out)

    def test_repeats_of_a_side(self):
        words = [f"base={BEFORE}"] * 1 + [f"base={self.copy(BEFORE, i)}" for i in range(3)]
        words += [f"new={AFTER}"] + [f"new={self.copy(AFTER, i + 5)}" for i in range(3)]
        done = self.json("compare", *words, "--json")
        tables = {t["name"]: t["rows"] for t in done["tables"]}
        summary = tables["why-summary"][0]
        self.assertEqual((summary["base_runs"], summary["new_runs"]), (4, 4))
        bounded = {row["level"] for row in tables["why"] if row["change_low"] is not None}
        self.assertEqual(bounded, {"part", "class"})
        self.assertNotIn("RUN-20", [notice["code"] for notice in done["notices"]])

    def copy(self, folder, number):
        name = f"copy{number}/rank0.json"
        (self.folder / f"copy{number}").mkdir()
        self.write(name, (folder / "rank0.json").read_text().replace('"schemaVersion": 1', f'"schemaVersion": 1, "n": {number}'))
        return f"copy{number}"

    def test_what_does_not_fit(self):
        self.fails(2, "compare", BEFORE, AFTER, AFTER, says="base=A1 base=A2 new=B1 new=B2")
        self.fails(2, "compare", BEFORE, AFTER, "--fail-on", "changed", says="is for finished runs")
        self.fails(3, "compare", f"base={BEFORE}", f"base={AFTER}", says="no trace is labelled new")
        self.fails(3, "compare", AIU, AIU, says="RUN-41")
        self.write("text.txt", "no trace")
        self.fails(3, "compare", "text.txt", "text.txt", says="RUN-41")
