"""Every kind of bad input has an outcome: an error with its status and code, or a counted repair and a valid trace."""
# SPDX-License-Identifier: MIT

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from values import MALFORMED, VALID

EVENT = '{"ph":"X","name":"a","cat":"kernel","ts":1,"dur":2,"pid":1,"tid":1,"args":{"x":1}}'


def event(**members):
    """One slice as text; a member given as bytes stands there as it is."""
    base = {"ph": "X", "name": "a", "cat": "kernel", "ts": 1, "dur": 2, "pid": 1, "tid": 1}
    base.update(members)
    parts = [b'"%s":%s' % (key.encode(), value if isinstance(value, bytes) else json.dumps(value).encode())
             for key, value in base.items()]
    return b"{" + b",".join(parts) + b"}"


def document(*events):
    return b'{"traceEvents":[' + b",".join(events) + b"]}"


# What it is, the bytes, the status of `run`, and the code: of the error, or of the notice that counts it.
CASES = [
    ("empty", b"", 3, "RUN-05"),
    ("white space", b"  \n\t ", 3, "RUN-03"),
    ("binary", bytes(range(256)) * 10, 3, "RUN-03"),
    ("another document", b'{"a":1}', 3, "RUN-03"),
    ("no events", document(), 0, None),
    ("an empty list", b"[]", 0, None),
    ("metadata only", document(b'{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}'), 0, None),
    ("control characters", document(event(name=b'"a\nb"', args=b'{"s":"\x01"}')), 0, "JSN-20"),
    ("bad escapes", document(event(name=b'"C:\\Users\\x"')), 0, "JSN-21"),
    ("invalid UTF-8", document(event(name=b'"a\xff\xfeb"')), 0, "JSN-22"),
    ("invalid UTF-8 in args", document(event(args=b'{"k":"\xc3("}')), 0, "JSN-22"),
    ("NaN and Infinity", document(event(args=b'{"v":NaN,"w":-Infinity}')), 0, "JSN-23"),
    ("numbers as text", document(event(ts="1.5", dur="2", pid="1")), 0, "JSN-33"),
    ("text as time", document(event(ts="soon")), 0, "JSN-34"),
    ("nested 10,000 deep", document(event(args=b'{"v":' + b"[" * 10000 + b"]" * 10000 + b"}")), 3, "JSN-05"),
    ("a string of 100 MB", document(event(args=b'{"v":"' + b"x" * 100_000_000 + b'"}')), 8, "RUN-07"),
    ("duplicate keys", document(b'{"ph":"X","name":"a","name":"b","ts":1,"ts":5,"dur":2,"pid":1,"tid":1}'), 0, "JSN-27"),
    ("a negative duration", document(event(dur=-2)), 0, "JSN-35"),
    ("an absurd duration", document(event(dur=1e300)), 0, "JSN-36"),
    ("a time beyond 2^53 us", document(event(ts=9007199254740993)), 0, "JSN-36"),
    ("more digits than a nanosecond", document(event(ts=b"1.00004")), 0, "JSN-37"),
    ("unsorted", document(event(ts=9), event(ts=3), event(ts=5)), 0, None),
    ("an unknown phase", document(event(ph="?")), 0, "JSN-45"),
    ("no phase", document(b'{"name":"no phase at all","ts":1}'), 0, "JSN-45"),
    ("an empty phase", document(event(ph="")), 0, "JSN-45"),
    ("a number as phase", document(event(ph=88)), 0, "JSN-45"),
    ("two letters as phase", document(event(ph="XX")), 0, "JSN-45"),
    ("an escaped phase", document(event(ph=b'"\\u0058"')), 0, None),
    ("an escaped phase of a memory dump", document(event(ph=b'"\\u0076"')), 0, None),
    ("an escaped key of the list", b'{"trace\\u0045vents":[' + event() + b"]}", 0, None),
    ("a slice without a start", document(b'{"ph":"X","name":"a","cat":"kernel","dur":2,"pid":1,"tid":1}'), 0, "JSN-43"),
    ("a start of null", document(event(ts=None)), 0, "JSN-43"),
    ("a slice without a duration", document(b'{"ph":"X","name":"a","cat":"kernel","ts":2,"pid":1,"tid":1}'), 0, "JSN-44"),
    ("a duration of null", document(event(dur=None)), 0, "JSN-44"),
    ("several categories", document(event(cat="foo,kernel")), 0, "JSN-46"),
    ("not an object", document(event(), b"5", b"null", b'"x"'), 0, "JSN-30"),
    ("an extra comma", b'{"traceEvents":[' + event() + b",]}", 0, "JSN-28"),
    ("no closing bracket", b'{"traceEvents":[' + event() + b"," + event(), 0, "JSN-29"),
    ("cut inside an event", document(event(), event())[:-20], 3, "JSN-04"),
    ("wrong brackets", document(event(args=b'{"v":[}]')), 3, "JSN-05"),
    ("quotes that are not escaped", document(event(name=b'"a"b"'), event(), event(args=b'{"k":"}"{"}')), 3, "JSN-05"),
    ("no comma between members", b'{"a":1 "traceEvents":[' + event() + b"]}", 0, "JSN-28"),
    ("a control character in a key", b'{"a\x01":1,"traceEvents":[' + event() + b"]}", 0, "JSN-20"),
    ("text behind the document", document(event()) + b" and more", 0, "JSN-31"),
    ("no row", document(b'{"ph":"X","name":"a","ts":1,"dur":2}'), 0, None),
    ("text as row", document(event(pid="Spans", tid="")), 0, None),
    ("rows of 64 bits", document(event(pid=2**63 - 1, tid=-(2**63))), 0, None),
]

