/* The tables of step-parts; only step-parts.c includes it. */
/* SPDX-License-Identifier: MIT */
#ifndef STEP_PARTS_TABLES_H
#define STEP_PARTS_TABLES_H

#include "parts.h"
#include "rows.h"

#define OF_A_STEP(Row)                                                                \
  MILL_KEY_BRIEF(Row, rank, "rank", NULL, "Rank, or number of the lane without one"), \
      MILL_KEY_BRIEF(Row, step, "step", NULL, "Number of the step"),                  \
      MILL_COLUMN(Row, is_warmup, "warmup", NULL, 0,                                  \
                  "A leading step longer than 1.5 times the median of those after it")

static const MillColumn part_columns[] = {
  OF_A_STEP(PartRow),
  MILL_KEY_BRIEF(PartRow, part, "part", NULL, "compute, exposed-comm, exposed-copy, or idle"),
  MILL_KEY_BRIEF(PartRow, cause, "cause", NULL,
                 "Of exposed-comm: wait, transfer, or unsplit where not all ranks are there; of "
                 "idle: what the "
                 "thread that launches the next work was doing"),
  MILL_BRIEF(PartRow, time_ns, "time", "ns", "Mean over the devices of the rank"),
};

static const MillColumn span_columns[] = {
  MILL_KEY_BRIEF(SpanRow, rank, "rank", NULL, "Rank, or number of the lane without one"),
  MILL_BRIEF(SpanRow, steps, "steps", "count",
             "Steps after warm-up; without any step all time is one"),
  MILL_BRIEF(SpanRow, warmup, "warmup", "count", "Steps of warm-up"),
  MILL_BRIEF(SpanRow, span_ns, "span", "ns", "Time of the steps after warm-up"),
  MILL_COLUMN(SpanRow, is_judged, "judged", NULL, 0,
              "Rules judge the rank"),
  MILL_COLUMN(SpanRow, why_not, "why_not", NULL, 0,
              "Why rules do not: fewer than five steps, frames of Python, or several runs"),
};

static const MillColumn copy_columns[] = {
  OF_A_STEP(CopyRow),
  MILL_KEY_BRIEF(CopyRow, copy, "copy", NULL, "Name of the copies or fills"),
  MILL_BRIEF(CopyRow, exposed_ns, "exposed", "ns", "Time in which the device only copied"),
  MILL_BRIEF(
      CopyRow, sync_ns, "sync", "ns",
      "Idle time from its end on, in which the host waited for the device or had just waited"),
};

static const MillColumn collective_columns[] = {
  OF_A_STEP(StepCollectiveRow),
  MILL_KEY_BRIEF(StepCollectiveRow, collective, "collective", NULL, "Name of the collective"),
  MILL_BRIEF(StepCollectiveRow, wait_ns, "wait", "ns", "Exposed time until the last rank came"),
  MILL_BRIEF(StepCollectiveRow, transfer_ns, "transfer", "ns", "Exposed time after that"),
  MILL_COLUMN(StepCollectiveRow, unsplit_ns, "unsplit", "ns", 0,
              "Exposed time of collectives of which not all ranks are there"),
};

static const MillColumn arrival_columns[] = {
  MILL_KEY_BRIEF(ArrivalRow, group, "group", NULL, "Process group"),
  MILL_KEY(ArrivalRow, ranks, "ranks", NULL, "Its ranks, as the call says"),
  MILL_KEY_BRIEF(ArrivalRow, number, "number", NULL, "Number of the collective in the group"),
  MILL_COLUMN(ArrivalRow, name, "name", NULL, 0, "What the collective does"),
  MILL_BRIEF(ArrivalRow, step, "step", NULL, "Number of the step"),
  MILL_COLUMN(ArrivalRow, is_warmup, "warmup", NULL, 0, "The step is warm-up"),
  MILL_KEY_BRIEF(ArrivalRow, rank, "rank", NULL, "Rank, or number of the lane without one"),
  MILL_BRIEF(ArrivalRow, late_ns, "late", "ns", "How long after the first rank it came"),
  MILL_BRIEF(ArrivalRow, last, "last", NULL, "Rank that came last"),
};

static const MillColumn gap_columns[] = {
  MILL_KEY_BRIEF(GapRow, cause, "cause", NULL, "As in step-parts"),
  MILL_KEY_BRIEF(
      GapRow, name, "name", NULL,
      "Outermost operator or annotation of the host around it, else the call or slice itself"),
  MILL_BRIEF(GapRow, gaps, "gaps", "count", "How often"),
  MILL_BRIEF(GapRow, time_ns, "time", "ns", "Total time, of all devices"),
  MILL_BRIEF(GapRow, longest_ns, "longest", "ns", "The longest of them"),
};

static const MillColumn allocation_columns[] = {
  MILL_KEY_BRIEF(AllocationRow, name, "name", NULL, "Name of the call"),
  MILL_BRIEF(AllocationRow, calls, "calls", "count", "Calls after warm-up"),
  MILL_BRIEF(AllocationRow, time_ns, "time", "ns", "Total time of the host"),
};

static const MillTable tables[] = {
  [TABLE_PARTS] = { .per = MILL_PER_RUN,
                    .name = "step-parts",
                    .help = "Parts of each step, which add up to it, and their causes",
                    .columns = MILL_ROWS(part_columns) },
  [TABLE_SPANS] = { .per = MILL_PER_RUN,
                    .name = "step-spans",
                    .help = "How long the steps after warm-up took, by rank",
                    .columns = MILL_ROWS(span_columns) },
  [TABLE_COPIES] = { .per = MILL_PER_RUN,
                     .name = "step-copies",
                     .help = "Copies and fills that nothing hides, by step",
                     .columns = MILL_ROWS(copy_columns) },
  [TABLE_COLLECTIVES] = { .per = MILL_PER_RUN,
                          .name = "step-collectives",
                          .help = "Communication that nothing hides, by step and collective",
                          .columns = MILL_ROWS(collective_columns) },
  [TABLE_ARRIVALS] = { .per = MILL_PER_RUN,
                       .name = "arrivals",
                       .help =
                           "Who came late to which collective, where all of its ranks are there",
                       .columns = MILL_ROWS(arrival_columns) },
  [TABLE_GAPS] = { .per = MILL_PER_LANE,
                   .brief_rows = 8,
                   .name = "gap-causes",
                   .help = "Why devices were idle within steps",
                   .order = "-time",
                   .columns = MILL_ROWS(gap_columns) },
  [TABLE_ALLOCATIONS] = { .per = MILL_PER_LANE,
                          .name = "allocation-calls",
                          .help = "Calls that allocate or free memory of the device, after warm-up",
                          .order = "-time",
                          .columns = MILL_ROWS(allocation_columns) },
};

#endif
