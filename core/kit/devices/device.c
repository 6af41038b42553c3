/* Which events are work of the device; see device.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/device.h"
#include "kit/text/symbol.h"

#include "kit/trace/dialect.h"
#include "kit/text/words.h"

enum {
  KNOWN = 1,
  COMPUTES = 2,
  HCOLL = 4,
  MOVES = 8,
  IS_DEVICE = 16
}; /* bits of a symbol's class */

void device_open(DeviceWords *d, const MillHost *common)
{
  *d = (DeviceWords){ .common = common, .is_named = lane_names_device_work(common) };
  d->stamp = symbol_of(common, "TS1");
  d->stamps = symbol_of(common, "cycles_ts");
  d->group = symbol_of(common, "CollGroup");
}

static uint8_t read_name(const DeviceWords *d, const char *text, size_t len)
{
  bool nccl = d->is_named && (words_have(text, len, "nccl") || words_have(text, len, "NCCL"));
  bool hcoll = words_have(text, len, "HCOLL"),
       rdma = words_have(text, len, "Rdma") || words_have(text, len, "RDMA");
  uint8_t bits = KNOWN;
  if (words_end_with(text, len, "Cmpt Exec")) bits |= COMPUTES;
  if (hcoll) bits |= HCOLL;
  if (nccl || rdma || (d->is_named && hcoll)) bits |= MOVES;
  return bits;
}

static uint8_t read_cat(const DeviceWords *d, const char *text, size_t len)
{
  (void)d;
  bool kernel = words_have(text, len, "kernel");
  uint8_t bits = KNOWN;
  if (kernel) bits |= COMPUTES;
  if (kernel || words_have(text, len, "gpu")) bits |= IS_DEVICE;
  return bits;
}

static uint8_t bits_of(const DeviceWords *d, SymClass *known, MillSym sym,
                       uint8_t (*read)(const DeviceWords *, const char *, size_t))
{
  uint8_t bits = symclass_get(known, sym);
  if (bits) return bits;
  size_t len;
  const char *text = d->common->symbol_text(d->common, sym, &len);
  bits = read(d, text, len);
  symclass_put(d->common, known, sym, bits);
  return bits;
}

bool device_has(DeviceWords *d, const MillBatch *batch, const MillEvent *e)
{
  if (e->kind != MILL_SLICE) return false;
  if (d->is_named) return bits_of(d, &d->cats, e->cat, read_cat) & IS_DEVICE;
  return e->n_attrs > 0 && (mill_attr(batch, e, d->stamp) || mill_attr(batch, e, d->stamps));
}

bool device_computes(DeviceWords *d, const MillEvent *e)
{
  uint8_t bits = d->is_named ? bits_of(d, &d->cats, e->cat, read_cat)
                             : bits_of(d, &d->names, e->name, read_name);
  return bits & COMPUTES;
}

bool device_is_collective(DeviceWords *d, const MillBatch *batch, const MillEvent *e)
{
  if (d->is_named) return bits_of(d, &d->names, e->name, read_name) & HCOLL;
  return mill_attr(batch, e, d->group) != NULL;
}

bool device_communicates(DeviceWords *d, const MillBatch *batch, const MillEvent *e)
{
  return bits_of(d, &d->names, e->name, read_name) & MOVES || device_is_collective(d, batch, e);
}
