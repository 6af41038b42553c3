"""Files of one rank as one lane, and the rank of a trace that says none."""
# SPDX-License-Identifier: MIT
import gzip
import json
import random
import resource

from harness import AIU, SOURCE, Case

MOE = SOURCE / "samples" / "moe"
SERVING = SOURCE / "samples" / "serving" / "tp4-seqs8"

SLICE = '{{"ph":"X","name":"{name}","pid":{pid},"tid":1,"ts":{ts},"dur":2,"attr":{{"TS1":"{ts}"}}}}'


def flex(*events, pid=3, head="["):
    """A FLEX trace of slices (name, ts)."""
    return head + ",".join(SLICE.format(name=name, ts=ts, pid=pid) for name, ts in events) + "]"


class FirstRank(Case):
    def lane(self, text, name="t.json", *options):
        self.write(name, text)
        lane = self.json("info", "--json", name, *options)["inputs"][0]
        return lane.get("rank"), lane.get("rank_from")

    def test_it_is_the_pid_of_the_first_event(self):
        self.assertEqual(self.lane(flex(("a", 1), ("b", 2), pid=5)), (5, "first event"))
        self.assertEqual(self.lane('{"traceEvents":' + flex(("a", 1), pid=0) + "}"), (0, "first event"))
        counter = '[{"ph":"C","name":"c","pid":9,"ts":0,"args":{"v":1}},'
        self.assertEqual(self.lane(flex(("a", 1), head=counter)), (3, "first event"))

    def test_everything_else_wins(self):
        self.assertEqual(self.lane(flex(("a", 1)), "rank7.json"), (7, "file name"))
        self.assertEqual(self.lane(flex(("a", 1)), "x-8.json", "--rank-regex", r"x-(\d+)"), (8, "--rank-regex"))
        info = '{"distributedInfo":{"rank":4},"traceEvents":' + flex(("a", 1)) + "}"
        self.assertEqual(self.lane(info), (4, "metadata"))

    def test_it_is_none_where_the_pid_is_no_rank(self):
        self.assertEqual(self.lane(flex(("a", 1), pid='"main"')), (None, None))
        self.assertEqual(self.lane(flex(("a", 1), pid=-2)), (None, None))
        self.assertEqual(self.lane(flex(("a", 1)).replace('"attr"', '"other"').replace("TS1", "T")), (None, None))


