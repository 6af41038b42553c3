"""One run of the program under one fault, and what is demanded of it."""
# SPDX-License-Identifier: MIT
import ctypes
import os
import pathlib
import re
import shutil
import subprocess

LIMIT_S = 60
NO_RANDOMIZE = 0x0040000
CRASHING = ("libpcre2-8", "libglib-2.0")
HERE = pathlib.Path(__file__).resolve().parent
SANITIZER = "libasan"
# With a sanitizer: the library comes before it, and leaks are told without a status of their own.
WATCHED = {"ASAN_OPTIONS": "verify_asan_link_order=0:allocator_may_return_null=1:exitcode=99:fast_unwind_on_malloc=0",
           "LSAN_OPTIONS": f"exitcode=0:print_suppressions=0:suppressions={HERE / 'not-leaks.txt'}", "UBSAN_OPTIONS": "print_stacktrace=1"}
# Which statuses a failed call may end with besides 0, unless its file says more.
READS = {3, 4, 5, 6, 8}
STATUSES = {"alloc": {8}, "mmap": {8}, "write": {6, 8}, "fsync": {6}, "rename": {6}, "remove": {6}, "mkdir": {6, 8},
            "pthread_create": {8}, "posix_spawn": {7}, "read": READS, "pread": READS, "open": READS,
            "opendir": READS, "stat": READS}


def same_addresses():
    """What depends on addresses takes the same memory each time: for this process and those it starts."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.personality(libc.personality(0xffffffff) | NO_RANDOMIZE)


class Fault:
    """CALL:N:MODE[:ERROR], as the preloaded library reads it."""

    def __init__(self, text):
        self.text = text
        self.call, number, self.mode, *error = text.split(":")
        self.n = int(number)
        self.error = error[0] if error else ""

    def __str__(self):
        return self.text


class Hit:
    """What the library says has failed: lines of the call, each with the frames below it."""

    def __init__(self, path):
        self.calls, self.frames = [], []
        for line in path.read_text(errors="replace").splitlines() if path and path.exists() else []:
            if not line.startswith(" "):
                self.calls.append(line)
            elif len(self.calls) == 1 and (self.frames or SANITIZER not in line):
                self.frames.append(line.strip())

    def is_of_sanitizer(self):
        """It calls the system through libc, which may take some frames."""
        first = [frame for frame in self.frames if not frame.strip().startswith("libc.so")][:1]
        return any(SANITIZER in frame for frame in self.frames[:3] + first)

    def files(self):
        return [call.split(" ", 4)[-1] for call in self.calls]

    def only_messages(self):
        """Nothing but writes to standard error failed."""
        return bool(self.calls) and all(re.match(r"write \d+ fd 2 ", call) for call in self.calls)

    def any_messages(self):
        return any(re.match(r"write \d+ fd 2 ", call) for call in self.calls)


def normal(name, data):
    """Without what differs from run to run: only run.json and the last line of a summary hold times."""
    if os.path.basename(name) == "run.json":
        data = re.sub(rb'"clock": ?\{[^}]*\}', b"", data)
        data = re.sub(rb'"time_ns": ?[0-9]+', b"", data)
    data = re.sub(rb" [0-9.]+ (ns|\xc2\xb5s|us|ms|s|min|h) \xc2\xb7 peak [0-9.]+ [KMG]iB", b" TIME", data)
    return data


def snapshot(folder, change=normal):
    """Every file and link by its name, folders as None; without the inputs."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        if name.split("/")[0] == "in":
            continue
        is_folder = path.is_dir() and not path.is_symlink()
        found[name] = None if is_folder else change(name, path.read_bytes())
    return found


def lay_out(folder, tree):
    for name, data in tree.items():
        path = folder / name
        if data is None:
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def group(tree, top):
    return {name: data for name, data in tree.items() if name.split("/")[0] == top}


class Done:
    """What a run did: status (None: it did not end), standard output and error, files, what is left over."""

    def __init__(self, status, out, err, tree, left):
        self.status, self.out, self.err, self.tree, self.left = status, out, err, tree, left


