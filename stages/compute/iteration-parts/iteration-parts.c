/* Where the time of each iteration of an AIU goes.  Memory: 24 bytes for each kernel, transfer and preparation, 32 for each part
 * of a collective that nothing hides. */
/* SPDX-License-Identifier: MIT */
#include "parts.h"

#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/interval.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"

static const struct {
  const char *part, *cause;
} part_names[N_PARTS] = { [PART_COMPUTE] = { "compute", NULL },
                          [PART_WAIT] = { "exposed-transfer", "wait" },
                          [PART_TRANSFER] = { "exposed-transfer", "transfer" },
                          [PART_UNSPLIT] = { "exposed-transfer", "unsplit" },
                          [PART_PREP] = { "prep", NULL },
                          [PART_GAP] = { "gap", NULL } };

static int parts_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Parts *p = instance_new(Parts, host, out_instance);
  if (!p) return -MILL_LIMIT;
  stamps_open(&p->stamps, p->common);
  device_open(&p->words, p->common);
  p->group_key = p->common->intern(p->common, "CollGroup", strlen("CollGroup"));
  p->rounds = keyed_new(p->common, sizeof(int64_t));
  p->places = keyed_new(p->common, sizeof(uint32_t));
  return p->rounds && p->places ? 0 : -MILL_LIMIT;
}

/* ---- collecting */

/* False: it is no work that is told apart. */
static bool does_of(Parts *p, const MillBatch *b, const MillEvent *e, Does *out)
{
  if (device_is_collective(&p->words, b, e) && !device_computes(&p->words, e)) {
    *out = DOES_TRANSFER;
    return true;
  }
  switch (stamps_part(&p->stamps, e->name)) {
  case STAMP_EXEC: *out = DOES_COMPUTE; return true;
  case STAMP_PREP: *out = DOES_PREP; return true;
  case STAMP_DMA_IN:
  case STAMP_DMA_OUT: *out = DOES_TRANSFER; return true;
  default: return false;
  }
}

static bool member_of(Parts *p, MillSym group, const MillEvent *e, uint32_t *out)
{
  const struct {
    uint32_t group, name;
  } message = { group, e->name };
  int64_t *round = keyed_get(p->rounds, (const char *)&message, sizeof message);
  if (!round) return false;
  const struct {
    int64_t group, round;
  } key = { group, (*round)++ };
  uint32_t *place = keyed_get(p->places, (const char *)&key, sizeof key);
  if (!place) return false;
  if (*place == 0) {
    if (!array_reserve(p->common, &p->members, &p->member_capacity, p->n_members + 1,
                       sizeof *p->members))
      return false;
    p->members[p->n_members++] = (Member){ group, key.round, e->ts_ns, e->ts_ns };
    *place = (uint32_t)p->n_members;
  }
  *out = *place - 1;
  Member *member = &p->members[*out];
  const int64_t end_ns = interval_end(e->ts_ns, e->dur_ns);
  if (e->ts_ns < member->first_ns) member->first_ns = e->ts_ns;
  if (end_ns > member->end_ns) member->end_ns = end_ns;
  return true;
}

static MillSym group_of(const Parts *p, const MillBatch *b, const MillEvent *e)
{
  size_t len;
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if (a->key != p->group_key) continue;
    if ((a->type & MILL_ATTR_TYPE) == MILL_SYM) return a->u.sym;
    const char *text = mill_attr_text(b, a, &len);
    return text ? p->common->intern(p->common, text, len) : 0;
  }
  return 0;
}

static bool add_name(Parts *p, MillSym name)
{
  if (!array_reserve(p->common, &p->names, &p->name_capacity, p->n_names + 1, sizeof *p->names))
    return false;
  p->names[p->n_names++] = name;
  return true;
}

static bool add_work(Parts *p, const MillBatch *b, const MillEvent *e, Does does)
{
  Works *works = &p->works[does];
  Work w = { e->ts_ns, interval_end(e->ts_ns, e->dur_ns), NO_MEMBER };
  const MillSym group = does == DOES_TRANSFER ? group_of(p, b, e) : 0;
  if (group && !member_of(p, group, e, &w.member)) return false;
  if (does == DOES_COMPUTE && !add_name(p, e->name)) return false;
  if (!array_reserve(p->common, &works->items, &works->capacity, works->n + 1,
                     sizeof *works->items))
    return false;
  works->items[works->n++] = w;
  return true;
}

static int parts_process(void *instance, MillBatch *b)
{
  Parts *p = instance;
  Does does;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) continue;
    if (!device_has(&p->words, b, e) || !does_of(p, b, e, &does)) continue;
    if (!add_work(p, b, e, does)) return -MILL_LIMIT;
  }
  return 0;
}

static int parts_flush(void *instance, MillBatch *b)
{
  Parts *p = instance;
  MillLane lane = { .size = sizeof lane };
  (void)b;
  p->common->lane(p->common, MILL_NO_LANE, &lane);
  if (!parts_divide(p) ||
      !array_reserve(p->common, &p->lanes, &p->lane_capacity, 1, sizeof *p->lanes))
    return -MILL_LIMIT;
  p->lanes[p->n_lanes++] = (LaneParts){ .rank = lane.rank >= 0 ? lane.rank : (int64_t)lane.index,
                                        .n_iterations = p->n_iterations,
                                        .n_members = p->n_members,
                                        .n_pieces = p->n_pieces };
  return 0;
}

/* ---- saved state */

