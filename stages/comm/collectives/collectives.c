/* A slice a rank for each collective: from where its kernel ended, or its first transfer began, to its last
 * transfer.  Collectives are the groups of transfers of the stage flow, closed by the same rules. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>

#include <string.h>

#include "coll-kernels.h"
#include "coll-members.h"
#include "coll-names.h"
#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/state/symclass.h"
#include "comm/lib/transfer-read.h"
#include "kit/text/symbol.h"
#include "kit/trace/transfer.h"
#include "kit/text/words.h"

enum {
  NO_ALGORITHM = 1,
  MISSING_RANK = 2,
  NO_PARTNERS = 3,
  UNREADABLE = 4,
  CROWDED = 5,
  TABLE_FULL = 6
};

#define ROWS_MAX 65536u

typedef struct Row {
  MillSym group;
  int64_t round; /* how often the group was there before */
  CollAlgorithm algorithm;
  int64_t ranks, begin_ns, end_ns, bytes, data_bytes, skew_ns;
} Row;

typedef struct Keys {
  MillSym cat, bytes, algorithm, peers, group, kernel, data, orig_name, id;
} Keys;

typedef struct Collectives {
  const MillStageHost *host;
  const MillHost *common;
  TransferReader reader;
  FlowGroups groups;
  CollKernels kernels;
  SymClass names;
  Keys keys;
  Keyed *rounds; /* int64_t, by group */
  Row *rows;
  size_t n_rows, max_rows;
} Collectives;

static const char *const algorithms[] = {
  [COLL_UNKNOWN] = "unknown", [COLL_CHAIN] = "chain", [COLL_TREE] = "tree"
};

static int collectives_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out)
{
  const MillHost *common = host->common;
  (void)self, (void)level, (void)options;
  Collectives *c = instance_new(Collectives, host, out);
  if (!c) return -MILL_LIMIT;
  c->groups.common = common;
  c->groups.by_rounds = true;
  transfer_reader_open(&c->reader, common);
  c->keys = (Keys){ symbol_of(common, "user_annotation"),
                    symbol_of(common, "bytes"),
                    symbol_of(common, "collective algorithm type"),
                    symbol_of(common, "peers"),
                    symbol_of(common, "CollGroup"),
                    symbol_of(common, "rank group compute event"),
                    symbol_of(common, "Coll_data_size"),
                    symbol_of(common, "orig_name"),
                    symbol_of(common, "external id") };
  c->rounds = keyed_new(common, sizeof(int64_t));
  return c->rounds && coll_kernels_open(&c->kernels, common) ? 0 : -MILL_LIMIT;
}

static void note(const Collectives *c, uint32_t number, const MillBatch *batch, uint32_t after)
{
  uint32_t example = after == MILL_AT_END ? MILL_NO_EVENT : after;
  c->common->note(c->common, number, batch, example, NULL, 0);
}

/* ------------------------------------------------------------------ slices */

/* "{0, 1}" */
static MillText peers_text(const Collectives *c, const CollMembers *m)
{
  char *text = c->common->scratch(c->common, (size_t)m->n * (DIGITS_MAX + 2) + 2), *p = text;
  if (!text) return (MillText){ NULL, 0 };
  *p++ = '{';
  for (uint32_t i = 0; i < m->n; i++) {
    if (i > 0) *p++ = ',';
    if (i > 0) *p++ = ' ';
    p += digits_write(p, m->items[i].rank);
  }
  *p++ = '}';
  return (MillText){ text, (size_t)(p - text) };
}

static int64_t data_of(const CollMembers *m, int64_t bytes)
{
  int64_t all;
  return __builtin_mul_overflow(2 * ((int64_t)m->n - 1), bytes, &all) ? INT64_MAX : all;
}

/* In the lane of its transfers, so that it goes where they go. */
static uint32_t row_track(const Collectives *c, const CollMember *m)
{
  char name[DIGITS_MAX + 4] = "coll";
  size_t len = 4 + digits_write(name + 4, m->rank);
  return c->host->track_beside(c->host, m->first->track, mill_int(m->rank),
                               mill_sym(c->common->intern(c->common, name, len)));
}

typedef struct Slice {
  const CollMembers *members;
  const CollMember *member;
  CollName name;
  MillSym group, kernel; /* kernel 0: it begins with a transfer */
  int64_t begin_ns;
} Slice;

