#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Completions in a real shell: shells-test.py SHELL --program ...  Ends with 77 where the shell is not installed."""
import os
import pty
import select
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import harness
from harness import PROGRAM, Case

SHELL = harness.REST.pop(0)
WAIT_S = 60

# What is typed, and what the line is after the tab key.
ZSH_LINES = [
    ("ru", "run "),
    ("run --max-m", "run --max-memory "),
    ("run -p kern", "run -p kernels "),
    ("run --profile=kern", "run --profile=kernels "),
    ("run --color al", "run --color always "),
    ("run --color=al", "run --color=always "),
    ("run --enable fil", "run --enable filter "),
    ("run --enable=filter,pa", "run --enable=filter,pair "),
    ("show kernel-t", "show kernel-time "),
    ("run x.json -", "run x.json -"),
    ("run runs/a", "run runs/a\\ b.json "),
    ("run runs/a\\ b", "run runs/a\\ b.json "),
    ("run 'runs/a b", "run 'runs/a b.json' "),
    ("run off=rul", "run off=rules.json "),
    ("run a=b:rul", "run a=b:rules.json "),
    ("run --log-file=rul", "run --log-file=rules.json "),
    ("run -o ru", "run -o runs/"),
    ("list so", "list sources "),
    ("explain OVC-01", "explain OVC-01 "),
    ("new source s", "new source s"),
    ("run --timeo 1s -p kern", "run --timeo 1s -p kern"),
]
BASH_LINES = [
    *(line for line in ZSH_LINES if line[0] not in ("run 'runs/a b",)),
    ("run 'runs/a b", "run 'runs/a b.json' "),
    ('run "runs/a b', 'run "runs/a b.json" '),
    ("run --profile kern", "run --profile kernels "),
    ("show kern", "show kernel"),
    ("show timel", "show timeline "),
    ("show ttf", "show ttft "),
    ("run x= -p kern", "run x= -p kernels "),
    ("run --profile=", "run --profile="),
    ("run  --profile=kernels   --color=al", "run  --profile=kernels   --color=always "),
    ("explain PRF-1", "explain PRF-1"),
    ("rules", "rules.json "),
    ("run runs/a\\ b.json -p kern", "run runs/a\\ b.json -p kernels "),
    ("run 'runs/a b.json' --profile=kern", "run 'runs/a b.json' --profile=kernels "),
    ("run --log-file=runs/a\\ b", "run --log-file=runs/a\\ b.json "),
]
# What is typed, and what the shell offers.
FISH_OFFERS = [
    ("ru", ["run"]),
    ("run --max-m", ["--max-memory"]),
    ("run -p kern", ["kernels"]),
    ("run --profile=kern", ["--profile=kernels"]),
    ("run --color ", ["always", "auto", "never"]),
    ("run --color=al", ["--color=always"]),
    ("run --enable fil", ["filter"]),
    ("run --enable=filter,pa", ["--enable=filter,pair"]),
    ("show kernel-t", ["kernel-time"]),
    ("run runs/", ["runs/a b.json", "runs/other"]),
    ("run runs/a\\ b", ["runs/a b.json"]),
    ("run 'runs/a b", ["runs/a b.json"]),
    ('run "runs/a b', ["runs/a b.json"]),
    ("run 'off=runs/a b", ["off=runs/a b.json"]),
    ('run -p "kern', ["kernels"]),
    ("run off=rul", ["off=rules.json"]),
    ("run a=b:rul", ["a=b:rules.json"]),
    ("run --log-file=rul", ["--log-file=rules.json"]),
    ("run -o ru", ["runs/"]),
    ("list so", ["sources"]),
    ("explain OVC-01", ["OVC-01"]),
    ("new source s", []),
]

ZSHRC = """
PS1= RPS1=
autoload -Uz compinit && compinit -u -D
fpath=("$ZDOTDIR" $fpath)
{load}
show() {{ print -r -- "$BUFFER" >>"$ZDOTDIR/lines"; BUFFER= }}
zle -N show
bindkey '^I' complete-word
bindkey '^X' show
setopt no_list_beep
precmd() {{ print READY }}
"""


BASHRC = """
PS1= PS2=
{load}
show() {{ printf '%s\\n' "$READLINE_LINE" >>"$HOME/lines"; READLINE_LINE= READLINE_POINT=0; }}
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind 'set show-all-if-ambiguous off'
bind -x '"\\C-x": show'
PROMPT_COMMAND='echo READY'
"""


def read_until(terminal, text, until):
    seen = b""
    while text not in seen and time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536)
    return seen


class Shell(Case):
    def setUp(self):
        super().setUp()
        for name in ("runs/a b.json", "runs/other", "rules.json"):
            self.write(name)
        self.script = self.write(f"scripts/stagemill.{SHELL}", self.ok("completion", SHELL).out)

    def shell_env(self):
        return self.env(PATH=os.path.dirname(PROGRAM) + ":" + os.environ["PATH"], HOME=str(self.folder / "scripts"),
                        ZDOTDIR=str(self.folder / "scripts"), TERM="dumb")

    def type_all(self, terminal, pid, lines):
        """Each line up to a tab; what the shell made of it is in the file "lines"."""
        result, until = self.folder / "scripts" / "lines", time.monotonic() + WAIT_S
        seen = read_until(terminal, b"READY", until)
        for n, (typed, _) in enumerate(lines, 1):
            os.write(terminal, f"stagemill {typed}\t\x18".encode())
            while time.monotonic() < until and (not result.exists() or len(result.read_text().splitlines()) < n):
                seen += read_until(terminal, b"\n", time.monotonic() + 0.05)
        os.close(terminal)
        os.waitpid(pid, 0)
        got = result.read_text().splitlines() if result.exists() else []
        self.assertEqual(got, ["stagemill " + wanted for _, wanted in lines], seen.decode("utf-8", "replace"))


class Zsh(Shell):
    def test_loaded_by_hand(self):
        self.check(f"eval \"$(cat '{self.script}')\"", ZSH_LINES)

    def test_installed(self):
        """In a folder of fpath it is loaded when it is needed first."""
        shutil.copy(self.script, self.folder / "scripts" / "_stagemill")
        self.check('autoload -Uz _stagemill; compdef _stagemill stagemill', ZSH_LINES[:3])

    def check(self, load, lines):
        self.write("scripts/.zshrc", ZSHRC.format(load=load))
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-d", "-i"], self.shell_env())
        self.type_all(terminal, pid, lines)


class Bash(Shell):
    def test_typed(self):
        self.write("scripts/rc", BASHRC.format(load=f". '{self.script}'"))
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe("bash", ["bash", "--noprofile", "--rcfile", str(self.folder / "scripts" / "rc"), "-i"], self.shell_env())
        self.type_all(terminal, pid, BASH_LINES)


class Fish(Shell):
    def test_offers(self):
        for typed, wanted in FISH_OFFERS:
            command = f"source '{self.script}'; complete -C $argv[1]"
            done = subprocess.run(["fish", "--no-config", "-c", command, "stagemill " + typed], capture_output=True, text=True,
                                  env=self.shell_env(), cwd=self.folder, timeout=WAIT_S)
            self.assertEqual((sorted(line.split("\t")[0] for line in done.stdout.splitlines()), done.stderr), (wanted, ""), typed)


if not shutil.which(SHELL):
    print(f"there is no {SHELL}")
    sys.exit(77)
harness.REST.append({"zsh": "Zsh", "fish": "Fish", "bash": "Bash"}[SHELL])
harness.main()
