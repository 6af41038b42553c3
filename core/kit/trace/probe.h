/* Records of a probed launch as stages read them: the launch, its sections, and units, each a thread or a warp. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PROBE_H
#define KIT_PROBE_H

#include <stagemill/stage.h>

#include "kit/declare/rows.h"

enum { /* what the records of a section mean */
       PROBE_BLOCK_SCHED,
       PROBE_SCHED,
       PROBE_AMD,
       PROBE_GMEM,
       PROBE_TENSOROP,
       PROBE_DMAT,
       PROBE_PROGRESS,
       PROBE_ACC,
       PROBE_OTHER
};
#define PROBE_MAX_SECTIONS 256u

typedef struct ProbeSection {
  uint32_t kind;
  int64_t level, capacity, units;
} ProbeSection;

enum { /* attributes that stages ask for */
       PROBE_START,
       PROBE_ELAPSED,
       PROBE_SMID,
       PROBE_END,
       PROBE_SYNC,
       PROBE_ASYNC,
       PROBE_COUNT,
       PROBE_CLOCK,
       PROBE_ADDRESS,
       PROBE_PAGE,
       PROBE_N_FIELDS
};

typedef struct ProbeReader {
  const MillHost *common;
  MillSym launch, section, unit, tensor, page; /* names of records */
  MillSym key_section, key_block, key_unit, key_place;
  MillSym keys[PROBE_N_FIELDS];
  ProbeSection sections[PROBE_MAX_SECTIONS];
  uint32_t n_sections;
  int64_t blocks, threads; /* of a launch; of a block */
  char kernel[64];         /* the beginning of its name; "": it is not known */
} ProbeReader;

void probe_open(ProbeReader *r, const MillHost *common);
/* Takes what it says of the launch or a section; false: it is another record. */
bool probe_take(ProbeReader *r, const MillBatch *b, const MillEvent *e);

typedef struct ProbeUnit {
  const ProbeSection *section;
  int64_t block, unit, place;
  const MillAttr *fields, *end; /* all values of the record, lists as a key repeated */
} ProbeUnit;

/* Of an event named probe.unit; false: its section is not known. */
static inline bool probe_unit(const ProbeReader *r, const MillBatch *b, const MillEvent *e,
                              ProbeUnit *out)
{
  const MillAttr *a = &b->attrs[e->attrs];
  uint64_t section = 0;
  out->end = a + e->n_attrs;
  out->block = out->unit = out->place = 0;
  for (; a < out->end; a++) {
    if (a->key == r->key_section)
      section = (uint64_t)a->u.i;
    else if (a->key == r->key_block)
      out->block = a->u.i;
    else if (a->key == r->key_unit)
      out->unit = a->u.i;
    else if (a->key == r->key_place)
      out->place = a->u.i;
    else
      break;
  }
  out->fields = a;
  out->section = &r->sections[section < r->n_sections ? section : 0];
  return section < r->n_sections;
}

/* The next unit of the batch, from event *io_i on; what comes before it says something of the launch, and is taken.
 * NULL: no more. */
static inline const MillEvent *probe_next_unit(ProbeReader *r, const MillBatch *b, uint32_t *io_i,
                                               ProbeUnit *out)
{
  while (*io_i < b->n_events) {
    const MillEvent *e = &b->events[(*io_i)++];
    if (e->kind != MILL_RECORD) continue;
    if (e->name != r->unit)
      probe_take(r, b, e);
    else if (probe_unit(r, b, e, out))
      return e;
  }
  return NULL;
}

/* Where the list of that field begins, and how long it is. */
static inline const MillAttr *probe_list(const ProbeReader *r, const ProbeUnit *u, uint32_t field,
                                         size_t *out_n)
{
  const MillAttr *a = u->fields, *end;
  while (a < u->end && a->key != r->keys[field]) a++;
  for (end = a; end < u->end && end->key == r->keys[field];) end++;
  *out_n = (size_t)(end - a);
  return a;
}

/* The list of n values or more of a field, as a rule right behind another one; NULL: it is shorter. */
static inline const MillAttr *probe_list_behind(const ProbeReader *r, const ProbeUnit *u,
                                                const MillAttr *from, uint32_t field, size_t n)
{
  MillSym key = r->keys[field];
  /* Values of a field stand together: the first and the last of n are enough to be seen. */
  if ((size_t)(u->end - from) >= n && from->key == key && from[n - 1].key == key) return from;
  size_t found;
  const MillAttr *list = probe_list(r, u, field, &found);
  return found >= n ? list : NULL;
}

/* The start of a warp, or of a block, that left no record. */
#define PROBE_NO_START INT64_MIN
/* Whether a warp that starts at `start` and ran so long has one: what was not written is 0. */
static inline bool probe_has_run(int64_t start, uint64_t length)
{
  return start != 0 || length != 0;
}

/* Rows of `reads` that probe_take and probe_unit need.  Who does not read `unit` may get units of one place by the block:
 * lists that begin with `unit`, which is 0. */
#define PROBE_READS                                                                      \
  RECORD_TEXT("schema"), RECORD_TEXT("kernel"), RECORD_INT("section"), RECORD_INT("block"),  \
      RECORD_INT("place"), RECORD_INT("level"), RECORD_INT("capacity"), RECORD_INT("units"), \
      RECORD_INT("blocks"), RECORD_INT("block_x"), RECORD_INT("block_y"), RECORD_INT("block_z")

/* How much a stage may hold before it gives up; fails with MILL_LIMIT. */
#define PROBE_HELD_OPTION(S, f)              \
  MILL_SIZE_OPTION(S, f, "max-held", "2GiB", \
                   "1MiB:", "Memory for blocks or warps; more of them than fit are an error")
int probe_check_held(const MillHost *common, uint64_t n, uint64_t bytes_each, int64_t max_held);

/* The option sm names one that ran nothing. */
#define PROBE_NO_SM_NOTICE(number, table)                                                       \
  MILL_WARNING(number, "{count} launch[|es] [has|have] no block on the SM that was asked for",  \
               "table " table " is empty there", "leave the option sm out, or name another SM", \
               "The tables by SM say which ones a launch ran on.")

/* "0x7f0000010000" */
enum { PROBE_ADDRESS_TEXT = 20 };
MillText probe_address_text(uint64_t address, char out[PROBE_ADDRESS_TEXT]);

const char *probe_kernel_text(const ProbeReader *r); /* none where it is not known */
/* "SM 3 of KERNEL", as pictures say what they show. */
enum { PROBE_SM_TEXT = 96 };
MillText probe_sm_text(const ProbeReader *r, uint32_t sm, char out[PROBE_SM_TEXT]);

double probe_percent(double part, double whole); /* none where whole is 0 */
/* n rows of a start and the number of a block: by start, then number. */
void probe_sort_starts(int64_t *rows, size_t n);
/* As numpy has it: linear between the two nearest of n values, at least one, in order. */
double probe_percentile(const int64_t *sorted, size_t n, double p);

#endif
