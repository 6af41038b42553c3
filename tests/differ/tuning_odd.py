"""Random measurements that are odd on purpose: equal times, repeats, shapes between the cells, times that are none, all forms of
the benchmark's tables, sizes of 0 and beyond 2^32, tables of strategies of several kinds of GPUs."""
# SPDX-License-Identifier: MIT
import itertools
import random

import tuning_truth as truth

FORMS = ("world_size,dtype,size,num_tokens,hidden_size,strategy,fusion,time (us)", "fusion_op,time_ms,strategy,hidden_size,num_tokens,size_bytes,dtype,world_size",
         "world_size,dtype,size,shape,strategy,fusion,version,time (us)", "world_size,dtype,fusion,num_tokens,hidden_size,size_bytes,strategy,time_us,algbw_GBps")


class Odd:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def time(self):
        return self.rng.choice(("", "0.0", "nan", "-1", "inf")) if self.rng.random() < 0.06 else \
            self.rng.choice(("5", "5.0", "7.25", "1e1", repr(self.rng.uniform(1, 50))))

    def benchmark(self, path, tp):
        r, header = self.rng, self.rng.choice(FORMS).split(",")
        hiddens = r.sample((64, 65, 128, 192, 256, 2880, 8192, 16383, 16384), 4)
        tokens = r.sample((1, 2, 3, 64, 300, 16384, 32767, 32768, 2**20), 4)
        lines = [",".join(header)]
        for t, h, fusion in itertools.product(tokens, hiddens, r.sample((*truth.FUSIONS, "RMS_NORM", "RESIDUAL_RMS_NORM_OUT_QUANT_FP8"), 3)):
            for strategy in r.sample(("NCCL", "ONESHOT", "TWOSHOT", "AUTO", "UB", "NEW"), r.randrange(5)):
                for _ in range(r.choice((1, 1, 1, 3))):
                    cells = {"world_size": tp, "dtype": "bfloat16", "size": t * h * 2, "size_bytes": t * h * 2, "num_tokens": t, "hidden_size": h,
                             "shape": f"{t}x{h}", "strategy": strategy, "fusion": fusion, "fusion_op": fusion, "version": "x", "algbw_GBps": 1}
                    lines.append(",".join(str(cells.get(key, self.time())) for key in header))
        path.write_text("\r\n".join([*lines, ""]))
        return path

    def cpp(self, path, sms):
        """Of one number of the other table a few are changed; the layout is that of a formatter."""
        r, text = self.rng, "#include <vector>\n"
        for sm in sms:
            row = [lambda: ", ".join(str(r.choice((0, 0, 0, 4, 5, 8, 77))) for _ in truth.TOKENS)]
            for axis in (truth.HIDDEN, truth.FUSIONS, truth.TPS):
                row.append(lambda axis=axis, inner=row[-1]: ",\n  ".join("{" + inner() + " }" for _ in axis))
            text += f"/* a table */ inline T AllReduceBestStrategyTableSM{sm} = {{{row[-1]()}}};\n"
        path.write_text(text)
        return path

    def measurements(self, path):
        r = self.rng
        lines = ["Latency_us,Protocol,algorithm,collective,SIZE_BYTES,ranks,nodes,channels,pipeOps,regBuff,bandwidth_gbps"]
        sizes = r.sample((0, 1, 8, 9, 1024, 1025, 2**20, 2**32 - 1, 2**32, 2**40), 6)
        for _ in range(r.choice((1, 30, 120))):
            one = [r.choice(("5.5", "5.5", "7", "0.25", "", "nan", "x")), r.choice(("ll", "LL128", "simple", "simple", "odd")),
                   r.choice(("ring", "ring", "Tree", "nvls", "none")), r.choice(("allreduce", "AllGather", "allreduce", "alltoall")),
                   r.choice(sizes), r.choice((8, 8, 16, "")), r.choice((1, "", -1)), r.choice((4, 4, "")), r.choice(("", 1)), "",
                   r.choice(("1", "250.5", "250.5", "0"))]
            lines.append(",".join(map(str, one)))
        path.write_text("\n".join([*lines, ""]))
        return path