class Joining(Case):
    def events(self, name):
        return [(e["name"], e["ts"], e["args"].get("jobname")) for e in json.loads((self.folder / name).read_text())["traceEvents"]]

    def convert(self, *args):
        self.ok("convert", *args, "-f", "-o", "out.json")
        return self.events("out.json")

    def test_events_come_by_time_and_say_their_job(self):
        self.write("j0.json", flex(("a", 10), ("b", 30)))
        self.write("jobs/j1.json", flex(("c", 20), ("d", 30), ("e", 40)))
        wanted = [("a", 10, "j0.json(0)"), ("c", 20, "j1.json(1)"), ("b", 30, "j0.json(0)"), ("d", 30, "j1.json(1)"),
                  ("e", 40, "j1.json(1)")]
        self.assertEqual(self.convert("--join-ranks", "j0.json", "jobs/j1.json"), wanted)
        swapped = [e[0] for e in self.convert("--join-ranks", "jobs/j1.json", "j0.json")]
        self.assertEqual(swapped, ["a", "c", "d", "b", "e"])
        self.assertEqual([e[2] for e in self.convert("j0.json")], [None, None])

    def test_a_file_is_not_joined_with_itself(self):
        self.write("a.json", flex(("a", 10)))
        self.write("copy/a.json", flex(("a", 10)))
        (self.folder / "link.json").symlink_to("a.json")
        for again in ("a.json", "link.json", "./copy/../a.json"):
            self.fails(3, "convert", "--join-ranks", "a.json", again, "-f", "-o", "out.json", says=["RUN-34", "is named twice"])
        self.fails(3, "run", "-p", "aiu", "a.json", "a.json", "-o", "none", says="RUN-34")
        self.assertFalse((self.folder / "none").exists())
        self.ok("convert", "--join-ranks", "a.json", "copy/a.json", "-f", "-o", "out.json")
        self.ok("convert", "--join-ranks", "x=a.json", "y=a.json", "-f", "-o", "both.json")

    def test_a_link_is_the_same_file_whatever_tags_its_name_gives(self):
        """Kernel tables have their name as a tag, run folders theirs."""
        self.write("t.csv", "Total Time,Instances,Name\n3 us,2,k\n")
        (self.folder / "link.csv").symlink_to("t.csv")
        (self.folder / "run").symlink_to(SERVING)
        for words in (("eplb", "off=t.csv", "off=link.csv", "on=t.csv"), ("serving", SERVING, "run"), ("moe-load", MOE, MOE)):
            self.fails(3, "run", "-p", *words, "-o", "none", says=["RUN-34", "is named twice"])
        self.ok("run", "-p", "moe-load", f"a={MOE}", f"b={MOE}", "-o", "two")

    def test_a_copy_is_a_warning(self):
        self.write("a.json", flex(("a", 10)))
        self.write("copy/b.json", flex(("a", 10)))
        self.write("other.json", flex(("b", 10)))
        self.write("rank7.json", flex(("a", 10)))
        said = self.ok("run", "-p", "aiu", "a.json", "other.json", "copy/b.json", "rank7.json", "-o", "out", "-f").out
        self.assertIn("warning[RUN-37]: 1 input is a copy of another one (first: copy/b.json of a.json)", " ".join(said.split()))
        for words in (("a.json", "other.json", "rank7.json"), ("x=a.json", "y=copy/b.json"), ("n=1:a.json", "n=2:copy/b.json")):
            self.assertNotIn("RUN-37", self.ok("run", "-p", "aiu", *words, "-o", "out", "-f").out, words)

    def test_large_files_are_compared_to_the_last_byte(self):
        """Both ends are equal, and so is the size."""
        gap = " " * 800000
        for name, ts in (("a", 10), ("b", 20), ("c", 10)):
            self.write(f"{name}.json", flex(("first", 1), ("k", ts), ("last", 30)).replace("},", "}," + gap))
        said = self.ok("run", "-p", "convert", "a.json", "b.json", "c.json", "-o", "out").out
        self.assertIn("1 input is a copy of another one (first: c.json of a.json)", " ".join(said.split()))

    def test_a_rank_may_have_more_files_than_a_shell_may_open(self):
        for i in range(90):
            self.write(f"many/j{i}.json", flex((f"e{i}", i)))
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
        try:
            names = [e[0] for e in self.convert("--join-ranks", "many")]
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        self.assertEqual(names, [f"e{i}" for i in range(90)])

    def test_a_profile_asks_for_it(self):
        self.write("mine.json", '{"profile":1,"name":"mine","inherits":"aiu","join-ranks":true}')
        self.write("child.json", '{"profile":1,"name":"child","inherits":"./mine.json"}')
        self.write("not.json", '{"profile":1,"name":"not","inherits":"./mine.json","join-ranks":false}')
        for name in ("j0.json", "j1.json"):
            self.write(name, flex(("a", 10)))
        for profile, lanes in (("mine", [[0], [0]]), ("child", [[0], [0]]), ("not", [[0], [1]]), ("aiu", [[0], [0]])):
            path = profile if profile == "aiu" else f"./{profile}.json"
            out = self.ok("run", "-p", path, "j0.json", "j1.json", "-f", "-o", "out").out
            doc = json.loads((self.folder / "out" / "run.json").read_text())
            self.assertEqual([i["lanes"] for i in doc["inputs"]], lanes)
            self.assertEqual([i["events"] for i in doc["inputs"]], [1, 1])
            self.assertEqual("RUN-20" in out, lanes == [[0], [1]])
            self.assertEqual(doc["profile"].get("join_ranks", False), lanes == [[0], [0]])
        self.assertIn("files of one rank are joined by time", self.ok("plan", "-p", "./mine.json").out)
        self.assertIn("one lane, by time", self.ok("show", "./mine.json").out)
        self.write("odd.json", '{"profile":1,"stages":[],"join-ranks":"yes"}')
        self.fails(4, "validate", "./odd.json", says='"join-ranks" must be true or false')

    def test_it_is_the_same_for_any_number_of_threads_and_any_batch(self):
        rng = random.Random(5)
        files, all_events = [], []
        for n in range(6):
            ts = sorted(rng.randrange(400) for _ in range(300))
            events = [(f"k{n}", t) for t in ts]
            name = f"job{n}.json" + (".gz" if n % 2 else "")
            text = flex(*events).encode()
            self.write(name, gzip.compress(text) if n % 2 else text)
            files.append(name)
            all_events += [(f"k{n}", t, f"{name}({n})") for t in ts]
        wanted = sorted(all_events, key=lambda e: e[1])  # stable: of equal times in the order given
        for options in ([], ["-j1", "--batch-size=1"], ["-j3", "--batch-size=7"], ["--max-memory=16MiB"], ["--verify"]):
            self.assertEqual(self.convert("--join-ranks", *files, *options), wanted)
        self.assertEqual(self.convert("--join-ranks", "--sort", *files), wanted)

    def test_jobs_of_one_rank_share_an_epoch(self):
        ranks = [json.loads((AIU / f"rank{n}.json").read_text()) for n in (0, 1)]
        for n, doc in enumerate(ranks):
            events, half = doc["traceEvents"], len(doc["traceEvents"]) // 2
            for job, part in enumerate((events[:half], events[half:])):
                self.write(f"rank{n}-job{job}.json", json.dumps({**doc, "traceEvents": part}))
            self.write(f"whole/rank{n}.json", json.dumps(doc))
        jobs = [f"rank{n}-job{job}.json" for n in (0, 1) for job in (0, 1)]
        self.ok("run", "-p", "aiu", "--join-ranks", *jobs, "-o", "joined")
        self.ok("run", "-p", "aiu", "whole/rank0.json", "whole/rank1.json", "-o", "whole-out")
        for table in ("rank-sync", "ovc", "kernel-time"):
            tables = [(self.folder / out / "tables" / f"{table}.csv").read_text() for out in ("joined", "whole-out")]
            self.assertEqual(*tables)