PLACES = [
    *[(f"as {key}", lambda value, key=key: document(event(), event(**{key: value}), event()))
      for key in ("args", "name", "cat", "ph", "ts", "dur", "pid", "tid", "id", "bp", "other")],
    ("in args", lambda value: document(event(), event(args=b'{"k":' + value + b',"l":1}'), event())),
    ("in a list", lambda value: document(event(), event(args=b'{"k":[0, ' + value + b']}'), event())),
    ("in a deep object", lambda value: document(event(args=b'{"k":{"l":{"m": ' + value + b' }}}'), event())),
    ("beyond a block", lambda value: document(event(args=b'{"k":"' + b"x" * 61 + b'","l":' + value + b"}"), event())),
    ("before the events", lambda value: b'{"k":' + value + b',"traceEvents":[' + event() + b"]}"),
    ("after the events", lambda value: b'{"traceEvents":[' + event() + b'],"k":' + value + b"}"),
]
MENDED = {"JSN-20", "JSN-21", "JSN-22", "JSN-23", "JSN-24", "JSN-25", "JSN-26", "JSN-28", "JSN-29", "JSN-30", "JSN-31"}

# These need another stage: begins and ends.
PAIRS = [
    ("a begin without end", document(event(ph="B")), "PAIR-01"),
    ("an end without begin", document(event(ph="E")), "PAIR-02"),
    ("an end before its begin", document(event(ph="B", ts=5), event(ph="E", ts=2)), "PAIR-03"),
]


