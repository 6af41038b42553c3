#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Debian packages, made and used on machines that have nothing else: packages-test.py SOURCE BUILD [OPTIONS]

Debian is unpacked into folders.  In one the packages are built without network, twice: other folder, user's mask, language and
time zone, and the same bytes.  In others they are checked, installed, used, upgraded and removed.  It needs root, debootstrap
and a mirror of Debian, and takes half an hour; the bare system is kept in BUILD/packages."""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import sys
import tempfile
import time

from tree import Failed, Trees, call, why_not

SKIPPED = 77
LONGEST_TESTS_S = 120
PROCESSORS = 2  # that the build is told to use
BUILDER = "builder"
USER = "user"
TZ_FAR, LOCALE_ODD = "Asia/Kathmandu", "tr_TR.UTF-8"  # a day begins elsewhere; "i" is not the small form of "I"
WITH_TIMES = "run.json"


def same(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}:\n  {found}\nnot\n  {wanted}")


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


# ---- the source package


def source_package(source, build, out, umask, env):
    """As ./dev package makes it, with the page that BUILD uses."""
    options = json.loads((build / "meson-info/intro-buildoptions.json").read_text(encoding="utf-8"))
    page = next(option["value"] for option in options if option["name"] == "report_bundle")
    libraries = pathlib.Path(page).parent / "node_modules"
    given = ["--page", page, "--libraries", libraries] if page and libraries.is_dir() else []
    call("sh", "-c", 'umask "$0"; exec "$@"', umask, sys.executable, source / "packaging/package.py", "--source-only", "--out", out, *given, env=env)
    return sorted(path for path in out.iterdir() if path.name.startswith("stagemill_"))


def bytes_of(paths):
    return {path.name: path.read_bytes() for path in paths}


def check_source(source, build, work):
    one = source_package(source, build, work / "source", "022", {**os.environ, "TZ": "UTC", "LC_ALL": "C"})
    other = source_package(source, build, work / "source-in-a-folder-of-a-longer-name", "077", {**os.environ, "TZ": TZ_FAR, "LC_ALL": LOCALE_ODD})
    same("files of the source package that differ when it is made again", differing(bytes_of(one), bytes_of(other)), [])
    return one


def differing(one, other):
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


# ---- building


def build_tree(trees, files):
    """A system with what debian/control asks for, and no more."""
    dsc = next(path for path in files if path.suffix == ".dsc")
    tree = trees.bare()
    tree.add_user(BUILDER)
    tree.copy_in(files, "/source")
    tree.refresh()
    tree.run("apt-get", "build-dep", "-q", "-y", "--no-install-recommends", f"/source/{dsc.name}", network=True)
    return tree, dsc


class Processors:
    """How many of them the commands inside had, on average: others may use them, too."""
    def __enter__(self):
        self.began, self.used = time.monotonic(), self.seconds()
        return self

    def __exit__(self, *_):
        self.mean = (self.seconds() - self.used) / (time.monotonic() - self.began)

    @staticmethod
    def seconds():
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime


def build_packages(tree, dsc, folder, options, umask=0o022, env=None):
    """The packages, and what the build said."""
    tree.at(folder).mkdir(parents=True)
    tree.run("chown", BUILDER, folder)
    tree.run("dpkg-source", "-x", f"/source/{dsc.name}", "stagemill", user=BUILDER, folder=folder, umask=umask)
    said = tree.run("dpkg-buildpackage", "-us", "-uc", "-b", user=BUILDER, folder=f"{folder}/stagemill", umask=umask,
                    env={"DEB_BUILD_OPTIONS": options, **(env or {})})
    return sorted(tree.at(folder).glob("*.deb")), said


def check_build(tree, said, folder, processors):
    """Warnings of the compiler, and how long tests take where nothing else runs."""
    same("warnings", [line for line in said.splitlines() if re.search(r"(?<!-W)warning: ", line)][:5], [])
    log = next(tree.at(folder).glob("stagemill/obj-*/meson-logs/testlog*.json")).read_text(encoding="utf-8")
    results = [json.loads(line) for line in log.splitlines()]
    took = max(r["starttime"] + r["duration"] for r in results) - min(r["starttime"] for r in results)
    alone = took * min(processors, PROCESSORS) / PROCESSORS
    say(f"  {len(results)} tests in the build took {took:.0f} s with {processors:.1f} processors, {alone:.0f} s of {PROCESSORS}")
    same("results of tests in the build", {r["result"] for r in results} - {"OK", "SKIP"}, set())
    if alone > LONGEST_TESTS_S:
        raise Failed(f"tests in the build take {alone:.0f} s, more than {LONGEST_TESTS_S} s")


def check_again(tree, dsc, debs):
    tree.install("locales")
    tree.run("localedef", "-i", LOCALE_ODD.split(".")[0], "-f", "UTF-8", LOCALE_ODD)
    folder = "/home/builder/another/folder/of-a-longer-name"
    env = {"LC_ALL": LOCALE_ODD, "TZ": TZ_FAR}
    again, _ = build_packages(tree, dsc, folder, f"nocheck parallel={PROCESSORS}", umask=0o077, env=env)
    same("packages that differ when they are built again", differing(bytes_of(debs), bytes_of(again)), [])
    shutil.rmtree(tree.at(folder))


def check_lintian(trees, packages):
    """The packages, and the source of them."""
    tree = trees.bare()
    tree.add_user(USER)
    tree.refresh()
    tree.install("lintian")
    tree.copy_in(packages.iterdir(), "/packages")
    files = [f"/packages/{path.name}" for path in sorted(packages.iterdir()) if path.suffix in (".deb", ".dsc")]
    # With --show-overrides it fails for what is overridden, too.
    said = tree.run("lintian", "--no-cfg", "--fail-on", "error,warning", *files, user=USER)
    print(said, end="", flush=True)
    trees.drop(tree)


# ---- using


def depends_of(debs):
    """Of others than the packages themselves."""
    own = {deb.name.split("_")[0] for deb in debs}
    wanted = []
    for deb in debs:
        listed = call("dpkg-deb", "-f", deb, "Depends").strip()
        wanted += [one.strip() for one in listed.split(",") if one.strip() and one.split()[0] not in own]
    return wanted


def machine_for(trees, debs, *others):
    """A system with what the packages depend on, without anything recommended."""
    tree = trees.bare()
    tree.add_user(USER)
    tree.refresh()
    tree.run("apt-get", "satisfy", "-q", "-y", "--no-install-recommends", *depends_of(debs), *others, network=True)
    tree.copy_in(debs, "/packages")
    return tree


def put(tree, debs):
    tree.run("dpkg", "--install", *(f"/packages/{deb.name}" for deb in debs))


def demo(tree, user, env=None):
    """Bytes of each file that the demo wrote, but those with times."""
    tree.run("rm", "-rf", "/tmp/demo")
    tree.run("stagemill", "demo", "-o", "/tmp/demo", user=user, env=env)
    root = tree.at("/tmp/demo")
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file() and path.name != WITH_TIMES}


def built_demo(tree, folder):
    """Of the program where it was built, with the samples where the installed one has them."""
    built = f"{folder}/stagemill"
    objects = next(tree.at(built).glob("obj-*")).name
    tree.run("mkdir", "-p", "/usr/share/stagemill")
    tree.run("cp", "-r", *(f"{built}/{name}" for name in ("samples", "profiles", "rules")), "/usr/share/stagemill")
    found = demo(tree, BUILDER, {"PATH": f"{built}/{objects}/core/cmd:/usr/bin:/bin", "STAGEMILL_STAGE_PATH": f"{built}/{objects}/modules"})
    tree.run("rm", "-r", "/usr/share/stagemill")
    return found


def run_debian_tests(tree, source):
    """debian/tests, as autopkgtest runs them."""
    tree.copy_in([source / "debian/tests"], "/debian")
    for name in re.findall(r"^Tests: (\S+)", (source / "debian/tests/control").read_text(encoding="utf-8"), re.M):
        scratch = f"/home/{USER}/{name}"
        tree.run("mkdir", "-p", scratch, user=USER)
        tree.run(f"/debian/tests/{name}", user=USER, env={"AUTOPKGTEST_TMP": scratch})
        say(f"  debian/tests/{name} passed")


def check_removal(tree, debs, before):
    names = [deb.name.split("_")[0] for deb in debs]
    tree.run("dpkg", "--remove", *names)
    tree.run("dpkg", "--purge", *names)
    same("files that stayed, or are gone, after purging", sorted(tree.files() ^ before), [])


# ---- upgrading


def next_versions(debs, out):
    """The same packages under the version that comes next."""
    out.mkdir()
    for deb in debs:
        folder = out / "parts"
        call("dpkg-deb", "-R", deb, folder)
        control = folder / "DEBIAN/control"
        version = re.search(r"^Version: (.*)$", control.read_text(encoding="utf-8"), re.M).group(1)
        control.write_text(control.read_text(encoding="utf-8").replace(version, f"{version}+next"), encoding="utf-8")
        call("dpkg-deb", "-b", folder, out / deb.name.replace(version, f"{version}+next"))
        shutil.rmtree(folder)
    return sorted(out.iterdir())


def outside_stage(tree, source, name, include):
    """subprojects/example-stage, where the user's stages are."""
    home = f"/home/{USER}"
    tree.copy_in([source / "subprojects/example-stage"], f"{home}/src", USER)
    into = f"{home}/.local/share/stagemill/stages"
    tree.run("mkdir", "-p", into, user=USER)
    tree.run("cc", "-shared", "-fPIC", "-I", include, "-o", f"{into}/{name}", f"{home}/src/example-stage/slow-calls.c", user=USER)
    return f"{into}/{name}"


