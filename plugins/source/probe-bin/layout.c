/* Headers and section tables of traces: which of the three layouts a section has, and what cannot be. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe-bin.h"

#define MAX_THREADS 1024u

static bool refuse(char **out_why, uint32_t *out_number, uint32_t number, char *why)
{
  *out_why = why;
  *out_number = number;
  return false;
}

static bool count_blocks(ProbeLaunch *l, char **out_why, uint32_t *out_number)
{
  uint64_t threads = 1;
  l->n_blocks = 1;
  for (int i = 0; i < 3; i++)
    if (__builtin_mul_overflow(l->n_blocks, l->grid[i], &l->n_blocks) ||
        __builtin_mul_overflow(threads, l->block[i], &threads))
      return refuse(out_why, out_number, PB_HEADER, g_strdup("the grid or the block overflows"));
  if (l->n_blocks == 0 || threads == 0)
    return refuse(out_why, out_number, PB_HEADER, g_strdup("the grid or the block is empty"));
  if (threads > MAX_THREADS)
    return refuse(out_why, out_number, PB_HEADER,
                  g_strdup_printf("a block of %" G_GUINT64_FORMAT " threads", threads));
  l->n_threads = (uint32_t)threads;
  if (l->n_blocks > INT64_MAX / 2048)
    return refuse(out_why, out_number, PB_HEADER, g_strdup("the grid is too large"));
  return true;
}

static uint64_t ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

/* Units that the host reserves. */
static uint64_t units_of(const ProbeLaunch *l, uint32_t level)
{
  return l->n_blocks * ceil_div(l->n_threads, level);
}

/* ---------------------------------------------------------------- the table */

static void set_extents(ProbeLaunch *l, uint64_t file_bytes)
{
  for (uint32_t i = 0; i < l->n_sections; i++) {
    ProbeSection *s = &l->sections[i];
    uint64_t end = i + 1 < l->n_sections ? l->sections[i + 1].offset : file_bytes;
    s->extent = end - s->offset;
  }
}

static bool is_divisor(uint64_t word)
{
  uint64_t high = word >> 32;
  return high == PROBE_THREAD || high == PROBE_WARP || high == PROBE_WAVE;
}

/* A writer of sections by divisor computed offsets from floor(G*B*size/32), and wrote ceil: then the sections lie one
 * after another as large as they are, and the file ends where they do. */
static bool shift_offsets(ProbeLaunch *l, uint64_t file_bytes)
{
  uint64_t at[PROBE_MAX_SECTIONS], end = PROBE_HEADER + (uint64_t)l->n_sections * PROBE_ENTRY;
  uint64_t said = end;
  bool differ = false;
  for (uint32_t i = 0; i < l->n_sections; i++) {
    const ProbeSection *s = &l->sections[i];
    uint32_t level = (uint32_t)(s->word >> 32), unit = (uint32_t)s->word;
    uint64_t bytes, floor_bytes;
    if (!is_divisor(s->word) || s->offset != said) return false;
    at[i] = end;
    if (__builtin_mul_overflow(units_of(l, level), unit, &bytes) ||
        __builtin_mul_overflow(l->n_blocks * l->n_threads, unit, &floor_bytes) ||
        __builtin_add_overflow(end, bytes, &end))
      return false;
    said += floor_bytes / level;
    differ = differ || floor_bytes / level != bytes;
  }
  if (!differ || end != file_bytes || l->n_sections < 2) return false;
  for (uint32_t i = 0; i < l->n_sections; i++) l->sections[i].offset = at[i];
  return true;
}

