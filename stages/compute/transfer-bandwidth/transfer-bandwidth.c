/* How fast data moves to and from the device: the counter TransferBW, the bandwidth of all transfers under way.  Torch
 * traces say how fast each was; of an AIU's own traces, its bytes over its time tell. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/devices/device.h"
#include "kit/state/instance.h"
#include "compute/lib/level.h"
#include "kit/text/symbol.h"
#include "kit/trace/transfer.h"

enum { NOTICE_UNREADABLE = 1, NOTICE_NO_END = 2 };
enum { MOVES = 1, MOVES_NOT = 2 }; /* classes of the attribute class */

#define BANDWIDTH_ATTR "memory bandwidth (GB/s)"
#define BYTES_OF_GB 1e9 /* weights are bytes per second, so that they add up exactly */
#define MAX_GBPS 9e9    /* more is no bandwidth, nor an int64 of bytes per second */

typedef struct Options {
  bool bytes;
} Options;

typedef struct TransferBandwidth {
  const MillStageHost *host;
  const MillHost *common;
  bool uses_bytes;
  MillSym class_key, bandwidth_key, bytes_key;
  SymClass classes;
  DeviceWords words;
  Level level;
} TransferBandwidth;

static int transfer_bandwidth_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                                   const void *options, void **out_instance)
{
  (void)self, (void)level;
  TransferBandwidth *t = instance_new(TransferBandwidth, host, out_instance);
  if (!t) return -MILL_LIMIT;
  t->uses_bytes = ((const Options *)options)->bytes;
  t->class_key = symbol_of(t->common, "class");
  t->bandwidth_key = symbol_of(t->common, BANDWIDTH_ATTR);
  t->bytes_key = symbol_of(t->common, "bytes");
  device_open(&t->words, t->common);
  t->level = (Level){ .host = host,
                      .name = symbol_of(t->common, "TransferBW"),
                      .key = symbol_of(t->common, "GB/s"),
                      .per = BYTES_OF_GB };
  return 0;
}

/* ---- which events */

static bool class_moves(const char *text, size_t len)
{
  static const char *const classes[] = { "DATA_IN", "DATA_OUT", "MAIU_PROTOCOL_RECV_DATA",
                                         "MAIU_PROTOCOL_SEND_DATA" };
  for (uint32_t i = 0; i < MILL_COUNT(classes); i++)
    if (strlen(classes[i]) == len && memcmp(classes[i], text, len) == 0) return true;
  return false;
}

/* The class is a symbol where a stage of this run gave it, else the text that was read. */
static bool moves_data(TransferBandwidth *t, const MillBatch *b, const MillEvent *e)
{
  char number[DIGITS_MAX];
  size_t len;
  const MillAttr *class = mill_attr(b, e, t->class_key);
  bool is_sym = class && (class->type & MILL_ATTR_TYPE) == MILL_SYM;
  uint8_t known = is_sym ? symclass_get(&t->classes, class->u.sym) : 0;
  if (known) return known == MOVES;
  const char *text = transfer_text(t->common, b, class, number, &len);
  bool moves = text && class_moves(text, len);
  if (is_sym) symclass_put(t->common, &t->classes, class->u.sym, moves ? MOVES : MOVES_NOT);
  return moves;
}

/* ---- how fast */

/* False: it does not say, or no number above 0. */
static bool stated_gbps(TransferBandwidth *t, const MillBatch *b, uint32_t index, double *out)
{
  const MillAttr *attr = mill_attr(b, &b->events[index], t->bandwidth_key);
  uint32_t type = attr ? attr->type & MILL_ATTR_TYPE : MILL_NONE;
  if (type == MILL_NONE) return false;
  *out = type == MILL_INT ? (double)attr->u.i : type == MILL_REAL ? attr->u.r : -1;
  if (!(*out >= 0 && *out <= MAX_GBPS))
    t->common->note(t->common, NOTICE_UNREADABLE, b, index, NULL, 0);
  return *out > 0 && *out <= MAX_GBPS;
}

