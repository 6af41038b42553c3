/* Gives the events of a rank the form that aorta's merge of ranks gives them: some categories, two processes a rank,
 * short numbers of threads, names with the rank.
 *
 * What a process is depends on all of its events, so there are two phases; between them there is a byte for every
 * row of the trace. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "base/num.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/state/keyed.h"
#include "kit/state/saved.h"
#include "kit/state/symclass.h"
#include "kit/state/symmap.h"
#include "kit/text/fail.h"
#include "kit/text/symbol.h"

enum { LEFT_OUT = 1, NO_RANK = 2 };
enum { DEVICE = 1, HOST = 2, KEPT = 4, KNOWN = 8 }; /* what a category says: bits */
enum { MOVE_UNKNOWN, MOVE_DROPS, MOVE_TO };         /* MOVE_TO: and from there on the new row */
enum { RANK_PIDS = 1000, HOST_PIDS = 500 };
#define MAX_RANK ((int64_t)1 << 40) /* pids stay within what every viewer can hold */

typedef struct Layout {
  const MillStageHost *host;
  const MillHost *common;
  int64_t rank;
  MillSym rank_key;
  SymClass cats;
  uint8_t *rows; /* by track: DEVICE, HOST; of what was observed */
  size_t n_rows;
  Keyed *processes; /* uint8_t: the same of all their rows */
  uint32_t *moves;  /* by track */
  size_t n_moves;
  int64_t next_thread[2]; /* of the device's process and the host's */
  SymMap names;
  uint64_t n_left_out;
} Layout;

static int layout_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  MillLane lane = { .size = sizeof lane };
  Layout *l = instance_new(Layout, host, out_instance);
  if (!l) return -MILL_LIMIT;
  host->common->lane(host->common, MILL_NO_LANE, &lane);
  l->rank = lane.rank;
  l->rank_key = symbol_of(l->common, "rank");
  l->processes = keyed_new(l->common, 1);
  return l->processes ? 0 : -MILL_LIMIT;
}

/* --------------------------------------------------------------------- categories */

static const struct {
  const char *name;
  uint8_t says;
} categories[] = {
  { "kernel", DEVICE | KEPT },
  { "Kernel", KEPT },
  { "gpu_memcpy", DEVICE | KEPT },
  { "gpu_memset", DEVICE | KEPT },
  { "cuda_runtime", HOST | KEPT },
  { "cuda_driver", KEPT },
  { "ac2g", KEPT },
  { "gpu_user_annotation", DEVICE | KEPT },
  { "user_annotation", HOST | KEPT },
  { "fwdbwd", HOST | KEPT },
  { "cpu_instant_event", KEPT },
  { "cpu_op", HOST },
};

static uint8_t look_up(const Layout *l, MillSym cat)
{
  size_t len;
  const char *text = l->common->symbol_text(l->common, cat, &len);
  for (size_t i = 0; i < MILL_COUNT(categories); i++)
    if (strlen(categories[i].name) == len && !memcmp(text, categories[i].name, len))
      return KNOWN | categories[i].says;
  return KNOWN;
}

static uint8_t category(Layout *l, MillSym cat)
{
  uint8_t says = symclass_get(&l->cats, cat);
  if (!says) symclass_put(l->common, &l->cats, cat, says = look_up(l, cat));
  return says;
}

/* ---------------------------------------------------------------------- processes */

static int layout_observe(void *instance, const MillBatch *b)
{
  Layout *l = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    uint8_t says = category(l, e->cat) & (DEVICE | HOST);
    if (!says) continue;
    if (!array_reserve_at(l->common, &l->rows, &l->n_rows, e->track, 1)) return -MILL_LIMIT;
    l->rows[e->track] |= says;
  }
  return 0;
}

static bool add_process(Layout *l, const MillValue *process, uint8_t says)
{
  uint8_t *known = keyed_get_value(l->processes, process);
  if (known) *known |= says;
  return known != NULL;
}

static MillValue process_of(const Layout *l, uint32_t track)
{
  MillTrack row = { .size = sizeof row };
  l->common->track_info(l->common, track, &row);
  return row.process;
}

static int check_rank(const Layout *l)
{
  if (l->rank >= 0 && l->rank < MAX_RANK) return 0;
  return fail_input(l->common, NO_RANK,
                    l->rank < 0 ? "an input has no rank, by which its processes are numbered"
                                : "a rank is too large to number processes by it",
                    NULL, "give ranks with {rank} in a quoted pattern, or with --rank-regex");
}

static int layout_decide(void *instance)
{
  Layout *l = instance;
  for (uint32_t track = 0; track < l->n_rows; track++) {
    if (!l->rows[track]) continue;
    MillValue process = process_of(l, track);
    if (!add_process(l, &process, l->rows[track])) return -MILL_LIMIT;
  }
  return check_rank(l);
}

static int layout_save_decision(void *instance)
{
  const Layout *l = instance;
  for (uint32_t track = 0; track < l->n_rows; track++) {
    if (!l->rows[track]) continue;
    MillValue process = process_of(l, track);
    l->host->put_int(l->host, l->rows[track]);
    saved_put_value(l->host, &process);
  }
  return 0;
}

static int layout_load_decision(void *instance)
{
  Layout *l = instance;
  while (l->host->get_more(l->host)) {
    uint8_t says = (uint8_t)l->host->get_int(l->host);
    MillValue process = saved_get_value(l->host);
    if (!add_process(l, &process, says)) return -MILL_LIMIT;
  }
  return 0;
}

