"""Figures that a profile adds, changes or switches off.  core/plan/profile-figures.c, profile-value.c"""
# SPDX-License-Identifier: MIT
import json

from harness import KINETO, Case

NEW = {"use": "kernel-time", "name": "by-calls", "title": "Calls", "table": "kernel-time", "kind": "bar", "x": "name", "y": "calls"}
OFF = {"use": "kernel-time", "name": "kernel-time", "enabled": False}


class Figures(Case):
    def profile(self, *figures, name="p.json", parent="kernels"):
        rows = ",\n".join(json.dumps(f) for f in figures)
        self.write(name, '{ "profile": 1, "inherits": "%s", "figures": [\n%s ] }' % (parent, rows))
        return "./" + name

    def figures(self, profile, folder="out"):
        self.ok("run", "-p", profile, KINETO, "-o", folder, "-f", "--format", "json")
        return json.loads((self.folder / folder / "summary.json").read_text())["figures"]

    def test_added_changed_off(self):
        usual = self.figures("kernels")
        self.assertEqual([f["name"] for f in usual], ["kernel-time"])
        added = self.figures(self.profile(NEW))
        self.assertEqual(added[0], usual[0])
        self.assertEqual({k: added[1][k] for k in ("name", "title", "table", "kind", "x", "y", "drawn")},
                         {**{k: NEW[k] for k in ("name", "title", "table", "kind", "x", "y")}, "drawn": True})
        self.assertEqual([f["name"] for f in self.figures(self.profile(NEW, OFF))], ["by-calls"])
        changed = self.figures(self.profile({"use": "kernel-time", "name": "kernel-time", "top": 3, "flags": ["step", "down"]}))
        self.assertEqual(changed, [{**usual[0], "top": 3, "flags": ["step", "down"]}])

    def test_inherited(self):
        """A key wins over that of the profile below; a figure that was off is on again."""
        self.profile(NEW, OFF, name="below.json")
        above = self.profile({"use": "kernel-time", "name": "by-calls", "title": "Other", "y": "total"},
                             {"use": "kernel-time", "name": "kernel-time", "enabled": True}, parent="./below.json", name="above.json")
        self.assertEqual([(f["name"], f["title"], f.get("y")) for f in self.figures(above)][1], ("by-calls", "Other", "total"))

    def test_bars_do_not_add_what_has_its_own_row(self):
        """Rows that differ in a key which no part of the figure shows would be one bar, of their sum: 11.0 for 1.85 and 9.9."""
        roles = ("x", "y", "series", "facet", "group", "pages")
        for stage in json.loads(self.ok("list", "stages", "--json").out):
            tables = {t["name"]: t for t in stage.get("tables", [])}
            for figure in stage.get("figures", []):
                if figure["kind"] not in ("bar", "stacked-bar", "ranked") or figure.get("reduce"):
                    continue
                keys = {c["name"] for c in tables[figure["table"]]["columns"] if c.get("key")}
                shown = {name for role in roles for name in (figure.get(role) or "").split(",")}
                self.assertEqual(keys - shown, set(), figure["name"])

    def test_report_and_plan(self):
        """They are part of what a run is made of."""
        hashes = set()
        for i, profile in enumerate(("kernels", self.profile(NEW, OFF))):
            self.figures(profile, f"out{i}")
            hashes.add(json.loads((self.folder / f"out{i}" / "run.json").read_text())["plan_hash"])
        self.assertEqual(len(hashes), 2)
        shown = self.json("show", "./p.json", "--json")["figures"]
        self.assertEqual(shown, [{**NEW, "enabled": True}, OFF])
        self.assertEqual(self.json("plan", "-p", "./p.json", KINETO, "--json")["figures"], shown)
        text = self.ok("plan", "-p", "./p.json", KINETO).out
        self.assertIn("\nfigures\n  by-calls of kernel-time   (./p.json:2:", text)
        self.assertIn("  kernel-time of kernel-time, off   (./p.json:3:", text)
        self.assertIn("kind = bar", self.ok("show", "./p.json").out)
        schema = self.json("schema", "profile")["$defs"]["figure"]["properties"]
        self.assertIn("use", schema)
        self.assertIn("stacked-bar", schema["kind"]["enum"])
        self.assertNotIn("figure", schema["kind"]["enum"])

    def test_mistakes(self):
        """Each at its line, with the nearest word, all at once."""
        wrong = [({"use": "kernel-tim"}, "PRF-18", "kernel-time"), ({"table": "kernel-tme"}, "PRF-18", "kernel-time"),
                 ({"kind": "bars"}, "PRF-18", "bar"), ({"x": "nam"}, "PRF-18", "name"), ({"palette": "worst"}, "PRF-18", "worse"),
                 ({"flags": ["steps"]}, "PRF-18", "step"), ({"over": "kernel-tme"}, "PRF-18", "kernel-time"),
                 ({"where": "nam=1"}, "PRF-18", "name"), ({"y_better": "highest"}, "PRF-18", "higher")]
        for change, code, near in wrong:
            r = self.fails(4, "validate", self.profile({**NEW, **change}), says=[f"error[{code}]", "at ./p.json:2:"])
            self.assertIn(f'did you mean "{near}"?', r.err, change)
        for change, says in (({"top": -1}, "a whole number"), ({"name": "A b"}, "cannot be named"), ({"kind": ""}, "no kind")):
            self.fails(4, "validate", self.profile({**NEW, **change}), says=["error[PRF-18]", says, "at ./p.json:2:"])
        self.fails(4, "validate", self.profile({**OFF, "name": "kernel-tme"}), says=["PRF-18", 'did you mean "kernel-time"?', "p.json:2:"])
        self.fails(4, "validate", self.profile({**NEW, "facets": "name"}), says=["PRF-04", 'did you mean "facet"?', "p.json:2:"])
        self.fails(4, "validate", self.profile({"use": "kernel-time"}), says=["PRF-05", "p.json:2:"])
        self.fails(4, "validate", self.profile({**OFF, "enabled": 1}), says=["PRF-05", "true or false"])
        several = [{**NEW, "name": f"f{i}", **change} for i, (change, _, _) in enumerate(wrong)]
        r = self.fails(4, "run", "-p", self.profile(*several), KINETO, "-o", "out")
        self.assertEqual(r.err.count("error[PRF-18]"), len(wrong))
        self.assertFalse((self.folder / "out").exists())

    def test_disabled_stage(self):
        self.ok("validate", self.profile({"use": "filter", "name": "anything", "table": "t", "kind": "bar"}))
