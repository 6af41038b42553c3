"""Inputs about collectives in the forms that generators do not write: times, tables of strategies, logs."""
# SPDX-License-Identifier: MIT
import json

from inputs import Kind

ALLREDUCE = """fusion_op,world_size,"strategy",shape,dtype,time_ms,op,other
NONE,2,NCCL,128x1024,float32,0.0125,allreduce,
NONE,2,"ONE,SHOT",128.0x1024,fp8,1e-3,gemm_allreduce,x
A,4,TWOSHOT,1x128,,0.0,,
A,4,TWOSHOT,2x128,half,,allreduce,
A,4,NCCL, 4 x 128 ,half,nan,allreduce,
"""
CPP = """// TP:[2, 4] Fusion:['NONE',
// 'A'] uses AllReduceBestStrategyTableSM90 = {{{{1}}}}
int AllReduceBestStrategyTableSM80;
inline T AllReduceBestStrategyTableSM90 = { { // TP=2
 { {0,4,}, // hidden_size=512
   {5, 6} // hidden_size=4096
 }, {{1,2},{3,4}} }, {{{7,8},{9,10}},{{11,12},{13,14}}} };
/* Fusion:[B] TP:[16] Hidden:[64]
   Tokens:[3, 5, 7] */
AllReduceBestStrategyTableSM100{{{{1,2,3}}}}
"""
CELLS = """tp,sm,fusion,hidden_size,num_tokens,number,strategy,source
2,90,NONE,128,1,0,NCCL,default
2,100,NONE,128,1,4,ONESHOT,
4,90,NONE,256,2,5,"TWO,SHOT",measured
8,,A,128,1,0,NCCL,default
"""
MEASURED = """Latency_us,Protocol,algorithm,collective,SIZE_BYTES,ranks,comment
5.5,ll,ring,allreduce,8,,x
,LL128,tree,allgather,1024,16,"a,b"
"""
NCCL_LOG = """# nccl-tests version 2.17
# nThread 1 nGpus 2
#  Rank  0 Group  0 Pid   1 on     node01 device  0
#  Rank  1 Group  0 Pid   1 on     node02 device  0
#  Rank  2 Group  0 Pid   1 on     node02 device  1
#       size         count      type    time   algbw   busbw  error     time   algbw   busbw  error
[1,0]<stdout>:        8             2     float  5.50    0.25    0.50  0e+00     5.25    0.125    0.5  N/A
123 NCCL INFO something
node01:12:13 [0] NCCL INFO comm
          16             4     float   1.2e+01    0.50    0.50    0     nan    0.01    0.02      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.375
"""
NCCL_JSON = {"config": {"devices": [{}, {}]}, "results": [
    {"experiment_name": "ReduceScatter", "size": 8, "count": "2", "type": "float", "redop": "sum",
     "out_of_place": {"time": "5.5", "alg_bw": 1, "bus_bw": "nan", "nwrong": 0},
     "in_place": {"cpu_time": 4, "alg_bw": 2.5, "bus_bw": 3, "nwrong": "N/A"}},
    {"size": 16, "out_of_place": None, "in_place": {"time": 7.5}}],
    "out_of_bounds": {"count": 0, "okay": "true"}, "average_bus_bandwidth": {"bandwidth": 2.5}}
RCCL_LINES = """{"name": "AllReduce", "nodes": 1, "ranks": 8, "size": 8, "type": "float", "redop": "sum", "inPlace": 0, "time": 5.25, "algBw": 1, "busBw": 1.5, "#wrong": 0},
{"name": "AllReduce", "nodes": 1, "ranks": 8, "size": 8, "inPlace": "1", "time": "4.5", "busBw": 2}
"""
RCCL_CSV = """Name,ranks,size,type,redop,inPlace,time,algBw,busBw,#wrong
AllToAll,2,16,1024,float,none,0,8.5,1,2,N/A
AllToAll,2,16,1024,float,none,1,7.5,1,2,0
"""


def make(folder):
    """{name: Kind}; every kind has a folder of its own."""
    made = {}
    contents = {"allreduce-forms": {"benchmark.tp2.sm90.csv": ALLREDUCE}, "strategy-forms": {"a.h": CPP, "b.csv": CELLS},
                "tuner-forms": {"measured.csv": MEASURED},
                "collective-logs": {"reduce_scatter.log": NCCL_LOG, "nccl.json": json.dumps(NCCL_JSON),
                                    "rccl.json": RCCL_LINES, "rccl.csv": RCCL_CSV}}
    for kind, files in contents.items():
        (folder / kind).mkdir(parents=True)
        for name, text in files.items():
            (folder / kind / name).write_text(text)
        made[kind] = Kind(folder / kind, list(files), trace=False)
    return made
