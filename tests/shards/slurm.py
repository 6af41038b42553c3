"""A Slurm cluster of this machine alone, in a folder: its daemons end with it."""
# SPDX-License-Identifier: MIT
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,defer_batch
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=10 State=UP OverSubscribe=FORCE:4
"""


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Slurm:
    """With it: the environment for sbatch and srun."""

    @staticmethod
    def is_there():
        """Its daemons start jobs of others, so only root starts them."""
        return os.geteuid() == 0 and all(map(shutil.which, ("munged", "slurmctld", "slurmd", "sinfo")))

    def __init__(self, folder, env):
        self.folder = pathlib.Path(folder) / "slurm"
        self.env = {**env, "SLURM_CONF": str(self.folder / "slurm.conf")}
        self.daemons = []

    def start(self, *words):
        log = open(self.folder / f"{words[0]}.log", "wb")
        self.daemons.append(subprocess.Popen(words, env=self.env, stdout=log, stderr=log, stdin=subprocess.DEVNULL))
        log.close()

    def logs(self):
        return "\n".join(f"{path.name}: {path.read_text(errors='replace')[-1500:]}" for path in sorted(self.folder.glob("*.log")))

    def wait(self, what, is_there):
        end = time.monotonic() + 60
        while not is_there():
            if time.monotonic() > end or any(d.poll() is not None for d in self.daemons):
                raise AssertionError(f"{what} does not come up\n{self.logs()}")
            time.sleep(0.2)

    def is_idle(self):
        done = subprocess.run(["sinfo", "-h", "-o", "%t"], env=self.env, capture_output=True, timeout=60, check=False)
        return done.stdout.strip() == b"idle"

    def make_folder(self):
        for part in ("state", "spool"):
            (self.folder / part).mkdir(parents=True)
        for at in (self.folder, *self.folder.parents[:1]):
            at.chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        host = socket.gethostname().split(".")[0]
        text = CONF.format(host=host, ports=free_ports(2), folder=self.folder, cpus=os.cpu_count())
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self.env

    def begin(self):
        self.make_folder()
        at = str(self.folder)
        self.start("munged", "--foreground", "--force", f"--key-file={at}/munge.key", f"--socket={at}/munge.socket",
                   f"--pid-file={at}/munge.pid", f"--log-file={at}/munge.log", f"--seed-file={at}/munge.seed")
        self.wait("munged", (self.folder / "munge.socket").exists)
        self.start("slurmctld", "-D", "-i", "-f", f"{at}/slurm.conf")
        self.start("slurmd", "-D", "-f", f"{at}/slurm.conf")
        self.wait("the node", self.is_idle)

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            if daemon.poll() is None:
                daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
