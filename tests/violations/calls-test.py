#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes every call of every host table in every operation: calls-test.py PROGRAM MODULES HEADERS

What may be asked where stands in comments of stage.h, source.h and sink.h.  A call that stands there goes
through; any other ends the run with status 70, names call and module, and leaves no output: always, not only
under --verify."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Operations that are no entry of their own, or that the comments name together.
OPERATIONS = {
    "stage": {
        "rogue.calls-lane": ["open", "open_run", "observe", "decide", "process", "flush", "save_result", "report",
                             "merge_result", "report_run", "close", "close_run"],
        "rogue.calls-run": ["save_observed", "merge_observed", "decide_run", "save_decision", "load_decision"],
    },
    "source": {
        "rogue.calls-next": ["expand", "open", "describe", "start", "next", "close"],
        "rogue.calls-parse": ["parse", "fork", "parse_in_fork"],
    },
    "sink": {
        "rogue.calls": ["open", "open_run", "write", "finish", "begin_run", "results", "finish_run", "close",
                        "close_run"],
    },
}
OPEN_RUN_LACKS = {"track", "track_beside"}  # "not on the run level"
IN_CLOSE = {"log", "symbol_text"}
LINE = 64


class Runner:
    def __init__(self, program, modules, work):
        self.program, self.modules, self.work = program, modules, work
        self.trace = self.write("trace.json", json.dumps({"traceEvents": [
            {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": t, "dur": 1} for t in range(4)]}))
        self.lines = self.write("lines", ("x" * (LINE - 1) + "\n") * 4)
        self.many = self.write("many", ("x" * (LINE - 1) + "\n") * (10 << 20 >> 6))
        self.folder = os.path.join(work, "folder")
        os.mkdir(self.folder)
        with open(os.path.join(self.folder, "lines"), "w", encoding="utf-8") as file:
            file.write("x" * (LINE - 1) + "\n")
        for name in [*OPERATIONS["stage"], "rogue.innocent"]:
            self.write(name + ".json", json.dumps({"profile": 1, "name": "calls", "stages": [{"use": name}]}))

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def arguments(self, kind, module, operation):
        """How to get there."""
        profile = module if kind == "stage" else "rogue.innocent"
        words = ["-p", os.path.join(self.work, profile + ".json")]
        if kind == "sink":
            words += ["--format", module]
        if kind != "source":
            return [*words, self.trace]
        words += ["--source", module]
        if operation == "expand":
            return [*words, self.folder]
        return [*words, "-j4", self.many] if "fork" in operation else [*words, self.lines]

    def run(self, kind, module, operation, call):
        out = os.path.join(self.work, f"out-{module}-{operation}-{call}")
        env = dict(os.environ, ROGUE_CALL=call, ROGUE_IN=operation)
        done = subprocess.run(
            [self.program, "run", "--stage-path", self.modules, "-o", out, *self.arguments(kind, module, operation)],
            env=env, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr, os.path.exists(out)


def problem(case, allowed, result):
    kind, module, operation, call = case
    status, said, left = result
    name = module if kind != "sink" else "rogue.calls"
    refusal = f'error[STG-70]: {kind} "{name}" 1.0.0 asked for {call} in '
    if allowed:
        return "was refused" if refusal in said else None
    if status != 70 or refusal not in said:
        return f"ended with {status}, and did not say {refusal!r}:\n{said}"
    return "left its output behind" if left else None


def cases(headers):
    """(kind, module, operation, call) and whether it is allowed."""
    sys.path.insert(0, os.path.dirname(headers))
    import abi  # beside the headers; it reads the same comments for `stagemill schema abi`
    interface = abi.read_headers(pathlib.Path(headers))
    common = abi.calls_of(interface, "MillHost")
    for kind, modules in OPERATIONS.items():
        header = pathlib.Path(headers, kind + ".h").read_text(encoding="utf-8")
        own = abi.calls_of(interface, f"Mill{kind.capitalize()}Host")
        table = abi.table_of(header, own)
        known = {operation for operations in modules.values() for operation in operations}
        assert set(table) <= known, f"{kind}.h lists unknown operations {set(table) - known}"
        always = abi.always_of(header, own)
        for module, operations in modules.items():
            for operation in operations:
                base = operation.replace("_run", "") if operation in ("open_run", "close_run") else operation
                listed = table.get(base, set()) | always
                if operation == "open_run":
                    listed = listed - OPEN_RUN_LACKS
                for call in own:
                    yield (kind, module, operation, call), call in listed
                if operation.startswith(("open", "close")):
                    for call in common:
                        yield (kind, module, operation, call), call in IN_CLOSE or base == "open"


def main():
    program, modules, headers = map(os.path.abspath, sys.argv[1:])
    failed = n_allowed = 0
    with tempfile.TemporaryDirectory() as work:
        runner = Runner(program, modules, work)
        every = list(cases(headers))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda case: runner.run(*case[0]), every)
            for (case, allowed), result in zip(every, results):
                wrong = problem(case, allowed, result)
                n_allowed += allowed
                failed += bool(wrong)
                if wrong:
                    print("FAILED ", *case, wrong, sep="  ")
    print(f"{len(every)} calls, {n_allowed} of them allowed, {failed} not as expected")
    return failed > 0 or n_allowed == 0 or n_allowed == len(every)


if __name__ == "__main__":
    sys.exit(main())
