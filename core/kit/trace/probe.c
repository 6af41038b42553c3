/* Records of a probed launch; see probe.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/probe.h"

#include <math.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kit/state/sort.h"
#include "kit/text/symbol.h"

void probe_open(ProbeReader *r, const MillHost *common)
{
  static const char *const fields[PROBE_N_FIELDS] = { "start",   "elapsed", "smid",  "end",
                                                      "sync",    "async",   "count", "clock",
                                                      "address", "page" };
  *r = (ProbeReader){ .common = common };
  r->launch = symbol_of(common, "probe.launch");
  r->section = symbol_of(common, "probe.section");
  r->unit = symbol_of(common, "probe.unit");
  r->tensor = symbol_of(common, "probe.tensor");
  r->page = symbol_of(common, "probe.page");
  r->key_section = symbol_of(common, "section");
  r->key_block = symbol_of(common, "block");
  r->key_unit = symbol_of(common, "unit");
  r->key_place = symbol_of(common, "place");
  for (uint32_t i = 0; i < PROBE_N_FIELDS; i++) r->keys[i] = symbol_of(common, fields[i]);
}

static int64_t int_of(const ProbeReader *r, const MillBatch *b, const MillEvent *e, const char *key)
{
  int64_t v = 0;
  mill_attr_int(b, e, symbol_of(r->common, key), &v);
  return v;
}

static uint32_t kind_of(const char *text, size_t len)
{
  static const char *const names[PROBE_OTHER] = {
    "block_sched", "sched", "amd", "gmem_bytes", "tensorop_count", "dmat", "program_progress", "acc"
  };
  for (uint32_t k = 0; k < PROBE_OTHER; k++)
    if (strlen(names[k]) == len && !memcmp(names[k], text, len)) return k;
  return PROBE_OTHER;
}

static void take_section(ProbeReader *r, const MillBatch *b, const MillEvent *e)
{
  const MillAttr *a = mill_attr(b, e, symbol_of(r->common, "schema"));
  size_t len = 0;
  const char *text = a ? mill_attr_text(b, a, &len) : NULL;
  int64_t at = int_of(r, b, e, "section");
  if (at < 0 || at >= (int64_t)PROBE_MAX_SECTIONS) return;
  r->sections[at] = (ProbeSection){ .kind = text ? kind_of(text, len) : PROBE_OTHER,
                                    .level = int_of(r, b, e, "level"),
                                    .capacity = int_of(r, b, e, "capacity"),
                                    .units = int_of(r, b, e, "units") };
  if (at >= (int64_t)r->n_sections) r->n_sections = (uint32_t)at + 1;
}

static void take_kernel(ProbeReader *r, const MillBatch *b, const MillEvent *e)
{
  const MillAttr *a = mill_attr(b, e, symbol_of(r->common, "kernel"));
  size_t len = 0;
  const char *text = a ? mill_attr_text(b, a, &len) : NULL;
  if (!text) return;
  bool cut = len >= sizeof r->kernel;
  if (cut) {
    len = sizeof r->kernel - sizeof "...";
    while (len && ((unsigned char)text[len] & 0xc0) == 0x80) len--; /* a character stays whole */
  }
  memcpy(r->kernel, text, len);
  strcpy(r->kernel + len, cut ? "..." : "");
}

const char *probe_kernel_text(const ProbeReader *r) { return *r->kernel ? r->kernel : NULL; }

MillText probe_sm_text(const ProbeReader *r, uint32_t sm, char out[PROBE_SM_TEXT])
{
  int len = snprintf(out, PROBE_SM_TEXT, "SM %u%s%s", sm, *r->kernel ? " of " : "", r->kernel);
  return (MillText){ out, (size_t)len };
}

MillText probe_address_text(uint64_t address, char out[PROBE_ADDRESS_TEXT])
{
  int len = snprintf(out, PROBE_ADDRESS_TEXT, "0x%" PRIx64, address);
  return (MillText){ out, (size_t)len };
}

bool probe_take(ProbeReader *r, const MillBatch *b, const MillEvent *e)
{
  if (e->name == r->section) {
    take_section(r, b, e);
    return true;
  }
  if (e->name != r->launch) return false;
  take_kernel(r, b, e);
  r->blocks = int_of(r, b, e, "blocks");
  r->threads = int_of(r, b, e, "block_x") * int_of(r, b, e, "block_y") * int_of(r, b, e, "block_z");
  return true;
}

int probe_check_held(const MillHost *common, uint64_t n, uint64_t bytes_each, int64_t max_held)
{
  if (n <= (uint64_t)max_held / bytes_each) return 0;
  return mill_fail(common, MILL_LIMIT, "the launch has more blocks or warps than may be held",
                   "raise the option max-held");
}

static void swap_columns(int64_t *rows, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    int64_t moved = rows[2 * i];
    rows[2 * i] = rows[2 * i + 1];
    rows[2 * i + 1] = moved;
  }
}

/* Rows of one start, by the number of the block: sorting leaves their order open. */
static void settle_ties(int64_t *rows, size_t n)
{
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && rows[2 * end] == rows[2 * i];) end++;
    if (end == i + 1) continue;
    swap_columns(rows + 2 * i, end - i);
    sort_rows(rows + 2 * i, end - i, 2);
    swap_columns(rows + 2 * i, end - i);
  }
}

void probe_sort_starts(int64_t *rows, size_t n)
{
  bool sorted = true;
  for (size_t i = 1; i < n && sorted; i++)
    sorted = rows[2 * i] > rows[2 * i - 2] ||
             (rows[2 * i] == rows[2 * i - 2] && rows[2 * i + 1] > rows[2 * i - 1]);
  if (sorted) return;
  sort_rows(rows, n, 2);
  settle_ties(rows, n);
}

double probe_percentile(const int64_t *sorted, size_t n, double p)
{
  double at = (double)(n - 1) * p / 100;
  size_t low = (size_t)at;
  if (low + 1 >= n) return (double)sorted[n - 1];
  return (double)sorted[low] + (at - (double)low) * (double)(sorted[low + 1] - sorted[low]);
}

double probe_percent(double part, double whole)
{
  return whole > 0 ? 100 * part / whole : (double)NAN;
}
