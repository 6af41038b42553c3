/* The parts of the text summary: headline metrics, and the first rows of tables. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_TEXT_BLOCK_H
#define SINK_TEXT_BLOCK_H

#include <glib.h>
#include <stagemill/sink.h>

/* How much is shown. */
typedef struct Extent {
  uint32_t width; /* of the widest line */
  uint32_t lines; /* for tables that can be shortened */
  uint64_t rows;  /* of each table; 0: as many as it asks for and `lines` allow */
  const char *only; /* views, with commas between, or NULL: other tables are not shown */
  bool is_screen;   /* lines are scarce */
} Extent;

#define ALL_ROWS UINT64_MAX

/* Each starts with an empty line, or adds nothing at all. */
void block_metrics(GString *out, const MillHost *common, const MillResults *r, const Extent *x);
/* The most costly ones; on a screen three. */
void block_findings(GString *out, const MillResults *r, const Extent *x);
/* Groups, and tables with one row a lane, are shown whole.  The others share `lines`; what is hidden is counted, with
 * how to see it. */
void block_tables(GString *out, const MillHost *common, const MillResults *r, const Extent *x);

#endif
