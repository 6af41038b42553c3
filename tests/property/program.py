"""Runs the built program in scratch folders and reads back what it wrote."""
# SPDX-License-Identifier: MIT
import json
import os
import pathlib
import shutil
import subprocess


class Program:
    """The program of a build folder, with the stages and profiles of the tree around it."""

    def __init__(self, build, source):
        self.build = pathlib.Path(build).resolve()
        self.source = pathlib.Path(source).resolve()
        self.path = str(self.build / "core" / "cmd" / "stagemill")
        self.env = {key: value for key, value in os.environ.items()
                    if not key.startswith(("STAGEMILL_", "XDG_", "LC_", "LANG"))}
        self.env["STAGEMILL_STAGE_PATH"] = str(self.build / "modules")
        self.env["STAGEMILL_PROFILE_PATH"] = str(self.source / "profiles")
        self.env["HOME"] = "/nonexistent"
        self.env["LC_ALL"] = "C.UTF-8"
        # GLib's slices pass memory between threads unseen by the thread sanitizer.
        self.env["G_SLICE"] = "always-malloc"

    def run(self, arguments, cwd, stdin=None, timeout=120, limits=None, env=None):
        """Status, standard output, standard error."""
        with open(stdin, "rb") if stdin else open(os.devnull, "rb") as source:
            done = subprocess.run([self.path, *map(str, arguments)], cwd=cwd, env={**self.env, **(env or {})},
                                  stdin=source,
                                  capture_output=True, timeout=timeout, check=False,
                                  preexec_fn=limits)
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")

    def ask(self, *arguments):
        """What a command prints as JSON."""
        status, out, err = self.run(arguments, cwd="/")
        if status:
            raise RuntimeError(f"{' '.join(arguments)}: status {status}\n{err}")
        return json.loads(out)


def outputs(folder):
    """Every file of a result but run.json, by its name."""
    root = pathlib.Path(folder)
    if not root.is_dir():
        return {}
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*"))
            if p.is_file() and p.name != "run.json"}


def difference(one, other):
    """The first file that differs, or nothing."""
    for name in sorted(set(one) | set(other)):
        if name not in one or name not in other:
            return f"{name} is in one of them only"
        if one[name] != other[name]:
            a, b = one[name], other[name]
            lines = zip(a.split(b"\n"), b.split(b"\n"))
            for number, (x, y) in enumerate(lines, 1):
                if x != y:
                    return f"{name}:{number}: {x[:200]!r} against {y[:200]!r}"
            return f"{name}: {len(a)} bytes against {len(b)}"
    return None


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