def outside_rows(tree):
    tree.run("rm", "-rf", "/tmp/outside")
    tree.run("stagemill", "run", "-p", f"/home/{USER}/src/example-stage/acme-slow-calls.json", "/usr/share/stagemill/samples/kineto",
             "-o", "/tmp/outside", user=USER)
    return tree.at("/tmp/outside/tables/acme.slow-calls.csv").read_text(encoding="utf-8")


def check_upgrade(tree, source, newer):
    module = outside_stage(tree, source, "acme.slow-calls.so", "/usr/include/stagemill-1")
    before = outside_rows(tree)
    tree.copy_in(newer, "/packages")
    put(tree, newer)
    same("rows of an outside stage after an upgrade", outside_rows(tree), before)
    tree.run("rm", module)
    tree.run("cp", "-r", "/usr/include/stagemill-1", f"/home/{USER}/newer", user=USER)
    header = tree.at(f"/home/{USER}/newer/stagemill/types.h")
    raised = re.sub(r"(#define MILL_ABI_MINOR )(\d+)", lambda m: f"{m.group(1)}{int(m.group(2)) + 1}", header.read_text(encoding="utf-8"))
    header.write_text(raised, encoding="utf-8")
    outside_stage(tree, source, "acme.slow-calls.so", f"/home/{USER}/newer")
    refused = json.loads(tree.run("stagemill", "doctor", "--json", user=USER))["refused"]
    same("modules that are refused", len(refused), 1)
    if "acme.slow-calls.so" not in json.dumps(refused):
        raise Failed(f"doctor does not name the module of a newer header: {refused}")