static bool check_offsets(const ProbeLaunch *l, uint64_t file_bytes, char **out_why,
                          uint32_t *out_number)
{
  uint64_t least = PROBE_HEADER + (uint64_t)l->n_sections * PROBE_ENTRY;
  for (uint32_t i = 0; i < l->n_sections; i++) {
    uint64_t offset = l->sections[i].offset;
    const char *why = offset < PROBE_HEADER + (uint64_t)l->n_sections * PROBE_ENTRY
                          ? "begins within the table of sections"
                      : offset > file_bytes ? "begins beyond the file"
                      : offset < least      ? "begins before the one before it"
                                            : NULL;
    if (why)
      return refuse(out_why, out_number, PB_SECTION,
                    g_strdup_printf("section %u %s: offset %" G_GUINT64_FORMAT, i, why, offset));
    least = offset;
  }
  return true;
}

bool launch_read(ProbeLaunch *l, const uint8_t *head, size_t len, uint64_t file_bytes,
                 char **out_why, uint32_t *out_number)
{
  *l = (ProbeLaunch){ 0 };
  if (file_bytes < PROBE_HEADER || len < PROBE_HEADER)
    return refuse(out_why, out_number, PB_SHORT,
                  g_strdup_printf("the file has %" G_GUINT64_FORMAT " bytes, and its header has 32",
                                  file_bytes));
  for (int i = 0; i < 3; i++) {
    l->grid[i] = get_u32(head + 4 * i);
    l->block[i] = get_u32(head + 12 + 4 * i);
  }
  l->shared = get_u32(head + 24);
  uint32_t n = get_u32(head + 28);
  if (n == 0) return refuse(out_why, out_number, PB_HEADER, g_strdup("there are no sections"));
  if (!count_blocks(l, out_why, out_number)) return false;
  if (n > (file_bytes - PROBE_HEADER) / PROBE_ENTRY)
    return refuse(out_why, out_number, PB_SECTION,
                  g_strdup_printf("the table of %u sections is beyond the file", n));
  if (n > PROBE_MAX_SECTIONS || PROBE_HEADER + (uint64_t)n * PROBE_ENTRY > len)
    return refuse(out_why, out_number, PB_SECTION,
                  g_strdup_printf("%u sections are more than a probe has", n));
  l->n_sections = n;
  for (uint32_t i = 0; i < n; i++) {
    l->sections[i].word = get_u64(head + PROBE_HEADER + i * PROBE_ENTRY);
    l->sections[i].offset = get_u64(head + PROBE_HEADER + i * PROBE_ENTRY + 8);
  }
  l->shifted = shift_offsets(l, file_bytes);
  if (!check_offsets(l, file_bytes, out_why, out_number)) return false;
  set_extents(l, file_bytes);
  return true;
}

/* --------------------------------------------------------------- the layout */

/* units(level) * unit is the extent, or less of it where `less`. */
static bool fills(const ProbeLaunch *l, const ProbeSection *s, uint32_t level, uint64_t unit,
                  bool less)
{
  uint64_t bytes;
  if (__builtin_mul_overflow(units_of(l, level), unit, &bytes)) return false;
  return less ? bytes <= s->extent : bytes == s->extent;
}

static bool set(ProbeSection *s, ProbeLayout layout, uint32_t level, uint64_t unit)
{
  s->layout = layout;
  s->level = level;
  s->unit_bytes = unit;
  return true;
}

/* Levels that records of the schema may have, its own first: a warp has 32 threads or 64. */
static size_t levels_of(const ProbeSchema *schema, uint32_t *out)
{
  out[0] = schema->level;
  if (schema->level == PROBE_THREAD) return 1;
  out[1] = schema->level == PROBE_WARP ? PROBE_WAVE : PROBE_WARP;
  return 2;
}

static bool has_places(const ProbeSchema *schema, uint64_t unit)
{
  uint64_t places = unit / schema->record_bytes;
  if (unit % schema->record_bytes) return false;
  if (schema->capacity) return places == schema->capacity;
  return places <= 1 || schema->kind > SCHEMA_AMD; /* a warp runs once */
}