class Checker:
    def __init__(self, program, folder):
        self.program, self.folder, self.failures, self.checks = program, Path(folder), [], 0

    def check(self, good, what):
        self.checks += 1
        if not good:
            self.failures.append(what)

    def call(self, *args):
        done = subprocess.run([self.program, *map(str, args)], capture_output=True, timeout=300, cwd=self.folder,
                              stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    def codes(self, out):
        return [notice["code"] for notice in json.loads((out / "summary.json").read_text())["notices"]]

    def run(self, name, data, status, code, *options):
        path, out = self.folder / "in.json", self.folder / "out"
        path.write_bytes(data)
        for jobs in (1, 2):
            got, _, err = self.call("run", "-p", "kernels", "-j", jobs, "-f", "-o", out, *options, path)
            self.check(got == status, f"{name}, -j {jobs}: status {got}, not {status}: {err[:300]}")
            if status:
                self.check(not code or f"error[{code}]" in err, f"{name}: no {code}: {err[:300]}")
                self.check("Traceback" not in err and "Sanitizer" not in err, f"{name}: {err[:600]}")
            elif got == 0 and code:
                self.check(code in self.codes(out), f"{name}: {code} is not among {self.codes(out)}")
        left = [p.name for p in self.folder.iterdir() if p.name not in ("in.json", "out", "out.failed")]
        self.check(not left, f"{name}: left behind {left}")

    def convert(self, name, data):
        """What was read is written as JSON that a strict reader takes."""
        path, out = self.folder / "in.json", self.folder / "out.json"
        path.write_bytes(data)
        status, _, err = self.call("convert", "-f", "-o", out, path)
        self.check(status == 0, f"{name}, convert: status {status}: {err[:300]}")
        try:
            json.loads(out.read_bytes().decode("utf-8"), parse_constant=lambda word: 1 / 0)
        except (OSError, ValueError, ZeroDivisionError, UnicodeDecodeError) as why:
            self.check(False, f"{name}: what convert wrote is not JSON: {why!r}")
        if out.exists():
            out.unlink()

    def malformed(self):
        """Each malformed value at each place of an event and of the document: an error with a place, or a counted
        repair; what is written is valid; and nothing is mended in what was valid."""
        for place, make in PLACES:
            for value in [*MALFORMED, *VALID]:
                data = make(value)
                name = f"{value!r} {place}"
                try:
                    json.loads(data.decode("utf-8"), parse_constant=lambda word: 1 / 0)
                    valid = True
                except (ValueError, ZeroDivisionError):
                    valid = False
                self.member(name, data, valid)
                if "arg" in place or "in a" in place:
                    self.member(f"{name}, decoded", data, valid, "--enable", "filter", "--set", "filter.attr=k",
                                "--set", "filter.drop-attr=never")

    def member(self, name, data, valid, *options):
        path, out = self.folder / "in.json", self.folder / "out"
        path.write_bytes(data)
        status, _, err = self.call("run", "-p", "convert", "-f", "--format", "trace,json", "-o", out, *options, path)
        if status:
            self.check(status == 3 and not valid and "error[" in err, f"{name}: status {status}: {err[:300]}")
            return
        written = gzip.decompress((out / "trace.json.gz").read_bytes()).decode("utf-8")
        try:
            json.loads(written, parse_constant=lambda word: 1 / 0)
        except (ValueError, ZeroDivisionError) as why:
            self.check(False, f"{name}: what was written is not JSON: {why!r}")
        mended = [code for code in self.codes(out) if code in MENDED]
        self.check(valid != bool(mended), f"{name}: valid {valid}, but mended {mended}")

    def strict(self, name, data):
        path = self.folder / "in.json"
        path.write_bytes(data)
        status, _, err = self.call("run", "-p", "kernels", "--strict", "-f", "-o", self.folder / "out", path)
        self.check(status == 3 and "error[" in err, f"{name}, --strict: status {status}: {err[:300]}")

    def truncated(self):
        """Cut at every byte: never anything but success with a counted repair, or status 3."""
        data = document(event(), event(name="b\u00e9\\", args={"k": [1, "]}"]}), event(ph="i"))
        for length in range(1, len(data), 3):
            (self.folder / "in.json").write_bytes(data[:length])
            status, _, err = self.call("convert", "-f", "-o", "-", self.folder / "in.json")
            self.check(status in (0, 3), f"cut at {length}: status {status}: {err[:200]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = os.path.abspath(parser.parse_args().program)
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(program, folder)
        for name, data, status, code in CASES:
            checker.run(name, data, status, code)
            if status == 0:
                checker.convert(name, data)
            if status == 0 and code and code not in ("JSN-33", "JSN-37", "JSN-46"):  # those are reported, not repaired
                checker.strict(name, data)
        for name, data, code in PAIRS:
            checker.run(name, data, 0, code, "--enable", "pair")
        checker.run("cut, but recovered", document(event(), event())[:-20], 0, "JSN-32", "--recover")
        checker.truncated()
        checker.malformed()
    for failure in checker.failures:
        print("FAIL", failure)
    print(f"{checker.checks} checks, {len(checker.failures)} failed")
    return bool(checker.failures)


sys.exit(main())