class Place:
    """The folders of one worker: cwd with in/ in it, tmp, and what the library writes."""

    def __init__(self, root, program, library):
        self.root, self.program, self.library = pathlib.Path(root), program, library
        self.cwd, self.tmp = self.root / "cwd", self.root / "tmp"
        self.log, self.counts = self.root / "log", self.root / "counts"
        self.laid = None

    def prepare(self, scenario):
        if self.laid is not scenario:
            shutil.rmtree(self.cwd, ignore_errors=True)
            self.cwd.mkdir(parents=True)
            lay_out(self.cwd, {f"in/{name}": data for name, data in scenario.inputs.items()})
            self.laid = scenario
        for path in self.cwd.iterdir():
            if path.name != "in":
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.rmtree(self.tmp, ignore_errors=True)
        self.tmp.mkdir(parents=True)
        for path in (self.log, self.counts):
            path.unlink(missing_ok=True)
        lay_out(self.cwd, scenario.before)

    def expect(self, scenario):
        """Runs it without faults: what comes of it is what is right.  Nothing, or what went wrong."""
        if scenario.first:
            late, scenario.before = scenario.before, {}
            self.run(scenario, scenario.first)
            scenario.before = {**snapshot(self.cwd, lambda name, data: data), **late}
        done = self.run(scenario)
        scenario.before_normal = {name: data if data is None else normal(name, data)
                                  for name, data in scenario.before.items()}
        for name in list(scenario.before_normal):
            for above in pathlib.PurePath(name).parents[:-1]:
                scenario.before_normal[str(above)] = None
        scenario.after, scenario.out = done.tree, done.out
        if done.status != scenario.status:
            return f"{scenario.name}: status {done.status} without any fault: {done.err}"
        return f"{scenario.name}: leaves {done.left} without any fault" if done.left else None

    def run(self, scenario, words=None, **env):
        self.prepare(scenario)
        env = {**self.program.env, **WATCHED, "STAGEMILL_DATADIR": str(self.program.source), "TMPDIR": str(self.tmp), **env}
        try:
            done = subprocess.run([self.program.path, *(words or scenario.words)], cwd=self.cwd, env=env, input=scenario.stdin, capture_output=True,
                                  timeout=LIMIT_S, check=False)
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            status, out, err = None, late.stdout or b"", late.stderr or b""
        left = [str(path.relative_to(self.root)) for path in self.tmp.rglob("*")]
        return Done(status, normal("", out), err.decode("utf-8", "replace"), snapshot(self.cwd), left)

    def count(self, scenario):
        return self.run(scenario, LD_PRELOAD=str(self.library), STAGEMILL_FAULT_COUNT=str(self.counts))

    def fault(self, scenario, fault):
        done = self.run(scenario, LD_PRELOAD=str(self.library), STAGEMILL_FAULT=str(fault), STAGEMILL_FAULT_LOG=str(self.log))
        hit = Hit(self.log)
        wrong = [] if hit.is_of_sanitizer() else list(complaints(scenario, fault, done, hit))
        for name, data in scenario.inputs.items():
            path = self.cwd / "in" / name
            if data is not None and (not path.exists() or path.read_bytes() != data):
                wrong.append(("lost", f"the input {name} was changed"))
                self.laid = None
        return done, hit, wrong


# ----------------------------------------------------------------- demands


def allowed(scenario, fault, hit):
    """The statuses that fit, by the call and by whose file it was."""
    fit = set(STATUSES[fault.call])
    files = hit.files()
    if fault.call in ("read", "pread", "open", "opendir", "stat") and len(files) == 1:
        if re.search(r"(^|/)in(/|$)", files[0]):
            fit = {4} if files[0].endswith("in/rules") else {scenario.unreadable}  # rules are not data, as profiles
        elif files[0].endswith(".so"):
            fit = {5, 4, 3}
    if fault.error in ("EMFILE", "ENOMEM"):
        fit.add(8)
    return fit


