#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes what a release consists of, in dist/: package.py [--page FILE --libraries FOLDER] [--out FOLDER] [--source-only]

The source as a tarball, the page of charts as a second one, Debian packages, a list of parts (SPDX) and checksums.  The same
commit gives the same bytes: times are those of the commit, and what names the machine (.changes, .buildinfo) is left out."""
import argparse
import datetime
import email.utils
import hashlib
import io
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import sbom

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARIES = ("echarts", "zrender", "tslib", "uplot")
LEFT_OUT = {"dist", "i18n", "theme", "build", "ssr", "extension", "types", "asset", "modules"}  # copies of lib/ in other forms, and no code
KEPT = {"uplot": ("dist/uPlot.esm.js", "dist/uPlot.min.css")}  # it has no other


def git(*words, text=True):
    """Of the commit alone: the user's settings change nothing."""
    return subprocess.run(["git", "-C", ROOT, "-c", "tar.umask=0022", *words], check=True, capture_output=True, text=text).stdout


def version_of(build):
    return re.search(r"^  version: '([^']+)'", build, re.M).group(1)


def write_xz(path, raw):
    path.write_bytes(lzma.compress(raw, preset=6))


def source_tarball(name):
    """All of the commit but what makes packages, which Debian keeps apart."""
    return git("archive", "--format=tar", f"--prefix={name}/", "HEAD", "--", ".", ":(exclude)debian", text=False)


def files_of_library(folder):
    kept = {folder / name for name in KEPT.get(folder.name, ())}
    found = [path for path in sorted(folder.rglob("*"))
             if path.is_file() and (path in kept or not LEFT_OUT & set(path.relative_to(folder).parts[:-1]))]
    if not any(path.suffix == ".js" for path in found):
        sys.exit(f"package: {folder} holds no source")
    return found


def page_tarball(page, libraries, time):
    """The page, and the sources and licences of the libraries in it."""
    raw = io.BytesIO()
    wanted = [(page, "report-page/report-page.html")]
    for name in LIBRARIES:
        folder = libraries / name
        wanted += [(path, f"report-page/{name}/{path.relative_to(folder)}") for path in files_of_library(folder)]
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path, name in wanted:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = path.stat().st_size, time, 0o644
            with path.open("rb") as content:
                tar.addfile(entry, content)
    return raw.getvalue()


def changelog(version, time):
    maintainer = re.search(r"^Maintainer: (.*)$", (ROOT / "debian/control").read_text(encoding="utf-8"), re.M).group(1)
    date = email.utils.format_datetime(datetime.datetime.fromtimestamp(time, datetime.timezone.utc))
    return f"stagemill ({version}-1) unstable; urgency=medium\n\n  * Release {version}; CHANGELOG.md has the changes.\n\n -- {maintainer}  {date}\n"


def unpack_source(work, name, version, time):
    """What dpkg-buildpackage works on."""
    for tarball in sorted(work.glob("*.orig*.tar.xz")):
        with tarfile.open(tarball) as tar:
            tar.extractall(work / name if ".orig-" in tarball.name else work)
    tree = work / name
    with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", "HEAD", "debian", text=False))) as tar:
        tar.extractall(tree)
    (tree / "debian/changelog").write_text(changelog(version, time), encoding="utf-8")
    return tree


def build_packages(tree, time, source_only):
    """In the parent folder of the tree."""
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(time), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    command = ["dpkg-source", "--build", tree.name] if source_only else ["dpkg-buildpackage", "-us", "-uc"]
    if subprocess.run(command, cwd=tree.parent if source_only else tree, env=env, check=False).returncode:
        sys.exit(f"package: {command[0]} failed")


def write_sums(out):
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def keep(work, out):
    for path in sorted(work.iterdir()):
        if path.is_file() and path.suffix in (".xz", ".dsc", ".deb"):
            shutil.copy(path, out / path.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--libraries", type=pathlib.Path, help="folder of the libraries in the page")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "dist")
    parser.add_argument("--source-only", action="store_true")
    options = parser.parse_args()
    os.umask(0o022)  # what is written here goes into packages with its mode
    if git("status", "--porcelain", "--untracked-files=no"):
        print("package: changes that are not committed are left out", file=sys.stderr)
    version, time = version_of(git("show", "HEAD:meson.build")), int(git("log", "-1", "--format=%ct"))
    name = f"stagemill-{version}"
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        write_xz(work / f"stagemill_{version}.orig.tar.xz", source_tarball(name))
        if options.page:
            write_xz(work / f"stagemill_{version}.orig-report-page.tar.xz", page_tarball(options.page, options.libraries, time))
        build_packages(unpack_source(work, name, version, time), time, options.source_only)
        keep(work, options.out)
    sbom.write(options.out / f"{name}.spdx.json", ROOT, version, time, bool(options.page))
    write_sums(options.out)
    for path in sorted(options.out.iterdir()):
        print(f"{path.stat().st_size:>12,}  {path.name}")


if __name__ == "__main__":
    main()
