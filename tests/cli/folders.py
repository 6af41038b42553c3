"""Folders in which something cannot be seen: named with status 3, or counted under --keep-going."""
import os

from harness import Case
from results import detailed, gate_log

LOG = gate_log([[1.0, 2.0], [3.0, 2.0]])


class Unseen(Case):
    def close(self, name, mode=0):
        os.chmod(self.folder / name, mode)
        self.addCleanup(os.chmod, self.folder / name, 0o755)

    def refused(self, says, *args):
        r = self.run_without_rights(*args)
        self.assertEqual(r.status, 3, f"{args}: {r.out[:500]} {r.err}")
        self.assertIn(says, r.err)
        self.assertEqual(r.out, "")

    def counted(self, says, profile, folder):
        r = self.run_without_rights("run", "-p", profile, folder, "-o", "out", "--keep-going")
        self.assertEqual(r.status, 0, r.err)
        self.assertRegex(r.out, r"kinds? of warning .*RUN-26")
        notices = (self.folder / "out/run.json").read_text().replace('\\"', '"')
        self.assertIn(f"1 name in the folders given could not be read (first: {says}", notices)

    def test_a_run_of_a_tree(self):
        self.write("tree/a/results_json/r.json", detailed())
        self.write("tree/b/results_json/r.json", detailed())
        self.assertEqual(self.run_without_rights("metric", "ttft.n", "tree").status, 0)
        says = '"tree/b" cannot be read: Permission denied'
        self.close("tree/b")
        self.refused(says, "metric", "ttft.n", "tree")
        self.counted(says, "serving", "tree")

    def test_a_part_of_a_run(self):
        self.write("run/results_json/r.json", detailed())
        self.write("run/x_gates_logs/gates_logs_0/gate_logs_0.json", LOG)
        self.close("run/x_gates_logs")
        says = '"run/x_gates_logs" cannot be read: Permission denied'
        self.refused(says, "metric", "ttft.n", "run")
        self.counted(says, "serving", "run")

    def test_names_that_can_be_listed_only(self):
        self.write("flat/rank0.json")
        self.close("flat", 0o644)
        self.refused('"flat/rank0.json" cannot be read: Permission denied', "info", "flat")

    def test_a_link_to_nothing(self):
        self.write("flat/rank0.json")
        os.symlink("gone.json", self.folder / "flat/rank1.json")
        os.symlink("gone.json", self.folder / "flat/.hidden")
        says = '"flat/rank1.json" cannot be read: No such file or directory'
        self.refused(says, "convert", "flat", "-o", "out.json")
        self.counted(says, "kernels", "flat")

    def test_a_loop_of_links(self):
        self.write("run/results_json/r.json", detailed())
        os.symlink("loop.json", self.folder / "run/results_json/loop.json")
        self.refused('"run/results_json/loop.json" cannot be read: ', "metric", "ttft.n", "run")

    def test_what_is_not_read_does_not_count(self):
        """A folder that is read flat may hold folders of others."""
        self.write("flat/rank0.json")
        (self.folder / "flat/secret").mkdir()
        self.close("flat/secret")
        self.assertEqual(self.run_without_rights("info", "flat").status, 0)

    def test_a_folder_named_like_gate_logs(self):
        self.write("t/gates_logs_0/gate_logs_0.json", LOG)
        self.write("alone/gate_logs_0.json", LOG)
        self.close("t/gates_logs_0")
        self.close("alone")
        self.refused('"t/gates_logs_0" cannot be read: Permission denied', "metric", "expert_balance", "t")
        self.refused("Permission denied", "metric", "expert_balance", "alone")
        self.refused("Permission denied", "metric", "expert_balance", "source=gate-log:t/gates_logs_0")
