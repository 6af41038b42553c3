/* Reading transfers; see transfer-read.h. */
/* SPDX-License-Identifier: MIT */
#include "comm/lib/transfer-read.h"

#include <string.h>

#include "kit/numbers/interval.h"
#include "kit/text/symbol.h"
#include "kit/trace/transfer.h"

#define NOT_SYNC UINT32_MAX

void transfer_reader_open(TransferReader *r, const MillHost *common)
{
  *r = (TransferReader){ .common = common };
  r->group_key = symbol_of(common, "CollGroup");
  r->type_key = symbol_of(common, "Type");
  r->peer_key = symbol_of(common, "Peer");
  r->peers_key = symbol_of(common, "Peers");
  r->bytes_key = symbol_of(common, "bytes");
  r->bytes_capital_key = symbol_of(common, "Bytes");
}

/* The name without what makes it one of a kind, plus 1. */
static uint32_t find_sync(const TransferReader *r, MillSym name)
{
  size_t len, sync_len;
  const char *text = r->common->symbol_text(r->common, name, &len);
  const char *sync = transfer_sync(text, len, &sync_len);
  return sync ? r->common->intern(r->common, sync, sync_len) + 1 : NOT_SYNC;
}

static bool sync_of(TransferReader *r, MillSym name, MillSym *out)
{
  uint32_t sync = symmap_value(&r->syncs, name);
  if (sync == 0) {
    sync = find_sync(r, name);
    (void)symmap_put_value(r->common, &r->syncs, name, sync);
  }
  *out = sync - 1;
  return sync != NOT_SYNC;
}

bool transfer_has_sync(TransferReader *r, const MillEvent *e, MillSym *out_sync)
{
  return e->kind == MILL_SLICE && !(e->flags & MILL_FLAG_NO_TS) && sync_of(r, e->name, out_sync);
}

static bool find_peer(const TransferReader *r, const MillBatch *batch, const MillEvent *e,
                      int64_t *out)
{
  const MillAttr *peers = mill_attr(batch, e, r->peer_key);
  if (!peers) peers = mill_attr(batch, e, r->peers_key);
  return transfer_peer(r->common, batch, peers, out);
}

static bool own_rank(const TransferReader *r, const MillEvent *e, int64_t *out)
{
  MillLane lane = { .size = sizeof lane, .rank = -1 };
  uint32_t index = r->common->track_lane(r->common, e->track);
  if (index != MILL_NO_LANE) r->common->lane(r->common, index, &lane);
  return transfer_rank(r->common, e, lane.rank, out);
}

static TransferFound find_kind(const TransferReader *r, const MillBatch *batch, const MillEvent *e,
                               FlowKind *out)
{
  static const struct {
    const char *text;
    FlowKind kind;
  } types[] = { { "SingleCast", FLOW_SEND },
                { "MultiCast XSEG", FLOW_SEGMENT },
                { "WDone Barrier", FLOW_RECEIVE },
                { "MultiCast", FLOW_MULTICAST } };
  static const char prepares[] = "Set BCList";
  char number[DIGITS_MAX];
  size_t len;
  const MillAttr *attr = mill_attr(batch, e, r->type_key);
  const char *text = transfer_text(r->common, batch, attr, number, &len);
  if (!attr) return TRANSFER_NONE;
  for (uint32_t i = 0; text && i < MILL_COUNT(types); i++)
    if (strlen(types[i].text) == len && memcmp(types[i].text, text, len) == 0) {
      *out = types[i].kind;
      return TRANSFER_READ;
    }
  bool known = text && len == strlen(prepares) && memcmp(prepares, text, len) == 0;
  return known ? TRANSFER_NONE : TRANSFER_UNKNOWN_TYPE;
}

static int64_t read_bytes(const TransferReader *r, const MillBatch *batch, const MillEvent *e)
{
  int64_t bytes = 0;
  size_t len;
  if (mill_attr_int(batch, e, r->bytes_key, &bytes)) return bytes;
  if (mill_attr_int(batch, e, r->bytes_capital_key, &bytes)) return bytes;
  const char *name = r->common->symbol_text(r->common, e->name, &len);
  return transfer_name_bytes(name, len);
}

TransferFound transfer_read(const TransferReader *r, const MillBatch *batch, const MillEvent *e,
                            MillSym sync, FlowTransfer *out)
{
  *out = (FlowTransfer){ .ts_ns = e->ts_ns, .sync = sync, .track = e->track, .receiver = -1 };
  TransferFound found = find_kind(r, batch, e, &out->kind);
  if (found != TRANSFER_READ) return found;
  bool has_rank = own_rank(r, e, &out->rank);
  out->end_ns = interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0);
  out->bytes = read_bytes(r, batch, e);
  if (!has_rank) out->rank = -1;
  if (out->kind == FLOW_RECEIVE) out->receiver = out->rank;
  if (out->kind == FLOW_RECEIVE && !has_rank) return TRANSFER_NO_RANK;
  if (flow_sends(out) && !find_peer(r, batch, e, &out->receiver)) return TRANSFER_NO_PEER;
  return TRANSFER_READ;
}

MillSym transfer_group(const TransferReader *r, const MillBatch *batch, const MillEvent *e)
{
  char number[DIGITS_MAX];
  size_t len;
  const MillAttr *attr = mill_attr(batch, e, r->group_key);
  const char *text = transfer_text(r->common, batch, attr, number, &len);
  return text ? r->common->intern(r->common, text, len) : 0;
}
