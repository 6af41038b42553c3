/* The columns of the tables, for the descriptor alone. */
#ifndef COLLECTIVE_REPORT_TABLES_H
#define COLLECTIVE_REPORT_TABLES_H

#include "report.h"

#define ID(what) MILL_KEY_BRIEF("collective", NULL, MILL_TEXT, what)
#define STATS4(name, unit, what)                                    \
  MILL_BRIEF(name "_mean", unit, MILL_REAL, "Mean " what),          \
      MILL_COLUMN(name "_median", unit, MILL_REAL, "Median " what), \
      MILL_COLUMN(name "_min", unit, MILL_REAL, "Smallest " what),  \
      MILL_COLUMN(name "_max", unit, MILL_REAL, "Largest " what)
#define GROUP MILL_COLUMN("group", NULL, MILL_TEXT, "Process group")
#define SPAN MILL_COLUMN("span", "count", MILL_INT, "Nodes on which its ranks are")

static const MillColumn call_columns[] = {
  ID("Group, and number in it"),
  MILL_KEY("index", "count", MILL_INT, "Position in the group, by time"),
  MILL_KEY("group", NULL, MILL_TEXT, "Process group"),
  MILL_KEY("ranks", NULL, MILL_TEXT, "Ranks of the group"),
  MILL_BRIEF("name", NULL, MILL_TEXT, "Name of the collective"),
  MILL_COLUMN("size", "count", MILL_INT, "Ranks in the group"),
  MILL_COLUMN("dtype", NULL, MILL_TEXT, "Type of the elements"),
  MILL_COLUMN("in_elements", "count", MILL_INT, "Elements that go in"),
  MILL_COLUMN("in", "bytes", MILL_INT, "Their bytes"),
  MILL_COLUMN("out_elements", "count", MILL_INT, "Elements that come out"),
  MILL_COLUMN("out", "bytes", MILL_INT, "Their bytes"),
  MILL_COLUMN("in_split", NULL, MILL_TEXT, "Elements that go to each rank"),
  MILL_COLUMN("out_split", NULL, MILL_TEXT, "Elements that come from each rank"),
  MILL_COLUMN("stream", NULL, MILL_TEXT, "Where the kernel ran"),
  MILL_COLUMN("start", "ns", MILL_INT, "When it began, in the trace's own time"),
  MILL_BRIEF("duration", "ns", MILL_INT, "How long it ran"),
  MILL_COLUMN("node", "count", MILL_INT, "Node of the rank"),
  SPAN,
};
static const MillColumn kind_columns[] = {
  MILL_KEY("group", NULL, MILL_TEXT, "Process group"),
  MILL_KEY("ranks", NULL, MILL_TEXT, "Ranks of the group"),
  MILL_KEY_BRIEF("name", NULL, MILL_TEXT, "Name of the collective"),
  MILL_KEY("size", "count", MILL_INT, "Ranks in the group"),
  MILL_KEY("dtype", NULL, MILL_TEXT, "Type of the elements"),
  MILL_KEY_BRIEF("in_elements", "count", MILL_INT, "Elements that go in"),
  MILL_KEY("out_elements", "count", MILL_INT, "Elements that come out"),
  MILL_KEY("in_split", NULL, MILL_TEXT, "Elements that go to each rank"),
  MILL_KEY("out_split", NULL, MILL_TEXT, "Elements that come from each rank"),
  MILL_KEY("stream", NULL, MILL_TEXT, "Where the kernels ran"),
  MILL_COLUMN("in", "bytes", MILL_INT, "Bytes that go in"),
  MILL_COLUMN("out", "bytes", MILL_INT, "Bytes that come out"),
  MILL_BRIEF("calls", "count", MILL_INT, "How many there are"),
  MILL_BRIEF("total", "ns", MILL_INT, "Sum of their durations"),
  MILL_COLUMN("mean", "ns", MILL_REAL, "Mean duration"),
  MILL_COLUMN("std", "ns", MILL_REAL, "Standard deviation (n - 1); empty for one"),
  MILL_COLUMN("min", "ns", MILL_INT, "Shortest"),
  MILL_COLUMN("max", "ns", MILL_INT, "Longest"),
};
static const MillColumn collective_columns[] = {
  ID("Group, and number in it"),
  MILL_KEY("group", NULL, MILL_TEXT, "Process group"),
  MILL_KEY("ranks", NULL, MILL_TEXT, "Ranks of the group"),
  MILL_BRIEF("name", NULL, MILL_TEXT, "Name of the collective"),
  MILL_COLUMN("size", "count", MILL_INT, "Ranks in the group"),
  MILL_COLUMN("dtype", NULL, MILL_TEXT, "Type of the elements"),
  MILL_COLUMN("in_elements", "count", MILL_INT, "Elements that go in"),
  MILL_COLUMN("out_elements", "count", MILL_INT, "Elements that come out"),
  MILL_COLUMN("full", "bytes", MILL_INT, "What goes in; of allgather, what comes out"),
  MILL_BRIEF("latency", "ns", MILL_INT, "Shortest duration: that of the last one to come"),
  MILL_BRIEF("start_skew", "ns", MILL_INT, "From the first start to the last"),
  MILL_COLUMN("earliest", "count", MILL_INT, "Rank that came first"),
  MILL_COLUMN("latest", "count", MILL_INT, "Rank that came last"),
  MILL_COLUMN("wait_mean", "ns", MILL_REAL, "Mean time that ranks waited for the last one"),
  MILL_COLUMN("end_skew", "ns", MILL_INT, "From the first end to the last"),
  MILL_COLUMN("algbw", "GB/s", MILL_REAL, "Bytes over latency; 1e9 bytes a second"),
  MILL_BRIEF("busbw", "GB/s", MILL_REAL, "The same as what a link would see"),
  MILL_COLUMN("complete", NULL, MILL_BOOL, "All ranks are there, and agree"),
  SPAN,
};
static const MillColumn rank_columns[] = {
  ID("Group, and number in it"),
  MILL_KEY("ranks", NULL, MILL_TEXT, "Ranks of the group"),
  MILL_KEY("rank", "count", MILL_INT, "Rank of the call"),
  MILL_KEY("start", "ns", MILL_INT, "When it began, in the trace's own time"),
  MILL_COLUMN("duration", "ns", MILL_INT, "How long it ran"),
  MILL_COLUMN("wait", "ns", MILL_INT, "From its start to the last one's"),
};
static const MillColumn summary_columns[] = {
  MILL_KEY_BRIEF("name", NULL, MILL_TEXT, "Name of the collective"),
  MILL_KEY("dtype", NULL, MILL_TEXT, "Type of the elements"),
  MILL_KEY_BRIEF("in_elements", "count", MILL_INT, "Elements that go in"),
  GROUP,
  MILL_COLUMN("size", "count", MILL_INT, "Ranks in the group"),
  MILL_COLUMN("full", "bytes", MILL_INT, "What goes in; of allgather, what comes out"),
  SPAN,
  MILL_BRIEF("calls", "count", MILL_INT, "How many collectives"),
  STATS4("latency", "ns", "latency"),
  STATS4("start_skew", "ns", "time between the first and the last start"),
  STATS4("end_skew", "ns", "time between the first and the last end"),
  STATS4("algbw", "GB/s", "bytes over latency"),
  STATS4("busbw", "GB/s", "bandwidth of a link"),
  MILL_BRIEF("total_latency", "ns", MILL_INT, "Sum of the latencies"),
};
static const MillColumn alltoallv_columns[] = {
  ID("Group, and number in it"),
  MILL_KEY("group", NULL, MILL_TEXT, "Process group"),
  MILL_KEY("ranks", NULL, MILL_TEXT, "Ranks of the group"),
  MILL_COLUMN("dtype", NULL, MILL_TEXT, "Type of the elements"),
  MILL_BRIEF("total", "bytes", MILL_INT, "What all ranks send"),
  MILL_BRIEF("wall", "ns", MILL_INT, "From the first start to the last end"),
  MILL_BRIEF("throughput", "GB/s", MILL_REAL, "Bytes over that time"),
  MILL_COLUMN("rank_max", "ns", MILL_INT, "Longest duration of a rank"),
  MILL_COLUMN("rank_min", "ns", MILL_INT, "Shortest"),
  MILL_COLUMN("rank_mean", "ns", MILL_REAL, "Mean"),
  MILL_BRIEF("imbalance", "count", MILL_REAL, "Most bytes of a rank over the mean"),
  MILL_COLUMN("start_skew", "ns", MILL_INT, "From the first start to the last"),
  MILL_COLUMN("end_skew", "ns", MILL_INT, "From the first end to the last"),
};
static const MillColumn pair_columns[] = {
  MILL_KEY("source", "count", MILL_INT, "Rank that sends"),
  MILL_KEY("destination", "count", MILL_INT, "Rank that receives"),
  MILL_COLUMN("total", "bytes", MILL_INT, "What was sent"),
  MILL_COLUMN("mean", "bytes", MILL_REAL, "In one call"),
  MILL_COLUMN("calls", "count", MILL_INT, "Calls"),
};
static const MillColumn straggler_columns[] = {
  MILL_KEY_BRIEF("rank", "count", MILL_INT, "Which rank"),
  MILL_BRIEF("wait", "ns", MILL_INT, "Time that it waited for the last one"),
  MILL_COLUMN("wait_mean", "ns", MILL_REAL, "In one collective"),
  MILL_BRIEF("last", "count", MILL_INT, "How often it came last"),
  MILL_COLUMN("first", "count", MILL_INT, "How often it came first"),
  MILL_BRIEF("last_share", "percent", MILL_REAL, "Of its collectives, those to which it came last"),
  MILL_COLUMN("collectives", "count", MILL_INT, "Collectives of several ranks"),
  MILL_COLUMN("comm", "ns", MILL_INT, "All communication of the rank"),
};

