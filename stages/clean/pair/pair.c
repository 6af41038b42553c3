/* Turns begin and end events (B, E) into slices (X).  On each track begins form a stack, as the
 * Chrome format says: an end closes the last begin, or, when it has a name, the last begin of
 * that name; begins above that one have then lost their end.  Events are taken in the order of
 * the file, so a begin must come before its end, but tracks may be mixed and times need not
 * ascend.  A begin is held until its end comes.  Asynchronous events are left alone. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "kit/declare/rows.h"
#include "kit/trace/attr-value.h"
#include "kit/state/grow.h"

enum { NOTICE_NO_END = 1, NOTICE_NO_BEGIN = 2, NOTICE_REVERSED = 3 };
enum { UNMATCHED_DROP, UNMATCHED_KEEP };

typedef struct Options {
  int64_t unmatched;
} Options;

typedef struct Open {
  uint64_t kept;
  int64_t ts_ns;
  MillSym name;
} Open;

typedef struct Stack {
  Open *items;
  uint32_t n;
  size_t capacity;
} Stack;

typedef struct Pair {
  const MillStageHost *host;
  const MillHost *common;
  bool keep_unmatched;
  Stack *stacks; /* by track */
  size_t n_stacks;
} Pair;

static int pair_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  Pair *p = mill_new(host->common, sizeof *p);
  if (!p) return -MILL_LIMIT;
  p->host = host;
  p->common = host->common;
  p->keep_unmatched = ((const Options *)options)->unmatched == UNMATCHED_KEEP;
  *out_instance = p;
  return 0;
}

static void pair_close(void *instance)
{
  Pair *p = instance;
  for (size_t t = 0; t < p->n_stacks; t++)
    for (uint32_t i = 0; i < p->stacks[t].n; i++)
      p->host->drop_kept(p->host, p->stacks[t].items[i].kept);
}

/* ---- stacks */

static Stack *stack_of(Pair *p, uint32_t track)
{
  bool reached = array_reserve_at(p->common, &p->stacks, &p->n_stacks, track, sizeof *p->stacks);
  return reached ? &p->stacks[track] : NULL;
}

static bool push(const Pair *p, Stack *s, Open open)
{
  if (!array_reserve(p->common, &s->items, &s->capacity, s->n + 1, sizeof *s->items)) return false;
  s->items[s->n++] = open;
  return true;
}

/* The index of the begin that an end closes, or -1. */
static int64_t match(const Stack *s, MillSym name)
{
  if (name == 0) return (int64_t)s->n - 1;
  for (int64_t i = (int64_t)s->n - 1; i >= 0; i--)
    if (s->items[i].name == name || s->items[i].name == 0) return i;
  return -1;
}

/* ---- what has no partner */

static void give_up(Pair *p, MillBatch *b, uint32_t after, const Open *open)
{
  p->common->note(p->common, NOTICE_NO_END, NULL, MILL_NO_EVENT, NULL, 0);
  if (p->keep_unmatched)
    p->host->emit_kept(p->host, b, after, open->kept);
  else
    p->host->drop_kept(p->host, open->kept);
}

static void reject(Pair *p, MillBatch *b, uint32_t i, uint32_t notice)
{
  p->common->note(p->common, notice, b, i, NULL, 0);
  if (!p->keep_unmatched) mill_drop(&mill_events(b)[i]);
}

/* ---- the arguments of the end */

/* Where begin and end have the same argument, the end's counts. */
static int add_arguments(Pair *p, MillBatch *b, uint32_t slice, uint32_t end)
{
  uint32_t n_attrs = b->events[end].n_attrs;
  for (uint32_t i = 0, n; i < n_attrs; i += n) {
    const MillAttr *a = &b->attrs[b->events[end].attrs + i];
    n = attr_run(b, &b->events[end], i);
    if ((a->type & MILL_ATTR_TYPE) == MILL_NONE) continue;
    int status = p->host->set(p->host, b, slice, a->key, attr_value(p->common, b, a, n));
    if (status < 0) return status;
  }
  return 0;
}

/* ---- the calls */

static int begin(Pair *p, MillBatch *b, uint32_t i)
{
  MillEvent *e = &mill_events(b)[i];
  Stack *s = stack_of(p, e->track);
  uint64_t kept = s ? p->host->keep(p->host, b, i) : 0;
  if (!kept || !push(p, s, (Open){ kept, e->ts_ns, e->name })) return -MILL_LIMIT;
  mill_drop(e);
  return 0;
}