# ---- all of it


def use(trees, source, debs, wanted_demo):
    debs = [deb for deb in debs if "-dbgsym_" not in deb.name]
    program = [deb for deb in debs if deb.name.startswith("stagemill_")]
    say("install the program alone, without what it recommends; demo; remove")
    tree = machine_for(trees, program)
    before = tree.files()
    put(tree, program)
    made = demo(tree, USER)
    if wanted_demo:
        same("files of the demo that the built program writes otherwise", differing(made, wanted_demo), [])
    check_removal(tree, program, before)
    trees.drop(tree)
    say("install all, run debian/tests, upgrade with an outside stage, remove")
    tree = machine_for(trees, debs, "gcc", "libc6-dev", "pkg-config")
    before = tree.files()
    put(tree, debs)
    run_debian_tests(tree, source)
    check_upgrade(tree, source, next_versions(debs, trees.work / "next"))
    check_removal(tree, debs, before)
    trees.drop(tree)


def build_all(options, trees, packages):
    """Packages and their source, in the folder PACKAGES; and what the built program's demo writes."""
    source, build = options.source.resolve(), options.build.resolve()
    say("make the source package, twice")
    files = check_source(source, build, trees.work)
    say("build in a bare system, without network")
    tree, dsc = build_tree(trees, files)
    folder = "/build"
    with Processors() as processors:
        debs, said = build_packages(tree, dsc, folder, f"parallel={PROCESSORS}")
    packages.mkdir(parents=True, exist_ok=True)
    for path in [*debs, *files]:
        shutil.copy(path, packages)
    check_build(tree, said, folder, processors.mean)
    wanted = built_demo(tree, folder)
    if not options.once:
        say("build again, in another folder, language and time zone")
        check_again(tree, dsc, debs)
    trees.drop(tree)
    return wanted


def run(options, trees):
    packages, wanted = options.packages, None
    if not packages:
        packages = options.keep or trees.work / "packages"
        wanted = build_all(options, trees, packages)
    say("lintian")
    check_lintian(trees, packages)
    use(trees, options.source.resolve(), sorted(packages.glob("*.deb")), wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path, help="where the bare system is kept; default: BUILD/packages")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--packages", type=pathlib.Path, help="use the packages in this folder; build nothing")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keep what is built in this folder, for --packages")
    parser.add_argument("--once", action="store_true", help="do not build a second time")
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return SKIPPED
    with tempfile.TemporaryDirectory(dir="/var/tmp") as work:
        trees = Trees(options.cache or options.build.resolve() / "packages", pathlib.Path(work), options.mirror)
        try:
            run(options, trees)
        except Failed as failed:
            print(f"failed: {failed}")
            return 1
    say("all well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