def complaints(scenario, fault, done, hit):
    """(kind, text) of what is not as demanded."""
    if done.status is None:
        yield "hang", f"did not stop within {LIMIT_S} s"
        return
    if done.status < 0:
        if not library_crashed(fault, hit):
            yield "signal", f"ended by signal {-done.status}"
        yield from halves(scenario, done)
    elif done.status == scenario.status == 0:
        yield from differences(scenario, fault, done, hit)
    elif done.status == 0 and counted(scenario, done):
        pass  # what would have failed is left out
    else:
        if done.status not in allowed(scenario, fault, hit) | ({scenario.status} - {0}):
            yield "status", f"status {done.status}: {done.err.strip()[:300]}"
        if not re.search(r"(?m)^error\[", done.err) and not hit.any_messages():
            yield "silent", f"status {done.status} and no message: {done.err.strip()[:200]}"
        yield from halves(scenario, done)
    report = re.search(r"(?s)(ERROR: \w+Sanitizer|runtime error: ).*", done.err)
    if report:
        yield "leak", report.group(0)[:3000]
    for name in done.left + [name for name in done.tree if is_hidden(name) and name not in scenario.after]:
        if not is_told(name, done) and not cannot_empty(hit):
            yield "left", f"{name} is left over"


def cannot_empty(hit):
    """A folder that cannot be opened keeps what is in it."""
    return any(re.match(r"open \d+ fd \d+ \w+$", call) for call in hit.calls)


def is_hidden(name):
    return any(part.startswith(".") for part in name.split("/"))


def is_told(name, done):
    """A message names it, or the folder that it is in."""
    return done.status and any(part in done.err for part in name.split("/") if part.startswith("."))


def library_crashed(fault, hit):
    """It goes on with the memory it did not get.  The program then tells a crash for want of memory from others by
    asking for some, which it gets here."""
    return fault.call == "alloc" and fault.mode == "once" and any(library in hit.frames[0] for library in CRASHING)


def codes_of(tree):
    """Of the notices that runs have counted."""
    return {code for name, data in tree.items() if name.endswith("run.json")
            for code in re.findall(rb'"code": ?"([A-Z]+-[0-9]+)"', data)}


def counted(scenario, done):
    """What was left out is counted, and said."""
    return bool(codes_of(done.tree) - codes_of(scenario.after))


def without_hashes(name, data):
    """An input may be gone when the run has ended; then its hash is not there, nor its size where that is asked for
    only then, and pages that show it differ."""
    if not data or not name.endswith(("run.json", ".html")):
        return data
    data = re.sub(rb'("size_bytes": ?(null|[0-9]+),\s*)?"hash": ?(null|"[^"]*")', b"", data)
    return re.sub(rb'("(?:name|path)": ?"[^"]*\.html"),\s*"size_bytes": ?[0-9]+,\s*"sha256": ?"[^"]*"', rb"\1", data)


def differences(scenario, fault, done, hit):
    if counted(scenario, done):
        return
    unhashed = fault.mode == "on" or any(re.search(r"(^|/)(in|samples)/", path) for path in hit.files())
    for name in sorted(set(scenario.after) | set(done.tree)):
        if name.split("/")[0] in scenario.loose or name.split("/")[0].endswith(".failed"):
            continue
        if name not in done.tree:
            yield "wrong", f"status {done.status}, and {name} is missing"
        elif name not in scenario.after:
            if not is_hidden(name):
                yield "left", f"status {done.status}, and {name} is there"
        elif unhashed and without_hashes(name, scenario.after[name]) == without_hashes(name, done.tree[name]):
            continue
        elif scenario.after[name] != done.tree[name]:
            yield "wrong", f"status {done.status}, and {name} differs"
    told = re.search(rb"cannot (be )?read", done.out) or "cannot be read" in done.err
    if done.out != scenario.out and not told and not scenario.varies:
        yield "wrong", f"status {done.status}, and standard output differs: {done.err.strip()[:200]}"


def halves(scenario, done):
    """Each output is as before or as it would have been."""
    tops = {name.split("/")[0] for name in [*scenario.before, *scenario.after, *done.tree]}
    for top in sorted(tops):
        if top in scenario.loose or is_hidden(top) or (top.endswith(".failed") and top not in scenario.before):
            continue
        now = group(done.tree, top)
        moved = any(is_hidden(name) and is_told(name, done) for name in done.tree)
        if not moved and now not in (group(scenario.before_normal, top), group(scenario.after, top)):
            yield "half", f"{top} is neither as it was nor complete: {sorted(now)[:6]}"
