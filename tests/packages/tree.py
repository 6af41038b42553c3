"""A bare Debian in a folder, to build and install packages in, away from this machine."""
# SPDX-License-Identifier: MIT
import os
import pathlib
import shutil
import subprocess

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# In name spaces of its own: what it mounts and starts ends with it.
ENTER = """
mount -t proc proc "$0/proc"
mount -t tmpfs tmpfs "$0/dev/shm"
tree=$0 user=$1
shift
exec chroot --userspec="$user" "$tree" "$@"
"""
# Where tests put files.
OWN = ("packages", "debian", "source")
# With the umask and in the folder that come first, and the variables behind them.
BEGIN = 'umask "$0"; cd "$1"; shift; exec env -i "$@"'


class Failed(Exception):
    pass


def call(*command, shown=None, **more):
    """What it printed; SHOWN stands for it where it fails."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **more)
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode:
        raise Failed(f"{' '.join(map(str, shown or command))}\n{text}ended with status {done.returncode}")
    return text


class Tree:
    def __init__(self, path):
        self.path = pathlib.Path(path)

    def at(self, inside):
        return self.path / str(inside).lstrip("/")

    def run(self, *command, network=False, user="root", env=None, folder="/", umask=0o022):
        """What it printed.  Without network there is none, not even this machine's own."""
        apart = ["--mount", "--pid", "--ipc", "--fork", "--kill-child", *([] if network else ["--net"])]
        home = "/root" if user == "root" else f"/home/{user}"
        inside = {"PATH": PATH, "HOME": home, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", **(env or {})}
        words = ["unshare", *apart, "sh", "-euc", ENTER, self.path, user, "sh", "-euc", BEGIN, f"{umask:03o}", folder]
        variables = [f"{name}={value}" for name, value in inside.items()]
        return call(*words, *variables, *command, shown=[f"in {self.path} as {user}:", *command], env={"PATH": PATH})

    def refresh(self):
        """What the mirror has now."""
        shutil.copy("/etc/resolv.conf", self.at("etc/resolv.conf"))
        self.run("apt-get", "update", "-q", network=True)

    def install(self, *packages):
        self.run("apt-get", "install", "-q", "-y", "--no-install-recommends", *packages, network=True)

    def add_user(self, name):
        self.run("useradd", "--create-home", name)

    def copy_in(self, sources, folder, owner=None):
        self.at(folder).mkdir(parents=True, exist_ok=True)
        for source in sources:
            if source.is_dir():
                shutil.copytree(source, self.at(folder) / source.name, symlinks=True, dirs_exist_ok=True)
            else:
                shutil.copy(source, self.at(folder))
        if owner:
            self.run("chown", "-R", f"{owner}:{owner}", folder)

    def files(self):
        """All but what dpkg and apt note, and what belongs to no package."""
        apart = {"proc", "sys", "dev", "run", "tmp", "home", "root", *OWN}
        notes = ("var/lib/dpkg/", "var/lib/apt/", "var/cache/", "var/log/", "etc/ld.so.cache")
        found = set()
        for folder, names, files in os.walk(self.path):
            inside = pathlib.Path(folder).relative_to(self.path)
            names[:] = [name for name in names if str(inside / name) not in apart]
            found.update(str(inside / name) for name in [*names, *files])
        return {name for name in found if not f"{name}/".startswith(notes) and not name.startswith(notes)}


class Trees:
    """Trees are made once and kept as tarballs in the folder `cache`."""
    def __init__(self, cache, work, mirror):
        self.cache, self.work, self.mirror = cache, work, mirror
        self.n = 0

    def unpack(self, tarball):
        self.n += 1
        path = self.work / f"tree-{self.n}"
        path.mkdir(parents=True)
        call("tar", "-C", path, "--numeric-owner", "-xpf", tarball)
        return Tree(path)

    @staticmethod
    def drop(tree):
        shutil.rmtree(tree.path)

    def keep(self, tree, tarball):
        part = tarball.with_suffix(".part")
        self.cache.mkdir(parents=True, exist_ok=True)
        call("tar", "-C", tree.path, "--numeric-owner", "-cf", part, ".")
        part.rename(tarball)

    def bare(self):
        tarball = self.cache / "bookworm.tar"
        if tarball.exists():
            return self.unpack(tarball)
        self.n += 1
        tree = Tree(self.work / f"tree-{self.n}")
        call("debootstrap", "--variant=minbase", "bookworm", tree.path, self.mirror)
        tree.run("apt-get", "clean")
        self.keep(tree, tarball)
        return tree


def why_not():
    """What is missing for trees; empty where nothing is."""
    if os.geteuid():
        return "it needs root"
    for program in ("debootstrap", "unshare", "chroot", "tar", "dpkg-deb", "dpkg-source"):
        if not shutil.which(program):
            return f"{program} is not installed"
    return ""