static int set_attrs(const Collectives *c, MillBatch *batch, uint32_t index, const Slice *s)
{
  const char *algorithm = algorithms[s->members->algorithm];
  int64_t bytes = s->member->bytes;
  bool renamed = s->name.shown != s->name.own;
  MillText peers = peers_text(c, s->members);
  const struct {
    MillSym key;
    MillValue value;
  } attrs[] = { { c->keys.bytes, mill_int(bytes) },
                { c->keys.algorithm, mill_text(algorithm, strlen(algorithm)) },
                { c->keys.peers, peers.text ? mill_text(peers.text, peers.len) : mill_none() },
                { c->keys.group, mill_sym(s->group) },
                { c->keys.kernel, s->kernel ? mill_sym(s->kernel) : mill_none() },
                { c->keys.data, mill_int(data_of(s->members, bytes)) },
                { c->keys.orig_name, renamed ? mill_sym(s->name.own) : mill_none() },
                { c->keys.id, renamed ? mill_int(s->name.number) : mill_none() } };
  int status = 0;
  for (uint32_t i = 0; i < MILL_COUNT(attrs) && status == 0; i++)
    if (attrs[i].value.type != MILL_NONE)
      status = c->host->set(c->host, batch, index, attrs[i].key, attrs[i].value);
  return status;
}

static int emit_slice(const Collectives *c, MillBatch *batch, uint32_t after, const Slice *s)
{
  MillEvent e = { .ts_ns = s->begin_ns,
                  .name = s->name.shown,
                  .cat = c->keys.cat,
                  .track = row_track(c, s->member),
                  .kind = MILL_SLICE };
  if (__builtin_sub_overflow(s->member->end_ns, s->begin_ns, &e.dur_ns)) e.dur_ns = INT64_MAX;
  if (e.track == MILL_FAILED) return -MILL_LIMIT;
  uint32_t index = c->host->emit(c->host, batch, after, &e);
  return index == MILL_FAILED ? -MILL_LIMIT : set_attrs(c, batch, index, s);
}

/* ------------------------------------------------------------- collectives */

static void find_begin(Collectives *c, Slice *s)
{
  const FlowTransfer *first = s->member->first;
  CollKernel kernel;
  s->begin_ns = first->ts_ns;
  s->kernel = 0;
  if (!coll_kernels_take(&c->kernels, s->member->rank, first->ts_ns, first->end_ns,
                         s->member->end_ns, &kernel))
    return;
  s->begin_ns = kernel.end_ns;
  s->kernel = kernel.name;
}

typedef struct Bounds {
  int64_t first_ns, last_ns, end_ns; /* first and last begin, last end */
  int64_t bytes;
  bool any;
} Bounds;

static void widen(Bounds *b, const Slice *s)
{
  if (!b->any || s->begin_ns < b->first_ns) b->first_ns = s->begin_ns;
  if (!b->any || s->begin_ns > b->last_ns) b->last_ns = s->begin_ns;
  if (!b->any || s->member->end_ns > b->end_ns) b->end_ns = s->member->end_ns;
  if (s->member->bytes > b->bytes) b->bytes = s->member->bytes;
  b->any = true;
}

static int64_t span_ns(int64_t from_ns, int64_t to_ns)
{
  int64_t dur_ns;
  return __builtin_sub_overflow(to_ns, from_ns, &dur_ns) ? INT64_MAX : dur_ns;
}

static bool add_row(Collectives *c, MillSym group, const CollMembers *m, const Bounds *b)
{
  int64_t *round = keyed_get_sym(c->rounds, group);
  if (!round || !array_reserve(c->common, &c->rows, &c->max_rows, c->n_rows + 1, sizeof *c->rows))
    return false;
  c->rows[c->n_rows++] = (Row){ .group = group,
                                .round = (*round)++,
                                .algorithm = m->algorithm,
                                .ranks = m->n,
                                .begin_ns = b->first_ns,
                                .end_ns = b->end_ns,
                                .bytes = b->bytes,
                                .data_bytes = data_of(m, b->bytes),
                                .skew_ns = span_ns(b->first_ns, b->last_ns) };
  return true;
}

static int make_collective(Collectives *c, const FlowGroup *group, MillBatch *batch, uint32_t after)
{
  CollMembers members;
  Bounds bounds = { 0 };
  int status = 0;
  if (!coll_members_find(c->common, group, &members)) return -MILL_LIMIT;
  if (members.algorithm == COLL_UNKNOWN) note(c, NO_ALGORITHM, batch, after);
  if (members.n_missing > 0) note(c, MISSING_RANK, batch, after);
  Slice slice = { .members = &members,
                  .group = group->name,
                  .name = coll_name(c->common, group->name) };
  for (uint32_t i = 0; i < members.n && status == 0; i++) {
    slice.member = &members.items[i];
    if (!slice.member->first) continue;
    find_begin(c, &slice);
    widen(&bounds, &slice);
    status = emit_slice(c, batch, after, &slice);
  }
  if (status < 0 || c->n_rows < ROWS_MAX)
    return status < 0 || add_row(c, group->name, &members, &bounds) ? status : -MILL_LIMIT;
  note(c, TABLE_FULL, batch, after);
  return 0;
}

