"""Workload cards: which one counts, what it must say, and how a broken one is reported."""
# SPDX-License-Identifier: MIT
import os

from results import CARD, MetricCase, gate_log, result

PLAIN = ("TTFT", "TPOT")
BROKEN = "error[CARD-02]: the workload card of the run cannot be read"


class WhichCard(MetricCase):
    def test_none(self):
        self.write_run(result(), card=None)
        for name in PLAIN:
            self.refused(3, name, "run", says=["does not apply", "no workload card (*.yaml) was found with 0.json"])
        for name in ("ttft", "tpot", "request_throughput", "output_throughput"):
            self.value(name, "run")

    def test_a_file_in_place_of_the_folder(self):
        self.write_run(result())
        for name in PLAIN:
            self.refused(3, name, "run/results_json/0.json", says="no workload card (*.yaml) was found")
            self.refused(3, name, "run/card.yaml", says=["a workload card describes a run and holds no results", "run/card.yaml",
                                                         "help: give the folder of the card"])
        self.assertEqual(self.value("ttft", "run/results_json/0.json"), "10.5")

    def test_the_first_by_name_of_several(self):
        self.write_run(result(), card=None)
        self.write("run/b.yaml", CARD)
        self.write("run/a.yaml", CARD.replace("inference", "training"))
        self.refused(3, "TTFT", "run", says='run/a.yaml says "training"')
        os.rename(self.folder / "run/a.yaml", self.folder / "run/c.yaml")
        self.assertEqual(self.value("TTFT", "run"), "10.5")
        self.write("run/B.yaml", CARD.replace("inference", "of B"))
        self.refused(3, "TTFT", "run", says='run/B.yaml says "of B"')

    def test_endings(self):
        self.write_run(result(), card=None)
        for name in ("card.YAML", "card.yaml.bak", "deeper/card.yaml", "results_json/card.yaml"):
            self.write(f"run/{name}", CARD)
        self.refused(3, "TTFT", "run", says="no workload card")
        self.write("run/card.yml", CARD)
        self.assertEqual(self.value("TTFT", "run"), "10.5")
        self.write("run/z.yaml", CARD.replace("inference", "training"))
        self.refused(3, "TTFT", "run", says='run/z.yaml says "training"')

    def test_a_folder_in_place_of_the_card(self):
        self.write_run(result(), card=None)
        self.write("run/card.yaml/inner", "x")
        self.refused(3, "TTFT", "run", says="no workload card")

    def test_a_card_that_cannot_be_opened(self):
        self.write_run(result(), card=None)
        os.symlink("nowhere", self.folder / "run/card.yaml")
        for name in PLAIN:
            self.refused(3, name, "run", says="run/")


class Phase(MetricCase):
    def test_exactly_inference(self):
        for text in ("inference", "'inference'", '"inference"', "inference   # a comment", "!!str inference", "&x inference"):
            self.write_run(result(), card=CARD.replace("inference", text))
            with self.subTest(text):
                self.assertEqual(self.value("TTFT", "run"), "10.5")

    def test_every_other_phase(self):
        rows = (("Inference", 'says "Inference"'), ("INFERENCE", 'says "INFERENCE"'), ("serving", 'says "serving"'),
                ("training", 'says "training"'), ("inference2", 'says "inference2"'), ("' inference'", 'says " inference"'),
                ("yes", 'says "yes"'), ("1", 'says "1"'), ("null", "names no phase"), ("~", "names no phase"), ("", "names no phase"),
                ("''", "names no phase"), ("[inference]", "names no phase"), ("{a: inference}", "names no phase"))
        for text, says in rows:
            self.write_run(result(), card=CARD.replace("inference", text))
            for name in PLAIN:
                with self.subTest(f"{name} {text}"):
                    self.refused(3, name, "run", says=[f"why:  {name} metric requires the phase inference; run/card.yaml {says}"])

    def test_no_phase_at_all(self):
        for card in ("workload: {}\n", "workload:\n  model:\n", "workload:\n  model: llm\n", "workload:\n  model: [a]\n",
                     "workload:\n  model:\n    moe: true\n", "phase: inference\nworkload:\n  phase: inference\n"):
            self.write_run(result(), card=card)
            with self.subTest(card):
                self.refused(3, "TTFT", "run", says="requires the phase inference; run/card.yaml names no phase")
                self.assertEqual(self.ok("metric", "ttft", "run").out, "10.5\n")

    def test_our_own_metrics_take_serving_too(self):
        for text in ("inference", "Inference", "serving", "SERVING", "null"):
            self.write_run(result(), card=CARD.replace("inference", text))
            self.assertEqual(self.value("ttft", "run"), "10.5")
        for text in ("training", "yes", "inference2"):
            self.write_run(result(), card=CARD.replace("inference", text))
            self.refused(3, "ttft", "run", says=["measured in the phases inference and serving", f'is of the phase "{text}"'])
            self.assertEqual(self.value("request_throughput", "run"), "0.4")


