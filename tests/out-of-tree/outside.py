"""A machine that has stagemill installed and its source nowhere in sight, for the tests beside this file."""
# SPDX-License-Identifier: MIT
import os
import pathlib
import re
import shlex
import subprocess
import sys


class Outside:
    """A machine that has stagemill installed and its source nowhere in sight."""

    def __init__(self, source, build, work):
        self.source, self.work = source, work
        root = work / "root"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("STAGEMILL_")}
        self.env.update(LC_ALL="C", HOME=str(work), XDG_DATA_HOME=str(work / "data"),
                        XDG_CONFIG_HOME=str(work / "config"))
        self.run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", root)
        pages = sorted(root.rglob("stagemill-1.pc"))
        assert len(pages) == 1, f"{len(pages)} files stagemill-1.pc were installed"
        self.prefix = self.move(pages[0].parent, root)
        self.env["PKG_CONFIG_PATH"] = str(pages[0].parent)
        self.program = str(self.prefix / "bin" / "stagemill")

    @staticmethod
    def move(folder, root):
        """The scratch folder becomes the prefix, as if it had been configured with it."""
        for page in folder.glob("stagemill*.pc"):
            text = page.read_text(encoding="utf-8")
            prefix = re.search(r"^prefix=(.*)$", text, re.M).group(1)
            moved = root / prefix.lstrip("/")
            page.write_text(text.replace(f"prefix={prefix}\n", f"prefix={moved}\n"),
                            encoding="utf-8")
        return moved

    def attempt(self, *command, cwd=None, env=None):
        """Runs it to whatever end; with .returncode and .stderr."""
        words = [str(word) for word in command]
        print("+", shlex.join(words), flush=True)
        return subprocess.run(words, cwd=cwd, env={**self.env, **(env or {})}, text=True, check=False,
                              capture_output=True)

    def run(self, *command, cwd=None, env=None):
        done = self.attempt(*command, cwd=cwd, env=env)
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}\nended with {done.returncode}")
        return done.stdout

    def refused(self, status, *command, env=None):
        """It must end with this status; what it said."""
        done = self.attempt(*command, env=env)
        same(f"status, with\n{done.stderr}", done.returncode, status)
        return done.stderr

    def flags(self, *words):
        return shlex.split(self.run("pkg-config", *words))

    def cc(self, out, *words):
        """C11, or C++20 when a source is C++, strictly."""
        plus = any(str(word).endswith(".cpp") for word in words)
        compiler = ["c++", "-std=c++20"] if plus else ["cc", "-std=c11"]
        out.parent.mkdir(parents=True, exist_ok=True)
        self.run(*compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic-errors", *words, "-o", out)

    def module(self, out, flags, source):
        self.cc(out, "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-z,defs", *flags, source)

    def folder(self, variable):
        """A folder that pkg-config knows."""
        return pathlib.Path(self.run("pkg-config", "--variable", variable, "stagemill-1").strip())


def same(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}:\n  got    {got}\n  wanted {wanted}")


def table(out, name):
    return (out / "tables" / (name + ".csv")).read_text(encoding="utf-8").splitlines()