static int close_slice(Pair *p, MillBatch *b, uint32_t i, const Open *open)
{
  int64_t dur_ns;
  if (__builtin_sub_overflow(b->events[i].ts_ns, open->ts_ns, &dur_ns)) dur_ns = INT64_MAX;
  uint32_t index = p->host->emit_kept(p->host, b, i, open->kept);
  if (index == MILL_FAILED) return -MILL_LIMIT;
  MillEvent *slice = p->host->event(p->host, b, index);
  mill_set_kind(slice, MILL_SLICE);
  mill_set_dur(slice, dur_ns);
  mill_drop(&mill_events(b)[i]);
  return add_arguments(p, b, index, i);
}

static int end(Pair *p, MillBatch *b, uint32_t i)
{
  MillEvent *e = &mill_events(b)[i];
  Stack *s = stack_of(p, e->track);
  if (!s) return -MILL_LIMIT;
  int64_t index = match(s, e->name);
  if (index < 0) {
    reject(p, b, i, NOTICE_NO_BEGIN);
    return 0;
  }
  for (uint32_t k = (uint32_t)index + 1; k < s->n; k++) give_up(p, b, i, &s->items[k]);
  s->n = (uint32_t)index;
  const Open *open = &s->items[index];
  if (e->ts_ns >= open->ts_ns) return close_slice(p, b, i, open);
  reject(p, b, i, NOTICE_REVERSED);
  if (p->keep_unmatched)
    p->host->emit_kept(p->host, b, i, open->kept);
  else
    p->host->drop_kept(p->host, open->kept);
  return 0;
}

static int pair_process(void *instance, MillBatch *b)
{
  Pair *p = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_BEGIN && e->kind != MILL_END) continue;
    int status = 0;
    if (e->flags & MILL_FLAG_NO_TS)
      reject(p, b, i, e->kind == MILL_BEGIN ? NOTICE_NO_END : NOTICE_NO_BEGIN);
    else
      status = e->kind == MILL_BEGIN ? begin(p, b, i) : end(p, b, i);
    if (status < 0) return status;
  }
  return 0;
}

static int pair_flush(void *instance, MillBatch *b)
{
  Pair *p = instance;
  for (uint32_t t = 0; t < p->n_stacks; t++) {
    for (uint32_t i = 0; i < p->stacks[t].n; i++)
      give_up(p, b, MILL_AT_END, &p->stacks[t].items[i]);
    p->stacks[t].n = 0;
  }
  return 0;
}

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, unmatched, "unmatched", "drop", "drop|keep",
                     "Drop or keep begins and ends without a partner"),
};

static const MillNotice notices[] = {
  MILL_LEFT_OUT(NOTICE_NO_END, "{count} begin event[|s] of {lane} [has|have] no end",
                "[its duration is unknown; it is|their durations are unknown; they are] missing "
                "from every result",
                "record for longer, or stop recording when no slice is open",
                "The recording stopped before their end, or the end was lost or has another name "
                "or thread."),
  MILL_LEFT_OUT(NOTICE_NO_BEGIN, "{count} end event[|s] of {lane} [has|have] no begin",
                "[it is|they are] missing from every result",
                "start recording when no slice is open",
                "The recording started after their begin, or the begin was lost or comes later in "
                "the file."),
  MILL_LEFT_OUT(NOTICE_REVERSED,
                "{count} slice[|s] of {lane} [ends|end] before [it begins|they begin]",
                "[it is|they are] missing from every result",
                "check whether the host's clock was set during the recording",
                "The clock of the recording went backwards between the two events, or they belong "
                "to different slices."),
};

static const MillRead reads[] = { { "*", MILL_AS_ANY, MILL_KIND(MILL_END) } };
static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "slices", NULL };
static const char *const spoils[] = { "order.lane", NULL };

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = pair_open,
                                  .process = pair_process,
                                  .flush = pair_flush,
                                  .close = pair_close };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP | MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "pair",
  .family = "clean",
  .version = "1.0.0",
  .tag = "PAIR",
  .title = "Turn begin and end events into slices",
  .help = "Matches begins and ends of a track as a stack, by name if the end has one. The slice "
          "has the arguments of both and takes the place of the end.",
  .needs = needs,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(options, notices, reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
