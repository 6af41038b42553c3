/* What the sweep-tree source has to say about folders. */
/* SPDX-License-Identifier: MIT */
#include "sweep-tree.h"

const MillNotice tree_notices[TREE_N_NOTICES] = {
  MILL_ERROR(TREE_NOTHING, "the sweep holds no trace", "check that the traces were copied",
             "The folder is laid out as a sweep: it has folders 256thread, nccl_28channels, "
             "torch_profiler, rocprof_traces or rank0, or lies among them. But in none of the rank "
             "folders is a *.json, *.json.gz or *.json.zst, none in their folders trace/, and no "
             "*_results.json in rocprof_traces. An empty result would look like runs that did "
             "nothing; so this is an error."),
  MILL_WARNING(
      TREE_NO_PROFILER,
      "{count} configuration[|s] of the sweep [has|have] neither torch_profiler nor rocprof_traces "
      "(first: {place})",
      "[it is|they are] left out", NULL,
      "Traces of a configuration lie in THREADSthread/nccl_CHANNELSchannels/torch_profiler/rankN. "
      "A run that failed, or that was not profiled, leaves its folder without torch_profiler; "
      "rocprofv3 leaves rocprof_traces."),
  MILL_WARNING(TREE_NO_TRACE, "{count} rank[|s] of the sweep [has|have] no trace (first: {place})",
               "[it is|they are] left out", NULL,
               "A rank folder has the trace itself, as customer_trace*.json or any other *.json, "
               "*.json.gz or *.json.zst, or has it in its folder trace/."),
  MILL_WARNING(
      TREE_NO_NUMBER,
      "{count} folder[|s] of the sweep [has|have] no number in [its|their] name (first: {place})",
      "[it is|they are] left out", NULL,
      "Folders of a sweep are called 256thread, nccl_28channels and rank0; the number is the "
      "configuration or the rank."),
  MILL_WARNING(TREE_SEVERAL,
               "{count} rank[|s] of the sweep [has|have] more than one trace (first: {place})",
               "one of them is read: customer_trace*, else the first by name",
               "give the paths of the traces that you want",
               "Several traces of one rank are several recordings of it. Reading all of them would "
               "count the work of the rank more than once."),
  MILL_ERROR(TREE_A_FILE, "a sweep is a folder", "give the folder of the ranks",
             "The source sweep-tree was named for a file. It only finds traces in folders; "
             "chrome-json reads the traces."),
  MILL_INFO(TREE_PASSES,
            "{count} configuration[|s] of the sweep [was|were] traced in several passes (first: "
            "{place})",
            "the first pass with results is read", "to read another pass, give its folder",
            "rocprofv3 runs the program once for each group of counters and writes a folder pass_N "
            "each time. Each pass repeats the same work; reading all of them would count it "
            "several times."),
  MILL_INFO(TREE_BOTH,
            "{count} configuration[|s] of the sweep also [has|have] traces of rocprofv3 (first: "
            "{place})",
            "those of PyTorch's profiler are read",
            "to read the others, give the folders rocprof_traces",
            "Both record the same ranks. Traces of PyTorch's profiler have the operators around "
            "the calls, so stagemill reads these. To read the others, give the folder "
            "rocprof_traces itself."),
};