static int close_group(Collectives *c, FlowGroup *group, MillBatch *batch, uint32_t after)
{
  uint32_t sends, receives;
  int status = 0;
  FlowPair *pairs = c->common->scratch(c->common, group->n_transfers * sizeof *pairs);
  if (!pairs) return -MILL_LIMIT;
  if (flow_group_pairs(group, pairs, &sends, &receives) > 0)
    status = make_collective(c, group, batch, after);
  else
    note(c, NO_PARTNERS, batch, after);
  flow_groups_remove(&c->groups, group);
  return status;
}

/* ------------------------------------------------------------------ events */

/* Not those that are part of a collective themselves. */
static bool computes(const char *name, size_t len)
{
  bool own = len >= 9 && memcmp(name, "AllReduce", 9) == 0;
  return !own && words_end_with(name, len, " Cmpt Exec");
}

static int take_kernel(Collectives *c, const MillEvent *e)
{
  MillLane lane = { .size = sizeof lane, .rank = -1 };
  int64_t rank;
  uint32_t index = c->common->track_lane(c->common, e->track);
  if (index != MILL_NO_LANE) c->common->lane(c->common, index, &lane);
  if (!transfer_rank(c->common, e, lane.rank, &rank)) return 0;
  const CollKernel kernel = { e->ts_ns, interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0),
                              e->name };
  return coll_kernels_add(&c->kernels, rank, &kernel) ? 0 : -MILL_LIMIT;
}

static int take_transfer(Collectives *c, MillBatch *batch, uint32_t index, MillSym sync)
{
  FlowTransfer transfer;
  FlowGroup *group;
  const MillEvent *e = &batch->events[index];
  int status = 0;
  int64_t now_ns = e->ts_ns;
  MillSym name = transfer_group(&c->reader, batch, e);
  TransferFound found = name ? transfer_read(&c->reader, batch, e, sync, &transfer) : TRANSFER_NONE;
  while (status == 0 && (group = flow_groups_due(&c->groups, now_ns, false)))
    status = close_group(c, group, batch, index);
  if (found != TRANSFER_READ && found != TRANSFER_NONE) note(c, UNREADABLE, batch, index);
  if (found != TRANSFER_READ || status < 0) return status;
  if (c->groups.n_transfers == FLOW_TRANSFERS_MAX || c->groups.n_open == FLOW_GROUPS_MAX) {
    bool early;
    group = flow_groups_give_up(&c->groups, &early);
    if (early) note(c, CROWDED, batch, index);
    status = close_group(c, group, batch, index);
  }
  if (status == 0 && !flow_groups_add(&c->groups, name, &transfer)) status = -MILL_LIMIT;
  return status;
}

static int collectives_process(void *instance, MillBatch *batch)
{
  Collectives *c = instance;
  MillSym sync;
  int status = 0;
  uint32_t n = batch->n_events;
  for (uint32_t i = 0; i < n && status == 0; i++) {
    const MillEvent *e = &batch->events[i];
    if (transfer_has_sync(&c->reader, e, &sync))
      status = take_transfer(c, batch, i, sync);
    else if (e->kind == MILL_SLICE && !(e->flags & MILL_FLAG_NO_TS) &&
             symclass_is(c->common, &c->names, e->name, computes))
      status = take_kernel(c, e);
  }
  return status;
}

static int collectives_flush(void *instance, MillBatch *batch)
{
  Collectives *c = instance;
  FlowGroup *group;
  int status = 0;
  while (status == 0 && (group = flow_groups_due(&c->groups, 0, true)))
    status = close_group(c, group, batch, MILL_AT_END);
  return status;
}

typedef struct CollectivesRow {
  MillSym group;
  int64_t round;
  const char *algorithm;
  int64_t ranks, begin_ns, end_ns, bytes;
  double bandwidth;
  int64_t skew_ns;
} CollectivesRow;

static int collectives_report(void *instance)
{
  Collectives *c = instance;
  int status = 0;
  for (size_t i = 0; i < c->n_rows && status == 0; i++) {
    const Row *row = &c->rows[i];
    const char *algorithm = algorithms[row->algorithm];
    int64_t dur_ns = span_ns(row->begin_ns, row->end_ns);
    const CollectivesRow cells = {
      .group = row->group,
      .round = row->round,
      .algorithm = algorithm,
      .ranks = row->ranks,
      .begin_ns = row->begin_ns,
      .end_ns = row->end_ns,
      .bytes = row->bytes,
      .bandwidth = dur_ns > 0 ? (double)row->data_bytes / (double)dur_ns : (double)NAN,
      .skew_ns = row->skew_ns,
    };
    status = mill_row(c->host, 0, &cells);
  }
  return status;
}

