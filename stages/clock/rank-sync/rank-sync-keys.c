/* Collectives are named by [sync=] and group, or by process group and sequence; see
 * rank-sync-keys.h. */
/* SPDX-License-Identifier: MIT */
#include "rank-sync-keys.h"

#include <string.h>

#include "kit/trace/transfer.h"
#include "rank-sync-match.h"

void sync_keys_open(SyncKeys *keys, const MillHost *common)
{
#define SYMBOL(text) common->intern(common, text, sizeof(text) - 1)
  *keys = (SyncKeys){
    .common = common,
    .group = SYMBOL("CollGroup"),
    .type = SYMBOL("Type"),
    .peer = SYMBOL("Peer"),
    .peers = SYMBOL("Peers"),
    .collective = SYMBOL("Collective name"),
    .process_group = SYMBOL("Process Group Name"),
    .ranks = SYMBOL("Process Group Ranks"),
    .seq = SYMBOL("Seq"),
    .kernel = SYMBOL("kernel"),
  };
#undef SYMBOL
}

static void add(SyncKey *key, const char *text, size_t len)
{
  if (len > SYNC_KEY_MAX - key->len) {
    key->too_long = true;
    return;
  }
  if (len) memcpy(key->text + key->len, text, len);
  key->len += len;
}

static void add_int(SyncKey *key, int64_t v)
{
  char number[DIGITS_MAX];
  add(key, number, digits_write(number, v));
}

/* A unit separator: no name of a group or collective holds it. */
static void add_break(SyncKey *key) { add(key, "\x1f", 1); }

static bool add_attr(const SyncKeys *keys, const MillBatch *batch, const MillAttr *attr,
                     SyncKey *key)
{
  char number[DIGITS_MAX];
  size_t len;
  const char *text = transfer_text(keys->common, batch, attr, number, &len);
  if (text) add(key, text, len);
  add_break(key);
  return text && len > 0;
}

static bool attr_is(const SyncKeys *keys, const MillBatch *batch, const MillAttr *attr,
                    const char *wanted)
{
  char number[DIGITS_MAX];
  size_t len;
  const char *text = transfer_text(keys->common, batch, attr, number, &len);
  return text && len == strlen(wanted) && memcmp(text, wanted, len) == 0;
}

static bool find_peer(const SyncKeys *keys, const MillBatch *batch, const MillEvent *e,
                      int64_t *out)
{
  const MillAttr *peers = mill_attr(batch, e, keys->peer);
  if (!peers) peers = mill_attr(batch, e, keys->peers);
  return transfer_peer(keys->common, batch, peers, out);
}

/* Transfers: the sender and the receiver name the same group, sync text and receiver. */
static bool find_transfer(const SyncKeys *keys, const MillBatch *batch, const MillEvent *e,
                          int64_t rank, const MillAttr *group, SyncKey *out)
{
  size_t name_len, sync_len = 0;
  int64_t receiver;
  const char *name = keys->common->symbol_text(keys->common, e->name, &name_len);
  const char *sync = transfer_sync(name, name_len, &sync_len);
  const MillAttr *type = mill_attr(batch, e, keys->type);
  if (!sync || !type) return false;
  if (attr_is(keys, batch, type, "WDone Barrier")) {
    out->role = SYNC_RECEIVED;
    if (!transfer_rank(keys->common, e, rank, &receiver)) return false;
  } else if (attr_is(keys, batch, type, "SingleCast") ||
             attr_is(keys, batch, type, "MultiCast XSEG")) {
    out->role = SYNC_SENT;
    if (!find_peer(keys, batch, e, &receiver)) return false;
  } else {
    return false;
  }
  add(out, "t\x1f", 2);
  add_attr(keys, batch, group, out);
  add(out, sync, sync_len);
  add_break(out);
  add_int(out, receiver);
  return true;
}

/* Groups of the same name but other members are told apart by a hash of the members. */
static int64_t hash_of_ranks(const SyncKeys *keys, const MillBatch *batch, const MillEvent *e)
{
  uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *attr = &batch->attrs[e->attrs + i];
    char number[DIGITS_MAX];
    size_t len;
    if (attr->key != keys->ranks) continue;
    const char *text = transfer_text(keys->common, batch, attr, number, &len);
    for (size_t k = 0; text && k < len; k++)
      h = (h ^ (unsigned char)text[k]) * UINT64_C(0x100000001b3);
    h = (h ^ ',') * UINT64_C(0x100000001b3);
  }
  return (int64_t)(h >> 1);
}

/* Kernels of one collective end together on all members of its group. */
static bool find_kernel(const SyncKeys *keys, const MillBatch *batch, const MillEvent *e,
                        SyncKey *out)
{
  const MillAttr *name = mill_attr(batch, e, keys->collective);
  const MillAttr *group = mill_attr(batch, e, keys->process_group);
  if (e->cat != keys->kernel || !name || !group) return false;
  if (attr_is(keys, batch, name, "send") || attr_is(keys, batch, name, "recv")) return false;
  out->role = SYNC_BOTH;
  add(out, "c\x1f", 2);
  if (!add_attr(keys, batch, name, out)) return false;
  add_attr(keys, batch, group, out);
  add_attr(keys, batch, mill_attr(batch, e, keys->seq), out);
  add_int(out, hash_of_ranks(keys, batch, e));
  return true;
}

bool sync_keys_find(const SyncKeys *keys, const MillBatch *batch, const MillEvent *e, int64_t rank,
                    SyncKey *out)
{
  if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS || e->dur_ns < 0 || e->n_attrs == 0)
    return false;
  out->len = 0;
  out->too_long = false;
  const MillAttr *group = mill_attr(batch, e, keys->group);
  bool found =
      group ? find_transfer(keys, batch, e, rank, group, out) : find_kernel(keys, batch, e, out);
  return found && !out->too_long;
}
