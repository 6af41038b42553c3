/* The tuner-csv source: measurements of collectives by algorithm and protocol, as the optimiser of NCCL's example
 * plugin takes them. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/table-source.h"

enum { METRIC = TABLE_ONE_OF | TABLE_LENIENT, WORD = TABLE_NEEDED | TABLE_TYPICAL };

static const TableColumn columns[] = {
  { "collective", "collective", TABLE_NAME, TABLE_NEEDED, 0, 0, 0 },
  { "algorithm", "algorithm", TABLE_NAME, WORD, 0, 0, 0 },
  { "protocol", "protocol", TABLE_NAME, WORD, 0, 0, 0 },
  { "size_bytes", "bytes", TABLE_INT, TABLE_NEEDED, 0, 0, 0 },
  { "channels", "channels", TABLE_INT, 0, -1, INT32_MAX, -1 },
  { "nodes", "nodes", TABLE_INT, 0, -1, INT32_MAX, -1 },
  { "ranks", "ranks", TABLE_INT, 0, -1, INT32_MAX, -1 },
  { "pipeOps", "pipe_ops", TABLE_INT, 0, -1, INT32_MAX, -1 },
  { "regBuff", "reg_buff", TABLE_INT, 0, -1, INT32_MAX, -1 },
  { "bandwidth_gbps", "bandwidth", TABLE_REAL, METRIC, 0, 0, 0 },
  { "latency_us", "time_us", TABLE_REAL, METRIC, 0, 0, 0 },
};
static const TableSource table = {
  .record = "tuner.row", TABLE_COLUMNS(columns), .few = 4, .likely = 40
};

static const MillNotice notices[] = {
  TABLE_NOTICES(
      "collective, size_bytes, algorithm, protocol and one of latency_us and bandwidth_gbps",
      "A measurement belongs to a collective, a size, an algorithm and a protocol. Channels, "
      "nodes, ranks, pipeOps and regBuff may be missing; they are then -1, any.",
      "a cell does not hold a whole number", "sizes are from 0, others from -1",
      "Sizes, channels, nodes, ranks, pipeOps and regBuff are whole numbers."),
};

static const char *const provides[] = { "input.tuner", NULL };

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "tuner-csv",
  .version = "0.1.0",
  .tag = "TCSV",
  .title = "Measurements of collectives by algorithm and protocol (CSV)",
  .help = "Reads the input of the optimiser of NCCL's example plugin: "
          "collective,size_bytes,algorithm,protocol,channels,nodes,ranks,pipeOps,regBuff,bandwidth_"
          "gbps,latency_us.",
  .provides = provides,
  .notices = MILL_ROWS(notices),
  .ops = &table_source_ops,
  .user = &table,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
