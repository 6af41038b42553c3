/* What the files of the access-map stage share: the instance, its groups, its grid. */
/* SPDX-License-Identifier: MIT */
#ifndef ACCESS_MAP_H
#define ACCESS_MAP_H

#include "kit/trace/probe-pairs.h"
#include "kit/trace/probe.h"

enum { TABLE_ALL, TABLE_GROUPS, TABLE_CELLS, TABLE_PAGES, TABLE_WORKING_SET, TABLE_REUSE };
enum { NOTICE_LATE = 20, NOTICE_COARSE = 21, NOTICE_LARGER = 22, NOTICE_WRAPPED = 23, NOTICE_FAR = 24 };
enum { COLUMNS = 161, ROWS = 101, TOP_PAGES = 10, REUSE_BINS = 41, N_BOUNDS = 4, MAX_NAMED = 12 };

typedef struct Options {
  int64_t page, clock_limit, max_pairs;
  bool keep_empty, regions;
} Options;

typedef struct Group { /* pages of a tensor, of a region, or of none of them */
  char *label;
  uint64_t pointer;
  size_t first, end; /* ranks of pages */
  bool rest;         /* only those that are in no other group */
  bool named;        /* in the picture: it is not one of the others */
} Group;

typedef struct Map {
  const MillStageHost *host;
  const Options *options;
  ProbeReader reader;
  ProbePairs pairs;
  uint64_t places, used; /* of units; those with an access */
  Group *groups;
  size_t n_groups, groups_capacity;
  size_t n_others; /* groups that the picture does not name: there are no more colours */
  struct Tensor {
    uint64_t pointer, bytes;
    char *label;
  } * tensors;
  size_t n_tensors, tensors_capacity;
  ProbePairRows rows;
  uint64_t qx, qy; /* clocks of a column, pages of a row */
  uint64_t late;   /* pairs beyond the limit */
  uint64_t *cells; /* of one group */
  bool *owned;     /* pages that are in a tensor */
} Map;

bool map_make_groups(Map *x);
int map_group_rows(Map *x);   /* access-groups and access-cells */
int map_page_rows(Map *x);    /* access-pages */
int map_history_rows(Map *x); /* working-set and page-reuse */

/* Where the pairs of a page begin. */
size_t map_pairs_from(const Map *x, size_t page);
static inline uint64_t map_clock(const Map *x, const ProbePairRow *r)
{
  return probe_row_clock(r) << x->pairs.shift;
}
static inline bool map_is_late(const Map *x, const ProbePairRow *r)
{
  return map_clock(x, r) >= (uint64_t)x->options->clock_limit;
}

typedef struct WorkingRow {
  int64_t column, pages, new_pages;
} WorkingRow;

typedef struct ReuseRow {
  int64_t low, high, count;
} ReuseRow;

typedef struct PageRow {
  MillText page;
  int64_t references;
} PageRow;

typedef struct GroupRow {
  int64_t group;
  const char *label;
  MillText ptr;
  int64_t references, cells;
  double p20, p40, p60, p80;
} GroupRow;

typedef struct CellRow {
  int64_t group, row, column, count, level, clock;
  MillText page;
  int64_t page_number;
  const char *tensor;
} CellRow;

#endif
