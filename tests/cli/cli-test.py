#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program as a user meets it: arguments, statuses, help, inputs, outputs."""
import sys

sys.dont_write_bytecode = True

from harness import main
from allreduce import *  # noqa: F401,F403
from arguments import *  # noqa: F401,F403
from inputs import *  # noqa: F401,F403
from commands import *  # noqa: F401,F403
from splitting import *  # noqa: F401,F403
from configurations import *  # noqa: F401,F403
from contract import *  # noqa: F401,F403
from sweeps import *  # noqa: F401,F403
from endings import *  # noqa: F401,F403
from crashes import *  # noqa: F401,F403
from outputs import *  # noqa: F401,F403
from comparing import *  # noqa: F401,F403
from comparetraces import *  # noqa: F401,F403
from report import *  # noqa: F401,F403
from formats import *  # noqa: F401,F403
from serving import *  # noqa: F401,F403
from cards import *  # noqa: F401,F403
from gatelogs import *  # noqa: F401,F403
from kerneltables import *  # noqa: F401,F403
from folders import *  # noqa: F401,F403
from merging import *  # noqa: F401,F403
from screen import *  # noqa: F401,F403
from figures import *  # noqa: F401,F403
from findings import *  # noqa: F401,F403
from first import *  # noqa: F401,F403
from pictures import *  # noqa: F401,F403
from account import *  # noqa: F401,F403
from aiufaults import *  # noqa: F401,F403
from aiutraces import *  # noqa: F401,F403
from joining import *  # noqa: F401,F403
from pipelinelayout import *  # noqa: F401,F403
from sides import *  # noqa: F401,F403
from tagnames import *  # noqa: F401,F403
from optional import *  # noqa: F401,F403
from probes import *  # noqa: F401,F403
from query import *  # noqa: F401,F403
from torchinputs import *  # noqa: F401,F403

main()