static const StateField lane_fields[] = {
  STATE_FIRST(LaneParts, rank),
  STATE_FIRST(LaneParts, n_iterations),
  STATE_FIRST(LaneParts, n_members),
  STATE_FIRST(LaneParts, n_pieces),
};
static const StateType lane_state = STATE_TYPE(LaneParts, lane_fields);
static const StateField iteration_fields[] = {
  STATE_FIRST(Iteration, from_ns),
  STATE_FIRST(Iteration, to_ns),
  STATE_FIRSTS(Iteration, sums_ns),
};
static const StateType iteration_state = STATE_TYPE(Iteration, iteration_fields);
static const StateField member_fields[] = {
  STATE_SYM(Member, group),
  STATE_FIRST(Member, round),
  STATE_FIRST(Member, first_ns),
  STATE_FIRST(Member, end_ns),
};
static const StateType member_state = STATE_TYPE(Member, member_fields);
static const StateField piece_fields[] = {
  STATE_FIRST(Piece, iteration),
  STATE_FIRST(Piece, member),
  STATE_FIRST(Piece, from_ns),
  STATE_FIRST(Piece, to_ns),
};
static const StateType piece_state = STATE_TYPE(Piece, piece_fields);
static const StateField parts_fields[] = {
  STATE_LIST(Parts, lanes, n_lanes, lane_capacity, lane_state),
  STATE_LIST(Parts, iterations, n_iterations, iteration_capacity, iteration_state),
  STATE_LIST(Parts, members, n_members, member_capacity, member_state),
  STATE_LIST(Parts, pieces, n_pieces, piece_capacity, piece_state),
};
static const StateType parts_state = STATE_TYPE(Parts, parts_fields);
STATE_RESULT(Parts, parts_state)

/* ---- results */

typedef struct PartRow {
  int64_t rank, iteration;
  const char *part, *cause;
  int64_t time_ns;
} PartRow;

typedef struct LatenessRow {
  int64_t rank, collectives, last;
} LatenessRow;

static int report_iteration(const Parts *p, int64_t rank, int64_t number, const Iteration *it)
{
  int status = 0;
  for (uint32_t i = 0; i < N_PARTS && status == 0; i++) {
    const PartRow row = { rank, number, part_names[i].part, part_names[i].cause, it->sums_ns[i] };
    status = mill_row(p->host, TABLE_PARTS, &row);
  }
  return status;
}

static int parts_report_run(void *instance)
{
  Parts *p = instance;
  Lateness *lateness = mill_new(p->common, (p->n_lanes + 1) * sizeof *lateness);
  if (!lateness || !parts_split(p, lateness)) return -MILL_LIMIT;
  const Iteration *it = p->iterations;
  int status = 0;
  for (size_t i = 0; i < p->n_lanes && status == 0; i++) {
    const LaneParts *lane = &p->lanes[i];
    for (uint64_t k = 0; k < lane->n_iterations && status == 0; k++)
      status = report_iteration(p, lane->rank, (int64_t)k, it++);
    const LatenessRow row = { lane->rank, lateness[i].collectives, lateness[i].last };
    if (status == 0 && row.collectives > 0) status = mill_row(p->host, TABLE_LATENESS, &row);
  }
  return status;
}

/* ---- the descriptor */

static const MillRead reads[] = { DEVICE_READS };

static const MillColumn part_columns[] = {
  MILL_KEY_BRIEF(PartRow, rank, "rank", NULL, "Rank; of an input that has none, its position"),
  MILL_KEY_BRIEF(PartRow, iteration, "iteration", NULL, "Number of the iteration, from 0"),
  MILL_KEY_BRIEF(
      PartRow, part, "part", NULL,
      "compute, exposed-transfer, prep or gap: what the device did, the first that holds"),
  MILL_KEY_BRIEF(
      PartRow, cause, "cause", NULL,
      "Of exposed-transfer: wait (the last rank has not come), transfer, or unsplit (other ranks "
      "of the collective are no inputs, or have other clocks)"),
  MILL_BRIEF(PartRow, time_ns, "time", "ns", "Time in it; all parts add up to the iteration"),
};
static const MillColumn lateness_columns[] = {
  MILL_KEY_BRIEF(LatenessRow, rank, "rank", NULL, "Rank; of an input that has none, its position"),
  MILL_BRIEF(LatenessRow, collectives, "collectives", "count",
             "Collectives with another rank, on one clock"),
  MILL_BRIEF(LatenessRow, last, "last", "count", "Those to which it came last"),
};
static const MillTable tables[] = {
  [TABLE_PARTS] = { .per = MILL_PER_RUN,
                    .name = "iteration-parts",
                    .help = "Where the time of each iteration goes: computing, moving data, "
                            "preparing kernels, nothing",
                    .columns = MILL_ROWS(part_columns) },
  [TABLE_LATENESS] = { .per = MILL_PER_RUN,
                       .name = "rank-lateness",
                       .help = "How often each rank came last to a collective",
                       .columns = MILL_ROWS(lateness_columns) },
};

static const char *const needs[] = { "clock.cycles", "slices", "order.lane", NULL };
static const char *const provides[] = { "table.iteration-parts", "table.rank-lateness", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = parts_open,
  .process = parts_process,
  .flush = parts_flush,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = parts_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .name = "iteration-parts",
  .family = "compute",
  .version = "1.0.0",
  .tag = "IPARTS",
  .title = "Where the time of each iteration goes",
  .help = "Divides each iteration of a rank into computing, data transfers that no kernel hides, "
          "waiting for the last rank of a collective, preparing kernels, and gaps in which the "
          "device has nothing to do.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