/* -------------------------------------------------------------- descriptor */

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = collectives_open,
  .process = collectives_process,
  .flush = collectives_flush,
  .report = collectives_report,
};

static const MillNotice notices[] = {
  MILL_WARNING(NO_ALGORITHM, "the algorithm of {count} collective[|s] is unknown",
               "[it has|they have] slices, but no algorithm",
               "check whether all ranks are given: the rank that orders the multicast may be "
               "missing",
               "The rank that orders the MultiCast shows the algorithm: the last rank of a chain, "
               "or the first rank of a tree. There is no such event, as in groups of single "
               "transfers, or another rank has it."),
  MILL_WARNING(MISSING_RANK, "{count} collective[|s] [lacks|lack] the transfers of some rank",
               "these ranks get no slice, and size and time of the collective may be wrong",
               "give the traces of all ranks",
               "A send names its receiver. The trace of that rank is not among the inputs, ends "
               "earlier, or was filtered."),
  MILL_INFO(
      NO_PARTNERS, "{count} group[|s] of transfers [is|are] not a collective", NULL, NULL,
      "None of its sends has a receive, so it is unknown which transfers belong together. The "
      "stage flow counts transfers without a partner."),
  MILL_WARNING(UNREADABLE, "{count} transfer[|s] of collectives cannot be read",
               "[it is|they are] left out", "check Type and Peer of the first such transfer",
               "Type has an unknown text, a send has no Peer, or the rank of a receive is unknown. "
               "The stage flow has a notice for each of these."),
  MILL_WARNING(CROWDED, "{count} time[|s] the oldest collective was closed to limit memory",
               "its later transfers count as another collective, or as none",
               "put the ranks on one clock, or analyse a part: --from and --to",
               "At most 32,768 transfers in 1,024 groups are held while they wait for a partner. "
               "So many wait when most partners are missing, or when the clocks of ranks are "
               "seconds apart: align them first."),
  MILL_INFO(TABLE_FULL,
            "{count} collective[|s] beyond the first 65,536 [is|are] not in the table collectives",
            NULL, NULL, "The number of rows is limited. The slices are in the trace."),
};

static const MillRead reads[] = { TRANSFER_READS };

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(CollectivesRow, group, "group", NULL, "CollGroup of the transfers"),
  MILL_KEY(CollectivesRow, round, "round", "count", "Number of earlier collectives of the group"),
  MILL_BRIEF(CollectivesRow, algorithm, "algorithm", NULL, "chain, tree or unknown"),
  MILL_BRIEF(CollectivesRow, ranks, "ranks", "count", "Ranks that take part"),
  MILL_COLUMN(CollectivesRow, begin_ns, "begin", "ns", 0, "Begin of the first rank"),
  MILL_COLUMN(CollectivesRow, end_ns, "end", "ns", 0, "End of the last rank"),
  MILL_BRIEF(CollectivesRow, bytes, "bytes", "bytes", "Size of the message"),
  MILL_COLUMN(CollectivesRow, bandwidth, "bandwidth", "GB/s",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER, "2 * (ranks - 1) * bytes over the time"),
  MILL_COLUMN(CollectivesRow, skew_ns, "skew", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "From the begin of the first rank to that of the last"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_RUN,
    .brief_rows = 10,
    .name = "collectives",
    .help = "Collectives over ranks",
    .order = "begin,group",
    .columns = MILL_ROWS(columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_SCATTER,
    .name = "collective-bandwidth",
    .title = "Bandwidth of collectives over time",
    .table = "collectives",
    .x = "begin",
    .y = "bandwidth",
    .series = "algorithm",
    .x_label = "Time",
    .flags = MILL_FIGURE_MOMENTS },
};

static const char *const needs[] = { "events", "order.lane", NULL };
static const char *const wants[] = { "slices", "clock.shared", NULL };
static const char *const provides[] = { "collectives", NULL };
static const char *const spoils[] = { "order.lane", "order.run", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_WHOLE,
  .flags = MILL_MAY_EMIT,
  .name = "collectives",
  .family = "comm",
  .version = "1.0.0",
  .tag = "COLL",
  .title = "Make a slice for each collective on each rank",
  .help =
      "Transfers of one CollGroup are a collective. Each rank gets a slice on a track of its own. "
      "It begins at the end of the kernel that made the data, or else at the first transfer, and "
      "ends with the last transfer.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(notices, reads, tables, figures),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