static const MillTable tables[] = {
  [TABLE_CALLS] = { .per = MILL_PER_LANE,
                    .name = "collective-calls",
                    .help = "Calls of collectives, for each rank",
                    .order = "start",
                    .columns = MILL_ROWS(call_columns) },
  [TABLE_KINDS] = { .per = MILL_PER_LANE,
                    .name = "collective-kinds",
                    .help = "Calls of collectives by kind, for each rank",
                    .order = "-total,name",
                    .columns = MILL_ROWS(kind_columns) },
  [TABLE_COLLECTIVES] = { .per = MILL_PER_RUN,
                          .name = "collectives",
                          .help = "Collectives that all ranks leave together",
                          .columns = MILL_ROWS(collective_columns) },
  [TABLE_RANKS] = { .per = MILL_PER_RUN,
                    .name = "collective-ranks",
                    .help = "Ranks of each of these",
                    .columns = MILL_ROWS(rank_columns) },
  [TABLE_SUMMARY] = { .per = MILL_PER_RUN,
                      .brief_rows = 8,
                      .name = "collective-summary",
                      .help = "These by name, type and elements",
                      .order = "-total_latency,name",
                      .columns = MILL_ROWS(summary_columns) },
  [TABLE_ALLTOALLV] = { .per = MILL_PER_RUN,
                        .name = "alltoallv",
                        .help = "All-to-alls in which ranks send different amounts",
                        .columns = MILL_ROWS(alltoallv_columns) },
  [TABLE_PAIRS] = { .per = MILL_PER_RUN,
                    .name = "alltoallv-pairs",
                    .help = "What ranks sent to each other in these",
                    .columns = MILL_ROWS(pair_columns) },
  [TABLE_STRAGGLERS] = { .per = MILL_PER_RUN,
                         .brief_rows = 8,
                         .name = "stragglers",
                         .help = "Who others waited for: the first row waited least",
                         .order = "wait,rank",
                         .columns = MILL_ROWS(straggler_columns) },
};

#endif
