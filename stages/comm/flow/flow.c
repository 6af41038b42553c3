/* Arrows from sends to the receives that waited for them, over the merged ranks.
 * Transfers match by (CollGroup, text in [sync=], receiver); a group is closed
 * once time has passed its last end and nothing in it waits for a partner, or
 * is given up after four times its length, at least 20 s. Limits: 32,768
 * transfers and 1,024 groups open at one time, 65,536 groups in the table. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>

#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/state/instance.h"
#include "kit/trace/flow-ids.h"
#include "kit/state/keyed.h"
#include "comm/lib/transfer-read.h"

enum {
  UNKNOWN_TYPE = 1,
  NO_PEER = 2,
  INCOMPLETE = 3,
  REVERSED = 4,
  CROWDED = 5,
  TABLE_FULL = 6,
  NO_RANK = 7,
  LINKS_FULL = 8
};
enum { TABLE_FLOW, TABLE_LINKS };

#define ROWS_MAX 65536u

typedef struct Row { /* by group */
  int64_t pairs, bytes, reversed, reversal_max_ns, lone_sends, lone_receives;
} Row;

typedef struct LinkKey {
  int64_t from, to; /* ranks */
} LinkKey;

typedef struct Link {
  int64_t transfers, bytes;
  uint64_t n_timed; /* those that do not arrive before they are sent */
  __int128 timed_ns, timed_bytes;
} Link;

typedef struct OrderKey {
  int64_t rank;
  uint64_t sync; /* symbol: only looked up */
} OrderKey;

typedef struct Flow {
  const MillStageHost *host;
  const MillHost *common;
  TransferReader reader;
  FlowGroups groups;
  Keyed *rows;
  FlowIds ids;
  Keyed *links;      /* by LinkKey */
  Keyed *multicasts; /* by OrderKey: int64_t, when the latest was ordered */
  uint64_t n_pairs;
} Flow;

static int flow_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out)
{
  (void)self, (void)level, (void)options;
  const MillHost *common = host->common;
  Flow *flow = instance_new(Flow, host, out);
  if (!flow) return -MILL_LIMIT;
  flow->groups.common = common;
  transfer_reader_open(&flow->reader, common);
  flow->rows = keyed_new(common, sizeof(Row));
  flow->links = keyed_new(common, sizeof(Link));
  flow->multicasts = keyed_new(common, sizeof(int64_t));
  return flow->rows && flow->links && flow->multicasts ? 0 : -MILL_LIMIT;
}

static void note(const Flow *flow, uint32_t number, const MillBatch *batch, uint32_t index)
{
  flow->common->note(flow->common, number, batch, index, NULL, 0);
}

static int64_t *order_of(Flow *flow, const FlowTransfer *t, bool may_add)
{
  const OrderKey key = { t->rank, t->sync };
  const char *bytes = (const char *)&key;
  bool add = may_add && keyed_count(flow->multicasts) < ROWS_MAX;
  return add ? keyed_get(flow->multicasts, bytes, sizeof key)
             : keyed_find(flow->multicasts, bytes, sizeof key);
}

/* The data of a multicast is under way from its order on: the last of its segments begins when most of it has moved. */
static void find_order(Flow *flow, FlowTransfer *t)
{
  int64_t *ordered_ns = t->kind == FLOW_SEND || t->kind == FLOW_RECEIVE
                            ? NULL
                            : order_of(flow, t, t->kind == FLOW_MULTICAST);
  t->since_ns = t->ts_ns;
  if (!ordered_ns) return;
  if (t->kind == FLOW_MULTICAST)
    *ordered_ns = t->ts_ns;
  else
    t->since_ns = *ordered_ns;
}

/* False when the event moves no data, or does not say where to. */
static bool read_transfer(Flow *flow, const MillBatch *batch, uint32_t index, MillSym sync,
                          FlowTransfer *out)
{
  TransferFound found = transfer_read(&flow->reader, batch, &batch->events[index], sync, out);
  if (found == TRANSFER_UNKNOWN_TYPE) note(flow, UNKNOWN_TYPE, batch, index);
  if (found == TRANSFER_NO_PEER) note(flow, NO_PEER, batch, index);
  if (found == TRANSFER_NO_RANK) note(flow, NO_RANK, batch, index);
  if (found != TRANSFER_READ) return false;
  find_order(flow, out);
  return out->kind != FLOW_MULTICAST;
}

static Row *row_of(Flow *flow, MillSym group)
{
  size_t len;
  if (keyed_count(flow->rows) < ROWS_MAX) return keyed_get_sym(flow->rows, group);
  const char *text = flow->common->symbol_text(flow->common, group, &len);
  return keyed_find(flow->rows, text, len);
}