class NoResults(MetricCase):
    def test_results_json_missing(self):
        self.write("run/card.yaml", CARD)
        (self.folder / "bare").mkdir()
        for name in PLAIN + ("ttft", "request_throughput"):
            self.refused(3, name, "run", says=["a folder of runs holds nothing to read", "\n  run\n", "results_json/*.json", "help: "])
            self.refused(3, name, "bare", says=["no files in the folder", '"bare"', "help: "])

    def test_results_json_empty_or_a_file(self):
        self.write_run(folder="empty")
        (self.folder / "empty/results_json").mkdir()
        self.write_run(folder="file")
        self.write("file/results_json", result())
        self.write_run(folder="others")
        self.write("others/results_json/readme.txt", "x")
        self.write("others/results_json/0.pytorch.json", "[]")
        for folder in ("empty", "file", "others"):
            self.refused(3, "TTFT", folder, says=["a folder of runs holds nothing to read", f"\n  {folder}\n"])

    def test_a_broken_card_is_reported_first(self):
        self.write("run/card.yaml", "workload: [\n")
        self.refused(3, "TTFT", "run", says=[BROKEN, "run/card.yaml:"])


class Yaml(MetricCase):
    """A place without its column ends in a colon; CARD has four lines."""

    def check(self, rows):
        for what, text, place, why in rows:
            self.write_run(result(), card=text)
            for name in ("TTFT", "ttft", "request_throughput"):
                with self.subTest(f"{name}: {what}"):
                    where = f"\n  run/card.yaml{place}" + "\n" * (not place.endswith(":"))
                    self.refused(3, name, "run", says=[BROKEN, where, why, "help: correct the card"])

    def test_syntax(self):
        self.check((
            ("a tab", "workload:\n\tmodel:\n    phase: inference\n", ":2:1", "a tab is among the blanks"),
            ("a tab in a list", "workload: {}\nx:\n  - a\n \t- b\n", ":4:", "tab"),
            ("a colon in a text", "description: a: b\n" + CARD, ":1:15", "text that holds it needs quotes"),
            ("a line without a colon", CARD + "i\n", ":6:1", "has no colon"),
            ("an open quote", CARD + 'x: "abc\n', ":6:1", "a quote is opened and never closed"),
            ("an open list", CARD + "x: [a, b\n", ":6:1", ""),
            ("no such alias", "workload:\n  model: *nope\n", ":2:10", "the alias *nope stands for nothing"),
            ("several documents", CARD + "---\n" + CARD, ":5:1", "a second document begins"),
            ("a key twice", CARD.replace("    moe", "    phase: training\n    moe"), ":4:5", 'the key "phase" is duplicated, first at 3:5'),
            ("a key twice at the top", CARD + "workload: {}\n", ":5:1", 'the key "workload" is duplicated, first at 1:1'),
            ("a key twice in a flow", CARD + "x: {a: 1, b: 2, a: 3}\n", ":5:17", 'the key "a" is duplicated, first at 5:5'),
        ))

    def test_encodings(self):
        self.check((
            ("Latin-1", CARD.encode() + "x: café\n".encode("latin-1"), ":5:7", "the text is not UTF-8 or UTF-16"),
            ("a control character", CARD.encode() + b"x: \x01\n", ":5:4", "control characters are not allowed"),
            ("a zero byte", CARD.encode() + b"x: \0\n", ":5:4", ""),
            ("a program", bytes(range(128, 256)) * 2, ":1:1", "the text is not UTF-8 or UTF-16"),
        ))
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"):
            mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
            self.write_run(result(), card=(mark + CARD + "x: caf\u00e9\n").encode(encoding))
            self.assertEqual(self.value("TTFT", "run"), "10.5")

    def test_wrong_shapes(self):
        self.check((
            ("empty", "", ":1:1", "the document is empty"),
            ("comments only", "# nothing\n\n", ":1:1", "the document is empty"),
            ("false", "false\n", ":1:1", "a card should be a map"),
            ("a list", "- a\n- b\n", ":1:1", "a card should be a map, and is a list"),
            ("a text", "hello\n", ":1:1", "a card should be a map, and is a text"),
            ("no workload", "version: 1\nmodel: x\n", ":1:1", "no key workload"),
            ("null", "workload:\n", ":1:10", "the key workload should be a map, and is nothing"),
            ("a number", "a: 1\nworkload: 7\n", ":2:11", "the key workload should be a map, and is a whole number"),
            ("a list of maps", "workload:\n  - model: x\n", ":2:3", "the key workload should be a map, and is a list"),
        ))

    def test_bounds(self):
        bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n"
        for i in range(1, 9):
            bomb += f"{'abcdefghi'[i]}: &{'abcdefghi'[i]} [{','.join(['*' + 'abcdefghi'[i - 1]] * 9)}]\n"
        self.check((
            ("an alias bomb", bomb + CARD, ":5:8", "more than 10000 values, counting each alias as what it stands for"),
            ("too deep", CARD + "x: " + "[" * 70 + "]" * 70 + "\n", ":5:67", "more than 64 levels deep"),
            ("too many values", CARD + "x: [" + "1," * 10001 + "]\n", ":5:", "more than 10000 values"),
            ("too large", CARD + "#" * (1 << 20) + "\n", "", "it is too large"),
            ("1e308", CARD + "  data:\n    max-num-seqs: 1e308\n", ":6:19", "max-num-seqs is 1e308, which is not a count"),
            ("1e999", CARD + "  hardware:\n    xpu_spec: {total_count: 1e999}\n", ":6:29", "total_count is 1e999"),
        ))
        self.write_run(result(), card=CARD + "x: " + "[" * 60 + "]" * 60 + "\ny: [" + "1," * 9000 + "]\n")
        self.assertEqual(self.value("TTFT", "run"), "10.5")

    def test_all_of_yaml(self):
        for what, card in (("carriage returns", CARD.replace("\n", "\r\n")), ("JSON", '{"workload": {"model": {"phase": "inference"}}}'),
                           ("comments", "# a\n" + CARD.replace("\n", " # b\n")),
                           ("a document's marks", "%YAML 1.1\n---\n" + CARD + "...\n"),
                           ("a merged map", "base: &b {phase: inference}\nworkload:\n  model:\n    <<: *b\n    moe: yes\n"),
                           ("an alias", "p: &p inference\nworkload: {model: {phase: *p}}\n"), ("1e308 elsewhere", CARD + "x: 1e308\n"),
                           ("no end of line", CARD[:-1]), ("folded", CARD.replace("inference", ">-\n      inference"))):
            self.write_run(result(), card=card)
            with self.subTest(what):
                self.assertEqual(self.value("TTFT", "run"), "10.5")

    def test_values_of_a_wrong_kind_are_counted(self):
        self.write_run(result(), card=CARD + "  data:\n    max-num-seqs: [1, 2]\n    max-num-batched-tokens: many\n    dataset: ''\n")
        r = self.ok("metric", "TTFT", "run")
        self.assertEqual(r.out, "10.5\n")
        self.assertRegex(r.err, r"^warning\[CARD-05\]: 2 values on workload cards are of a wrong kind, "
                                r"first card\.yaml:6:19: max-num-seqs is a list\n")

    def test_a_tree_goes_on_without_a_broken_card(self):
        self.write_run(result(), folder="tree/a")
        self.write_run(result(mean_ttft_ms=20.5), card=CARD + "x: a: b\n", folder="tree/m-vllmEP4-x")
        r = self.ok("metric", "ttft", "tree", "--by", "implementation")
        self.assertEqual(r.out, "Baseline\t10.5\nDefaultAll2All\t20.5\n")
        self.assertRegex(r.err, r"^warning\[CARD-04\]: 1 workload card cannot be read, first m-vllmEP4-x/card\.yaml:5:5: ")
        self.refused(3, "TTFT", "tree", says=["does not apply", "cannot be read: m-vllmEP4-x/card.yaml:5:5"])


class Experts(MetricCase):
    def test_the_card_must_say_moe_if_there_is_one(self):
        self.write("run/gates_logs_0/gate_logs_0.json", gate_log([[1, 3]]))
        self.value("token_to_expert_assignment", "run")
        for text in ("true", "True", "yes", "on", "1", "'true'"):
            self.write("run/card.yaml", CARD.replace("true", text).replace("inference", "training"))
            with self.subTest(text):
                self.value("token_to_expert_assignment", "run")
        for text in ("false", "no", "off", "0", "null", "''"):
            self.write("run/card.yaml", CARD.replace("true", text))
            with self.subTest(text):
                self.refused(3, "token_to_expert_assignment", "run",
                             says=["does not apply", "it needs a model with experts", "does not say moe: true"])
        self.write("run/card.yaml", "workload: {}\n")
        self.refused(3, "token_to_expert_assignment", "run", says="does not say moe: true")
        self.write("run/card.yaml", "workload: [\n")
        self.refused(3, "token_to_expert_assignment", "run", says=[BROKEN, "run/card.yaml:2:1"])
