"""A stage in two processes that share a run: the same bytes, and no crash when what they left is damaged."""
# SPDX-License-Identifier: MIT
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shards"))
import damage  # noqa: E402
import sharing  # noqa: E402

HURT = 12  # times, for each stage
ENDS = (0, 3, 4, 5, 8)


def broken(test, folder, use, kind):
    """What is wrong, a text each."""
    folder = folder / "shared"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    words = ["run", "-p", test.profile(folder, use, kind, trace=False), *kind.words]
    both = sharing.Shared(test.program, words, kind.folder, folder)
    state = folder / "state"
    try:
        both.rounds(state, 2, "-j", "1")
    except AssertionError as e:
        return [str(e)]
    wrong = both.last(state, "--no-read")
    return [f"shared by two processes: {wrong}"] * bool(wrong) + hurt(both, state, folder)


def hurt(both, state, folder):
    found = []
    for seed in range(HURT):
        copy = folder / "hurt"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(state, copy)
        if not damage.hurt_files(copy, seed):
            break
        shutil.rmtree(folder / "out", ignore_errors=True)
        status, _, said = both.run("--state", copy, "--no-read", "-o", folder / "out")
        if status not in ENDS:
            found.append(f"with damaged summaries, seed {seed}: status {status}: {said}")
    return found