/* The arrow ends just inside the receive, so that viewers bind it to that slice. */
static int64_t arrow_end(const FlowTransfer *receive)
{
  return receive->end_ns > receive->ts_ns ? receive->end_ns - 1 : receive->ts_ns;
}

static void emit_pair(Flow *flow, MillBatch *batch, uint32_t after, MillSym group,
                      const FlowPair *pair)
{
  MillEvent e = { .ts_ns = pair->send->ts_ns,
                  .dur_ns = -1,
                  .id = flow_ids_next(&flow->ids),
                  .name = pair->send->sync,
                  .cat = group,
                  .track = pair->send->track,
                  .kind = MILL_FLOW_START,
                  .id_kind = MILL_ID_INT };
  flow->host->emit(flow->host, batch, after, &e);
  e.kind = MILL_FLOW_END;
  e.flags = MILL_FLAG_BIND_END;
  e.ts_ns = arrow_end(pair->receive);
  e.track = pair->receive->track;
  flow->host->emit(flow->host, batch, after, &e);
}

static void count_pair(Flow *flow, Row *row, const FlowPair *pair, const MillBatch *batch,
                       uint32_t after)
{
  int64_t reversal_ns = 0;
  flow->n_pairs++;
  if (__builtin_sub_overflow(pair->send->ts_ns, arrow_end(pair->receive), &reversal_ns))
    reversal_ns = 0;
  if (reversal_ns > 0) note(flow, REVERSED, batch, after == MILL_AT_END ? MILL_NO_EVENT : after);
  if (!row) return;
  row->pairs++;
  row->bytes = add_clipped(row->bytes, pair->send->bytes > 0 ? pair->send->bytes : 0);
  row->reversed += reversal_ns > 0;
  if (reversal_ns > row->reversal_max_ns) row->reversal_max_ns = reversal_ns;
}

static Link *link_of(Flow *flow, const FlowPair *pair)
{
  const LinkKey key = { pair->send->rank, pair->receive->rank };
  const char *bytes = (const char *)&key;
  if (keyed_count(flow->links) < ROWS_MAX) return keyed_get(flow->links, bytes, sizeof key);
  return keyed_find(flow->links, bytes, sizeof key);
}

/* A transfer takes from the begin of its send, or of the order for its multicast, to the end of its receive. */
static void count_link(Flow *flow, const FlowPair *pair, const MillBatch *batch, uint32_t example)
{
  int64_t dur_ns, bytes = pair->send->bytes > 0 ? pair->send->bytes : 0;
  if (pair->send->rank < 0) return;
  Link *link = link_of(flow, pair);
  if (!link) {
    note(flow, LINKS_FULL, batch, example);
    return;
  }
  link->transfers++;
  link->bytes = add_clipped(link->bytes, bytes);
  if (__builtin_sub_overflow(pair->receive->end_ns, pair->send->since_ns, &dur_ns) || dur_ns <= 0)
    return;
  link->n_timed++;
  link->timed_ns += dur_ns;
  link->timed_bytes += bytes;
}

static void close_group(Flow *flow, FlowGroup *group, MillBatch *batch, uint32_t after)
{
  uint32_t sends = 0, receives = 0;
  uint32_t example = after == MILL_AT_END ? MILL_NO_EVENT : after;
  FlowPair *pairs = flow->common->scratch(flow->common, group->n_transfers * sizeof *pairs);
  uint32_t n = pairs ? flow_group_pairs(group, pairs, &sends, &receives) : 0;
  Row *row = row_of(flow, group->name);
  if (!row) note(flow, TABLE_FULL, batch, example);
  for (uint32_t i = 0; i < n; i++) {
    count_pair(flow, row, &pairs[i], batch, after);
    count_link(flow, &pairs[i], batch, example);
    emit_pair(flow, batch, after, group->name, &pairs[i]);
  }
  if (sends + receives > 0) note(flow, INCOMPLETE, batch, example);
  if (row) {
    row->lone_sends += sends;
    row->lone_receives += receives;
  }
  flow_groups_remove(&flow->groups, group);
}

