/* Reading, writing and timing device stamps; see stamps.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/stamps.h"

#include <string.h>

#include "base/num-digits.h"
#include "kit/text/symbol.h"
#include "kit/text/words.h"

__extension__ typedef __int128 SignedWide;

void stamps_open(StampReader *r, const MillHost *common)
{
  static const char *const names[STAMPS] = { "TS1", "TS2", "TS3", "TS4", "TS5" };
  *r = (StampReader){ .common = common };
  for (int i = 0; i < STAMPS; i++) r->key[i] = common->intern(common, names[i], 3);
  r->list = symbol_of(common, "cycles_ts");
}

/* -------------------------------------------------------------------- names */

static uint8_t part_of_name(const char *text, size_t len)
{
  static const char *const words[] = { " DmaI", " Cmpt Prep", " Cmpt Exec", " DmaO" };
  for (int i = 0; i < 4; i++)
    if (words_have(text, len, words[i])) return (uint8_t)(i + 1);
  if (words_end_with(text, len, "_DmaI")) return STAMP_DMA_IN;
  if (words_end_with(text, len, "_Cmpt")) return STAMP_EXEC;
  if (words_end_with(text, len, "_DmaO")) return STAMP_DMA_OUT;
  return STAMP_WHOLE;
}

StampPart stamps_part(StampReader *r, MillSym name)
{
  return (StampPart)symclass_of(r->common, &r->parts, name, part_of_name);
}

/* ------------------------------------------------------------------ reading */

static void add(Stamps *s, const MillBatch *batch, const MillAttr *attr, uint32_t k)
{
  int64_t value;
  size_t len;
  const char *text = mill_attr_text(batch, attr, &len);
  s->n_named++;
  if ((attr->type & MILL_ATTR_TYPE) == MILL_INT)
    value = attr->u.i;
  else if (!text || !digits_read(text, len, &value))
    return;
  s->cycles[k] = value;
  s->has[k] = true;
  s->is_text[k] = text != NULL;
  s->n++;
}

/* A counter is not at 0 for the whole of an event: nobody took these. */
static bool were_not_taken(const Stamps *s)
{
  if (s->n < STAMPS) return false;
  for (uint32_t k = 0; k < STAMPS; k++)
    if (s->cycles[k] != 0) return false;
  return true;
}

bool stamps_read(StampReader *r, const MillBatch *batch, const MillEvent *e, Stamps *s)
{
  memset(s, 0, sizeof *s);
  uint32_t in_list = 0;
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *attr = &batch->attrs[e->attrs + i];
    if (attr->key == r->list && in_list < STAMPS) {
      if (!s->has[in_list]) add(s, batch, attr, in_list);
      s->is_text[in_list++] = false;
    }
    for (uint32_t k = 0; k < STAMPS; k++)
      if (attr->key == r->key[k] && !s->has[k]) add(s, batch, attr, k);
  }
  s->all_zero = were_not_taken(s);
  if (s->n == 0 || s->all_zero) return false;
  s->part = stamps_part(r, e->name);
  return true;
}

/* ------------------------------------------------------------------ writing */

static int write_one(const StampReader *r, const MillStageHost *host, MillBatch *batch,
                     uint32_t index, const Stamps *s, uint32_t k)
{
  char text[DIGITS_MAX];
  MillValue value = mill_int(s->cycles[k]);
  if (s->is_text[k]) value = mill_text(text, digits_write(text, s->cycles[k]));
  return host->set(host, batch, index, r->key[k], value);
}

int stamps_write(const StampReader *r, const MillStageHost *host, MillBatch *batch, uint32_t index,
                 const Stamps *s)
{
  for (uint32_t k = 0; k < STAMPS; k++) {
    if (!s->has[k]) continue;
    int status = write_one(r, host, batch, index, s, k);
    if (status < 0) return status;
  }
  return 0;
}

/* --------------------------------------------------------------------- time */

int64_t stamps_hz(double mhz) { return (int64_t)(mhz * 1e6 + 0.5); }

int64_t stamps_span_ns(int64_t hz, int64_t cycles)
{
  SignedWide twice = (SignedWide)cycles * 2000000000;
  SignedWide ns = (twice + (twice < 0 ? -hz : hz)) / ((SignedWide)2 * hz);
  if (ns > INT64_MAX) return INT64_MAX;
  return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

int64_t stamps_time_ns(int64_t hz, const Stamps *s, const MillEvent *e, uint32_t k)
{
  int64_t cycles, ns;
  if (__builtin_sub_overflow(s->cycles[k], s->cycles[stamps_first(s->part)], &cycles))
    return e->ts_ns;
  if (__builtin_add_overflow(e->ts_ns, stamps_span_ns(hz, cycles), &ns)) return e->ts_ns;
  return ns;
}
