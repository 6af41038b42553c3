#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What shapes.py makes of an input is another one of its kind, and not what it was; valid.py knows what is not."""
import json
import pathlib
import random
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "property"), str(HERE.parent / "gen")]
import pftrace as pf  # noqa: E402
import records  # noqa: E402
import shapes  # noqa: E402
import valid  # noqa: E402

TRACE = {"traceEvents": [{"ph": "X", "cat": "kernel", "name": f"k{k}", "pid": 1, "tid": 7, "ts": 10 + 5 * k, "dur": 2,
                          "args": {"bytes": 1 << k, "id": str(k), "dims": [[2, 3]]}} for k in range(4)]}
LINES = b'{"request_id": 1, "ttft": 0.5}\n{"request_id": 2, "ttft": 0.25}\n'
TABLE = b'Time (%),Total Time (ns),Instances,Name\n60.0,1200,3,"gemm<a, b>"\n40.0,800,4,copy\n'
TEXT = b"[pid] 42\n[exec] param 7f00 4000\n[count] size: 64\n"


def made(name, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.bin"
        records.generate(name, *options, "-o", path)
        settings = path.with_name("probe.toml")
        return (settings.read_bytes() + b"\0" if settings.exists() else b"") + path.read_bytes()


def database():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.sqlite"
        records.database(path, 5)
        return path.read_bytes()


class Shapes(unittest.TestCase):
    INPUTS = [("chrome-json", json.dumps(TRACE).encode()), ("bench-json", LINES), ("nsys-csv", TABLE), ("probe-log", TEXT),
              ("coll-bench", TABLE), ("nsys-sqlite", database()), ("perfetto", made("pftrace-gen", "--slices", 4)),
              ("probe-bin", made("probe-gen", "--schemas", "block_sched", "--toml", "older", "--layout", "total"))]

    def test_valid_and_other(self):
        for source, data in self.INPUTS:
            with self.subTest(source):
                self.assertTrue(valid.is_valid(source, data))
                changed = [shapes.alter(random.Random(k), source, data) for k in range(300)]
                kept = [one for one in changed if one is not None]
                self.assertGreater(len(kept), 290)
                self.assertEqual([one for one in kept if not valid.is_valid(source, one)], [])
                self.assertGreater(len({one for one in kept if one != data}), 100)

    def test_same_again(self):
        for source, data in self.INPUTS:
            self.assertEqual(shapes.alter(random.Random(7), source, data), shapes.alter(random.Random(7), source, data))

    def test_every_change_of_a_document(self):
        for change in {*shapes.CHANGES} - {shapes.texts_are_numbers}:
            with self.subTest(change.__name__):
                texts = set()
                for k in range(40):
                    document = json.loads(json.dumps(TRACE))
                    change(random.Random(k), document)
                    texts.add(shapes.text_of(random.Random(1), document))
                self.assertGreater(len(texts), 1)

    def test_texts_become_numbers(self):
        document = [{"id": "12", "name": "a"}]
        for k in range(20):
            shapes.texts_are_numbers(random.Random(k), document)
        self.assertEqual(document, [{"id": 12, "name": "a"}])

    def test_a_key_twice_and_a_number_as_written(self):
        text = shapes.text_of(random.Random(1), {"a": 1, shapes.AGAIN + "a": 2, "b": shapes.LITERAL + "1.50E+2" + shapes.LITERAL})
        self.assertEqual(json.loads(text, object_pairs_hook=list), [("a", 1), ("a", 2), ("b", 150.0)])
        self.assertIn("1.50E+2", text)


class Invalid(unittest.TestCase):
    def test_what_is_none(self):
        packet = pf.packet({8: 5})
        for source, data in (("chrome-json", b'{"traceEvents":['), ("bench-json", b'{"a":1}\n{"b"'), ("nsys-csv", b'a,b\n"1,2\n'),
                             ("nsys-sqlite", database()[:3000]), ("nsys-sqlite", TEXT), ("perfetto", packet[:-1]), ("probe-log", b"a\0b"),
                             ("probe-log", b"\xff"), ("probe-bin", b"a = 1\0" + bytes(28) + b"\1\0\0\0" + bytes(8) + b"\xff" * 8),
                             ("probe-bin", b"\0" + bytes(12))):
            self.assertFalse(valid.is_valid(source, data), (source, data[:40]))


if __name__ == "__main__":
    unittest.main()