/* Groups that are over are closed first: the same names may begin a new round. */
static int take_transfer(Flow *flow, MillBatch *batch, uint32_t index, MillSym sync)
{
  FlowTransfer transfer;
  FlowGroup *group;
  const MillEvent *e = &batch->events[index];
  while ((group = flow_groups_due(&flow->groups, e->ts_ns, false)))
    close_group(flow, group, batch, index);
  if (!read_transfer(flow, batch, index, sync, &transfer)) return 0;
  if (flow->groups.n_transfers == FLOW_TRANSFERS_MAX || flow->groups.n_open == FLOW_GROUPS_MAX) {
    bool early;
    group = flow_groups_give_up(&flow->groups, &early);
    if (early) note(flow, CROWDED, batch, index);
    close_group(flow, group, batch, index);
  }
  return flow_groups_add(&flow->groups, transfer_group(&flow->reader, batch, e), &transfer)
             ? 0
             : -MILL_LIMIT;
}

static int flow_process(void *instance, MillBatch *batch)
{
  Flow *flow = instance;
  MillSym sync;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    const MillEvent *e = &batch->events[i];
    flow_ids_see(&flow->ids, e);
    if (!transfer_has_sync(&flow->reader, e, &sync)) continue;
    int status = take_transfer(flow, batch, i, sync);
    if (status < 0) return status;
  }
  return 0;
}

static int flow_flush(void *instance, MillBatch *batch)
{
  Flow *flow = instance;
  FlowGroup *group;
  while ((group = flow_groups_due(&flow->groups, 0, true)))
    close_group(flow, group, batch, MILL_AT_END);
  return 0;
}

typedef struct FlowRow {
  MillText group;
  int64_t pairs, bytes, reversed, reversal_max_ns, lone_sends, lone_receives;
} FlowRow;

static int write_group(const Flow *flow, const KeyedEntry *entry)
{
  const Row *row = entry->state;
  const FlowRow cells = {
    .group = { entry->key, entry->len },
    .pairs = row->pairs,
    .bytes = row->bytes,
    .reversed = row->reversed,
    .reversal_max_ns = row->reversal_max_ns,
    .lone_sends = row->lone_sends,
    .lone_receives = row->lone_receives,
  };
  return mill_row(flow->host, TABLE_FLOW, &cells);
}

typedef struct LinkRow {
  int64_t from, to, transfers, bytes;
  double latency_ns, bandwidth;
} LinkRow;

static int write_link(const Flow *flow, const KeyedEntry *entry)
{
  const Link *link = entry->state;
  LinkKey key;
  memcpy(&key, entry->key, sizeof key);
  double timed_ns = (double)link->timed_ns;
  bool has_rate = link->timed_ns > 0 && link->timed_bytes > 0;
  const LinkRow row = {
    .from = key.from,
    .to = key.to,
    .transfers = link->transfers,
    .bytes = link->bytes,
    .latency_ns = link->n_timed ? timed_ns / (double)link->n_timed : (double)NAN,
    .bandwidth = has_rate ? (double)link->timed_bytes / timed_ns : (double)NAN,
  };
  return mill_row(flow->host, TABLE_LINKS, &row);
}

static int write_all(const Flow *flow, Keyed *of, int (*write)(const Flow *, const KeyedEntry *))
{
  const KeyedEntry *const *entries = keyed_sorted(of);
  int status = entries ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(of) && status == 0; i++) status = write(flow, entries[i]);
  return status;
}

static int flow_report(void *instance)
{
  Flow *flow = instance;
  int status = write_all(flow, flow->rows, write_group);
  if (status == 0) status = write_all(flow, flow->links, write_link);
  if (status < 0) return status;
  return flow->host->metric(flow->host, 0, NULL, mill_int((int64_t)flow->n_pairs), flow->n_pairs);
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = flow_open,
  .process = flow_process,
  .flush = flow_flush,
  .report = flow_report,
};