/* Of levels that divide the section, one whose units hold whole records comes first. */
static bool of_total(const ProbeLaunch *l, ProbeSection *s, const ProbeSchema *schema)
{
  uint32_t levels[2];
  size_t n = levels_of(schema, levels);
  for (int strict = 1; strict >= 0; strict--) {
    for (size_t i = 0; i < n; i++) {
      uint64_t units = units_of(l, levels[i]);
      if (s->extent % units == 0 && (!strict || has_places(schema, s->extent / units)))
        return set(s, LAYOUT_TOTAL, levels[i], s->extent / units);
    }
  }
  return false;
}

/* Bytes of a unit; of levels that fit, those of the schema come first. */
static bool of_unit(const ProbeLaunch *l, ProbeSection *s, const ProbeSchema *schema)
{
  uint32_t levels[5] = { 0 };
  size_t n = levels_of(schema, levels);
  levels[n++] = PROBE_THREAD;
  levels[n++] = PROBE_WARP;
  levels[n++] = PROBE_WAVE;
  for (size_t i = 0; i < n; i++)
    if (fills(l, s, levels[i], s->word, false)) return set(s, LAYOUT_UNIT, levels[i], s->word);
  return false;
}

static bool tell(const ProbeLaunch *l, ProbeSection *s, const ProbeSchema *schema)
{
  uint64_t high = s->word >> 32, low = s->word & UINT32_MAX, threads = l->n_blocks * l->n_threads;
  if (is_divisor(s->word) && fills(l, s, (uint32_t)high, low, true))
    return set(s, LAYOUT_DIVISOR, (uint32_t)high, low);
  s->size_unknown = s->word == UINT64_MAX;
  if (s->size_unknown)
    return s->extent % threads == 0 && set(s, LAYOUT_UNIT, PROBE_THREAD, s->extent / threads);
  if (s->word == s->extent && threads > 1) return of_total(l, s, schema);
  /* One writer fills in the size alone, cut to 32 bits; the other half is whatever was there. */
  if (high && low == (s->extent & UINT32_MAX)) return of_total(l, s, schema);
  return of_unit(l, s, schema);
}

static bool fits(const ProbeSection *s, const ProbeSchema *schema)
{
  bool warps = s->level >= PROBE_WARP && schema->level >= PROBE_WARP;
  if (s->level != schema->level && !warps) return false;
  return has_places(schema, s->unit_bytes);
}

/* What the entry says, in words. */
static char *misfit(const ProbeSection *s, uint32_t number)
{
  uint64_t high = s->word >> 32, low = s->word & UINT32_MAX;
  if (is_divisor(s->word))
    return g_strdup_printf("section %u says %" G_GUINT64_FORMAT " bytes for each %" G_GUINT64_FORMAT
                           " thread%s, and has %" G_GUINT64_FORMAT " bytes",
                           number, low, high, high == 1 ? "" : "s", s->extent);
  return g_strdup_printf("section %u says %" G_GUINT64_FORMAT " bytes, and has %" G_GUINT64_FORMAT,
                         number, s->word, s->extent);
}

bool launch_tell(const ProbeLaunch *l, ProbeSection *s, const ProbeSchema *schema, char **out_why,
                 uint32_t *out_number)
{
  uint32_t number = (uint32_t)(s - l->sections);
  if (!tell(l, s, schema))
    return refuse(out_why, out_number, s->word == s->extent ? PB_MISFIT : PB_DAMAGED,
                  misfit(s, number));
  if (!fits(s, schema))
    return refuse(out_why, out_number, PB_MISFIT,
                  g_strdup_printf("section %u has %" G_GUINT64_FORMAT
                                  " bytes for each %u thread%s, and %s has records of %u bytes for "
                                  "each %u",
                                  number, s->unit_bytes, s->level, s->level == 1 ? "" : "s",
                                  schema->name, schema->record_bytes, schema->level));
  s->units_per_block = l->n_threads / s->level;
  s->capacity = s->unit_bytes / schema->record_bytes;
  return true;
}