/* Bytes over nanoseconds are GB/s. */
static bool computed_gbps(TransferBandwidth *t, const MillBatch *b, uint32_t index, double *out)
{
  const MillEvent *e = &b->events[index];
  const MillAttr *attr = mill_attr(b, e, t->bytes_key);
  int64_t bytes = -1;
  if (!t->uses_bytes || !attr || e->dur_ns <= 0 || !device_has(&t->words, b, e)) return false;
  if (!transfer_number(t->common, b, attr, &bytes) || bytes < 0)
    t->common->note(t->common, NOTICE_UNREADABLE, b, index, NULL, 0);
  *out = (double)bytes / (double)e->dur_ns;
  return *out > 0 && *out <= MAX_GBPS;
}

static int take(TransferBandwidth *t, const MillBatch *b, uint32_t index)
{
  const MillEvent *e = &b->events[index];
  double gbps = 0;
  if (!stated_gbps(t, b, index, &gbps) && !computed_gbps(t, b, index, &gbps)) return 0;
  if (e->dur_ns >= 0) return level_open(&t->level, e, llround(gbps * BYTES_OF_GB));
  t->common->note(t->common, NOTICE_NO_END, b, index, NULL, 0);
  return 0;
}

static int transfer_bandwidth_process(void *instance, MillBatch *b)
{
  TransferBandwidth *t = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status >= 0; i++) {
    if (b->events[i].flags & MILL_FLAG_NO_TS) continue;
    status = level_reach(&t->level, b, i);
    if (status >= 0 && b->events[i].kind == MILL_SLICE && moves_data(t, b, &b->events[i]))
      status = take(t, b, i);
  }
  return status;
}

static int transfer_bandwidth_flush(void *instance, MillBatch *b)
{
  TransferBandwidth *t = instance;
  return level_finish(&t->level, b);
}

/* ---- the descriptor */

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = transfer_bandwidth_open,
  .process = transfer_bandwidth_process,
  .flush = transfer_bandwidth_flush,
};

static const MillOption options[] = {
  MILL_BOOL_OPTION(Options, bytes, "bytes", "false",
                   "For transfers without a bandwidth, divide bytes by time"),
};

static const MillNotice notices[] = {
  MILL_WARNING(NOTICE_UNREADABLE,
               "{count} transfer[|s] in {lane} [has|have] a size or bandwidth that cannot be read",
               "the counter TransferBW leaves [it|them] out",
               "check how the trace was written: memory bandwidth (GB/s) is a number from 0, bytes "
               "is a whole number from 0",
               "A transfer has its bandwidth in memory bandwidth (GB/s), or its size in bytes. The "
               "value here is not such a number, for example NaN or a negative number. The counter "
               "is too low while this transfer lasts."),
  MILL_WARNING(
      NOTICE_NO_END, "{count} transfer[|s] in {lane} [has|have] no duration",
      "the counter TransferBW leaves [it|them] out",
      "check how the trace was written: the slices lack dur, or it is negative",
      "The counter falls when a transfer ends. Without the duration the transfer cannot be "
      "counted. The slice is not changed."),
};

static const MillRead reads[] = {
  DEVICE_READS,
  { "class", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { BANDWIDTH_ATTR, MILL_AS_REAL, MILL_KIND(MILL_SLICE) },
  { "bytes", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
};

static const char *const needs[] = { "slices", "order.lane", "attr.class", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "transfer-bandwidth",
  .family = "compute",
  .version = "1.0.0",
  .tag = "XFER",
  .title = "Show the bandwidth of transfers to and from the device",
  .help =
      "Adds the counter TransferBW: the sum of the bandwidths of all transfers of a rank that run "
      "at a time. The bandwidth is the one in the trace, or comes from the bytes.",
  .needs = needs,
  OWN_ROWS(options, notices, reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