/* --------------------------------------------------------------------------- rows */

/* The row that stands for the thread: one that is missing is 0. */
static uint32_t own_row(const Layout *l, uint32_t track, const MillTrack *row)
{
  if (row->thread.type != MILL_NONE) return track;
  return l->host->track(l->host, row->process, mill_int(0));
}

/* MILL_FAILED: refused. */
static uint32_t new_row(Layout *l, bool is_device)
{
  int64_t pid = l->rank * RANK_PIDS + (is_device ? 0 : HOST_PIDS);
  return l->host->track(l->host, mill_int(pid), mill_int(l->next_thread[is_device]++));
}

static uint32_t find_move(Layout *l, uint32_t track);

/* Where the events of a row go: MOVE_DROPS, or a row and MOVE_TO; MILL_FAILED: refused. */
static uint32_t move_of(Layout *l, uint32_t track)
{
  if (track < l->n_moves && l->moves[track]) return l->moves[track];
  uint32_t move = find_move(l, track);
  if (!array_reserve_at(l->common, &l->moves, &l->n_moves, track, sizeof *l->moves))
    return MILL_FAILED;
  return l->moves[track] = move;
}

static uint32_t find_move(Layout *l, uint32_t track)
{
  MillTrack row = { .size = sizeof row };
  l->common->track_info(l->common, track, &row);
  if (row.process.type == MILL_NONE) return track + MOVE_TO;
  const uint8_t *says = keyed_get_value(l->processes, &row.process);
  if (!says) return MILL_FAILED;
  if (!*says) return MOVE_DROPS;
  uint32_t own = own_row(l, track, &row);
  if (own == MILL_FAILED) return MILL_FAILED;
  if (own != track) return move_of(l, own);
  uint32_t to = new_row(l, *says & DEVICE);
  return to == MILL_FAILED ? MILL_FAILED : to + MOVE_TO;
}

/* -------------------------------------------------------------------------- events */

static MillSym name_with_rank(Layout *l, MillSym name)
{
  MillSym with;
  if (symmap_get(&l->names, name, &with)) return with;
  size_t len;
  const char *text = l->common->symbol_text(l->common, name, &len);
  char number[NUM_BUF];
  size_t digits = num_format_int(number, l->rank);
  char *whole = l->common->scratch(l->common, len + digits + 4);
  if (!whole) return name;
  memcpy(whole, "[R", 2);
  memcpy(whole + 2, number, digits);
  memcpy(whole + 2 + digits, "] ", 2);
  memcpy(whole + 4 + digits, text, len);
  with = l->common->intern(l->common, whole, len + digits + 4);
  symmap_put(l->common, &l->names, name, with);
  return with;
}

static void drop(Layout *l, MillEvent *e)
{
  l->n_left_out++;
  mill_drop(e);
}

static int lay_out(Layout *l, MillBatch *b, uint32_t i)
{
  MillEvent *e = &mill_events(b)[i];
  if (!(category(l, e->cat) & KEPT)) {
    drop(l, e);
    return 0;
  }
  uint32_t move = move_of(l, e->track);
  if (move == MILL_FAILED) return -MILL_LIMIT;
  if (move == MOVE_DROPS) {
    drop(l, e);
    return 0;
  }
  if (move == e->track + MOVE_TO && process_of(l, e->track).type == MILL_NONE) return 0;
  mill_set_track(e, move - MOVE_TO);
  mill_set_name(e, name_with_rank(l, e->name));
  return l->host->set(l->host, b, i, l->rank_key, mill_int(l->rank));
}

static int layout_process(void *instance, MillBatch *b)
{
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && !status; i++) status = lay_out(instance, b, i);
  return status;
}

static int layout_flush(void *instance, MillBatch *b)
{
  Layout *l = instance;
  (void)b;
  const MillNamed named[] = { { "events", mill_int((int64_t)l->n_left_out) } };
  if (l->n_left_out)
    l->common->note(l->common, LEFT_OUT, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
  return 0;
}

static const MillNotice notices[] = {
  MILL_INFO(LEFT_OUT, "the layout leaves {events} events of {lane} out",
            "operators, Python's frames and metadata are not in the written trace",
            "use convert without this layout to keep all events",
            "The layout keeps device work, calls of the runtime, annotations and arrows of "
            "processes that belong to a device or to the host, as in the merged traces of aorta."),
  MILL_ERROR(NO_RANK, "an input has no rank, by which its processes are numbered", NULL,
             "The layout numbers the processes of rank N with N000 and N500. The rank comes from "
             "the name of the file or its folder, from the trace, or from the command line."),
};

static const char *const needs[] = { "events", NULL };

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = layout_open,
                                  .observe = layout_observe,
                                  .decide = layout_decide,
                                  .process = layout_process,
                                  .flush = layout_flush,
                                  .save_decision = layout_save_decision,
                                  .load_decision = layout_load_decision };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP,
  .name = "pipeline-layout",
  .family = "clean",
  .version = "1.0.0",
  .tag = "PIPE",
  .title = "Give a rank the layout of aorta's merged traces",
  .help = "Keeps device work, calls of the runtime, annotations and arrows. Processes of rank N "
          "become N000 (device) and N500 (host), threads are numbered in order of appearance, "
          "names begin with [RN], and args get the rank.",
  .needs = needs,
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