static const MillNotice notices[] = {
  MILL_WARNING(UNKNOWN_TYPE, "{count} transfer[|s] [has|have] an unknown Type",
               "[it gets|they get] no arrow", "check Type of the first such transfer",
               "The Type of an event with a [sync=] name says what it does: SingleCast and "
               "MultiCast XSEG send, WDone Barrier receives, Set BCList and MultiCast prepare. "
               "This text is another one; newer software may have new types."),
  MILL_WARNING(NO_PEER, "{count} send[|s] [has|have] no receiver", "[it gets|they get] no arrow",
               "record Peer, or let the name say it: Recv_N_",
               "Peer or Peers of a send names its receiver first, as a number or a list. Without "
               "it, the send cannot be matched."),
  MILL_WARNING(
      INCOMPLETE, "{count} group[|s] of transfers [has|have] sends or receives without a partner",
      "these get no arrow; pairs of the same group do",
      "give the traces of all ranks, over the same time",
      "A send and a receive belong together when CollGroup, the text in [sync=] and the receiver "
      "agree. Partners are missing when a rank's trace is not among the inputs or ends earlier, "
      "when events were filtered, or when names differ. The table flow counts them by group."),
  MILL_WARNING(REVERSED, "{count} receive[|s] [ends|end] before [its|their] send begins",
               "the clocks of these ranks do not agree", "put rank-sync before this stage",
               "Data cannot arrive before it is sent: the clocks of the two ranks differ by at "
               "least the largest reversal in the table flow. Viewers may not draw such arrows."),
  MILL_WARNING(CROWDED, "{count} time[|s] the oldest group of transfers was closed to limit memory",
               "later pairs of these groups are missing",
               "put the ranks on one clock, or analyse a part: --from and --to",
               "At most 32,768 transfers in 1,024 groups are held while they wait for a partner. "
               "So many wait when most partners are missing, or when the clocks of ranks are "
               "seconds apart: align them first."),
  MILL_INFO(TABLE_FULL, "{count} group[|s] beyond the first 65,536 [is|are] not in the table flow",
            NULL, NULL,
            "The number of rows is limited. The arrows are in the trace, and the metric flows "
            "counts them."),
  MILL_WARNING(
      NO_RANK, "the rank of {count} receive[|s] is unknown", "[it gets|they get] no arrow",
      "name the ranks with --rank-regex",
      "A send names its receiver by rank. The receive's input has no rank, and its process is not "
      "a number."),
  MILL_INFO(
      LINKS_FULL,
      "{count} transfer[|s] between ranks beyond the first 65,536 pairs of them [is|are] not in "
      "the table links",
      NULL, NULL, "The number of rows is limited. The arrows are in the trace."),
};

static const MillRead reads[] = { TRANSFER_READS };

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(FlowRow, group, "group", NULL, "CollGroup of the transfers"),
  MILL_BRIEF(FlowRow, pairs, "pairs", "count", "Sends with their receive"),
  MILL_BRIEF(FlowRow, bytes, "bytes", "bytes",
             "Bytes sent in these pairs, if sends give their size"),
  MILL_BRIEF(FlowRow, reversed, "reversed", "count", "Receives that end before their send begins"),
  MILL_COLUMN(FlowRow, reversal_max_ns, "reversal_max", "ns", 0,
              "Largest time from the end of a receive to the begin of its send"),
  MILL_COLUMN(FlowRow, lone_sends, "lone_sends", "count", 0, "Sends without receive"),
  MILL_COLUMN(FlowRow, lone_receives, "lone_receives", "count", 0, "Receives without send"),
};

static const MillColumn link_columns[] = {
  MILL_KEY_BRIEF(LinkRow, from, "from", NULL, "Rank that sends"),
  MILL_KEY_BRIEF(LinkRow, to, "to", NULL, "Rank that receives"),
  MILL_BRIEF(LinkRow, transfers, "transfers", "count", "Sends with their receive"),
  MILL_BRIEF(LinkRow, bytes, "bytes", "bytes", "Bytes sent in them, if sends give their size"),
  MILL_COLUMN(
      LinkRow, latency_ns, "latency", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
      "Mean time from the begin of a send, or of the order for its multicast, to the end of its "
      "receive; reversed ones are left out"),
  MILL_COLUMN(LinkRow, bandwidth, "bandwidth", "GB/s", MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Bytes over the sum of these times"),
};

static const MillTable tables[] = {
  [TABLE_FLOW] = { .per = MILL_PER_RUN,
                   .name = "flow",
                   .help = "Matched transfers between ranks, by group",
                   .columns = MILL_ROWS(columns) },
  [TABLE_LINKS] = { .per = MILL_PER_RUN,
                    .name = "links",
                    .help = "Matched transfers from one rank to another",
                    .columns = MILL_ROWS(link_columns) },
};

static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_NEITHER,
    .kind = MILL_INT,
    .name = "flows",
    .unit = "count",
    .help = "Number of sends that were matched with the receive that waited for them" },
};

static const char *const needs[] = { "events", "order.lane", NULL };
static const char *const wants[] = { "slices", "clock.shared", NULL };
static const char *const provides[] = { "flows", NULL };
static const char *const spoils[] = { "order.lane", "order.run", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_WHOLE,
  .flags = MILL_MAY_EMIT,
  .name = "flow",
  .family = "comm",
  .version = "1.0.0",
  .tag = "FLOW",
  .title = "Draw arrows from sends to their receives across ranks",
  .help = "Sender and receiver of a transfer share a text [sync=...] in their names and a "
          "CollGroup. The stage matches each send with the receive at its first peer and adds a "
          "flow event at both ends, which trace viewers draw as an arrow. By group, it counts "
          "pairs, bytes and arrows that point backwards in time.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(notices, reads, tables, metrics),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
