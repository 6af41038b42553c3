/* Where the time of each rank's device goes (device-time.h), and how much of it has no launch.
 * Events may come in any order.  Memory: up to 32 bytes for every interval of the unions, which
 * is every kernel where none touches the next; as much for device work until its launch comes. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/state/state.h"
#include "kit/text/symbol.h"
#include "kit/state/instance.h"
#include "tables.h"
#include "timeline.h"

enum { NOT_ASKED = 1, ASKED }; /* classes of categories */

static int timeline_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out_instance)
{
  (void)self, (void)level;
  Timeline *t = instance_new(Timeline, host, out_instance);
  if (!t) return -MILL_LIMIT;
  t->words.common = host->common;
  t->options = *(const Options *)options;
  t->correlation = symbol_of(host->common, "correlation");
  t->stream = symbol_of(host->common, "stream");
  launches_init(&t->launches, host->common);
  device_time_init(&t->device, host->common);
  return 0;
}

/* ---- what events are */

/* Of the categories that were asked for, if they were, is device work, and nothing else. */
static TorchKind kind_of(Timeline *t, const MillEvent *e)
{
  TorchKind kind = torch_kind(&t->words, e);
  if (!t->options.categories) return kind;
  uint8_t asked = symclass_get(&t->cats, e->cat);
  if (!asked) {
    asked = t->common->match_sym(t->common, t->options.categories, e->cat) ? ASKED : NOT_ASKED;
    symclass_put(t->common, &t->cats, e->cat, asked);
  }
  if (asked == ASKED) return torch_is_device(kind) ? kind : TORCH_KERNEL;
  return torch_is_device(kind) ? TORCH_WAIT : kind;
}

static bool matches(const Timeline *t, const MillPattern *pattern, MillSym name)
{
  return pattern && t->common->match_sym(t->common, pattern, name);
}

/* By the patterns, if there are some, else as in all stages. */
static TorchWork work_by_name(Timeline *t, MillSym name)
{
  TorchWork does = torch_work(&t->words, TORCH_KERNEL, name);
  const MillPattern *comm = t->options.communication, *memory = t->options.memcpy;
  if (comm ? matches(t, comm, name) : does == WORK_COMMUNICATION) return WORK_COMMUNICATION;
  if (memory ? matches(t, memory, name) : does == WORK_MEMORY) return WORK_MEMORY;
  return WORK_COMPUTATION;
}

static TorchWork work_of(Timeline *t, TorchKind kind, MillSym name)
{
  if (kind == TORCH_COPY || kind == TORCH_FILL) return torch_work(&t->words, kind, name);
  uint8_t known = symclass_get(&t->names, name);
  if (known) return (TorchWork)known;
  known = (uint8_t)work_by_name(t, name);
  symclass_put(t->common, &t->names, name, known);
  return (TorchWork)known;
}

/* It has a stream, but a category that nobody knows: work of a device, as it seems. */
static bool is_strange(const Timeline *t, const MillBatch *b, const MillEvent *e, TorchKind kind)
{
  int64_t stream;
  if (kind != TORCH_OTHER || t->options.categories || !mill_attr(b, e, t->stream)) return false;
  return !mill_attr_int(b, e, t->stream, &stream) || stream >= 0;
}

/* ---- events */

static bool has_time(const MillEvent *e) { return e->dur_ns >= 0 && !(e->flags & MILL_FLAG_NO_TS); }

/* The first category by name stands for all. */
static void add_strange(Timeline *t, const MillEvent *e)
{
  size_t len;
  Strange *s = &t->strange;
  const char *cat = t->common->symbol_text(t->common, e->cat, &len);
  if (s->events == 0 || strcmp(cat, t->common->symbol_text(t->common, s->cat, &len)) < 0)
    s->cat = e->cat;
  s->events++;
  if (has_time(e)) s->ns = add_clipped(s->ns, e->dur_ns);
}

static void count_unlinked(Timeline *t, const DeviceWork *work)
{
  t->n_unlinked++;
  t->unlinked_ns = add_clipped(t->unlinked_ns, work->end_ns - work->start_ns);
}

/* Id 0 is none. */
static bool take_work(Timeline *t, const DeviceWork *work)
{
  bool linked = work->id != 0 && launches_have(&t->launches, work->id);
  t->work_ns = add_clipped(t->work_ns, work->end_ns - work->start_ns);
  if (work->id == 0) count_unlinked(t, work);
  if (work->id != 0 && !linked && !launches_wait(&t->launches, work)) return false;
  return (t->options.linked_only && !linked) ||
         device_time_add(&t->device, work->does, work->start_ns, work->end_ns);
}

static bool take(Timeline *t, const MillBatch *b, const MillEvent *e)
{
  const TorchKind kind = kind_of(t, e);
  DeviceWork work = { 0 };
  if (!mill_attr_int(b, e, t->correlation, &work.id)) work.id = 0;
  if (is_strange(t, b, e, kind)) {
    add_strange(t, e);
    return true;
  }
  if (kind == TORCH_WAIT || kind == TORCH_DEVICE_RANGE) return true;
  if (!torch_is_device(kind)) return work.id == 0 || launches_add(&t->launches, work.id);
  if (!has_time(e)) return true;
  work.does = work_of(t, kind, e->name);
  work.start_ns = e->ts_ns;
  work.end_ns = interval_end(e->ts_ns, e->dur_ns);
  return take_work(t, &work);
}

static int timeline_process(void *instance, MillBatch *b)
{
  Timeline *t = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (b->events[i].kind == MILL_SLICE && !take(t, b, &b->events[i])) return -MILL_LIMIT;
  return 0;
}

/* All launches are known now. */
static bool settle_waiting(Timeline *t)
{
  const Launches *l = &t->launches;
  bool fits = true;
  t->has_launches = l->n > 0;
  for (size_t i = 0; i < l->n_waiting && fits; i++) {
    const DeviceWork *work = &l->waiting[i];
    if (!launches_have(l, work->id))
      count_unlinked(t, work);
    else if (t->options.linked_only)
      fits = device_time_add(&t->device, work->does, work->start_ns, work->end_ns);
  }
  launches_clear(&t->launches);
  return fits;
}

static void note_unlinked(const Timeline *t)
{
  uint32_t number = t->options.linked_only ? NOTICE_LEFT_OUT : NOTICE_NO_LAUNCH;
  if (!t->options.linked_only && !t->has_launches) return;
  for (uint64_t i = 0; i < t->n_unlinked; i++)
    t->common->note(t->common, number, NULL, MILL_NO_EVENT, NULL, 0);
}

static void note_strange(const Timeline *t)
{
  const Strange *s = &t->strange;
  if (s->events == 0) return;
  double all_ns = (double)t->work_ns + (double)s->ns;
  const MillNamed values[] = {
    { "events", mill_int((int64_t)s->events) },
    { "category", mill_sym(s->cat) },
    { "share", mill_real(all_ns > 0 ? 100 * (double)s->ns / all_ns : 0) },
  };
  t->common->note(t->common, NOTICE_STRANGE, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

/* ---- the end of a lane */

static int timeline_flush(void *instance, MillBatch *b)
{
  Timeline *t = instance;
  int64_t ns[N_DEVICE_TIMES];
  (void)b;
  if (!settle_waiting(t)) return -MILL_LIMIT;
  note_unlinked(t);
  note_strange(t);
  t->n_all_unlinked = t->n_unlinked;
  if (t->has_launches) moments_add(&t->times[UNLINKED], t->unlinked_ns);
  if (t->device.n_events == 0) {
    if (t->n_unlinked == 0)
      t->common->note(t->common, NOTICE_NOTHING, NULL, MILL_NO_EVENT, NULL, 0);
    return 0;
  }
  if (!device_time_measure(&t->device, t->options.micro_idle_ns, ns)) return -MILL_LIMIT;
  for (int i = 0; i < N_DEVICE_TIMES; i++) moments_add(&t->times[i], ns[i]);
  t->n_all_events = t->device.n_events;
  return 0;
}

/* ---- summaries */

static const StateField timeline_fields[] = {
  STATE_SUM(Timeline, n_all_events),
  STATE_SUM(Timeline, n_all_unlinked),
  STATE_MOST(Timeline, has_launches),
  STATE_PART(Timeline, times, moments_state),
};
static const StateType timeline_state = STATE_TYPE(Timeline, timeline_fields);
STATE_RESULT(Timeline, timeline_state)

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_REGEX_OPTION(Options, categories, "categories", "",
                    "Categories of device events; empty: the usual categories of device work"),
  MILL_REGEX_OPTION(
      Options, communication, "communication", "",
      "Names of communication; empty: kernels of the class COMM, as in kernel-summary"),
  MILL_REGEX_OPTION(Options, memcpy, "memcpy", "",
                    "Names of copies and fills, in addition to their categories; empty: kernels of "
                    "the class Memory, as in kernel-summary"),
  MILL_DURATION_OPTION(Options, micro_idle_ns, "micro-idle", "0",
                       "0:", "Count shorter gaps as micro idle time; 0: do not split idle time"),
  MILL_BOOL_OPTION(Options, linked_only, "linked-only", "false",
                   "Leave out device work that has no launch, as TraceLens does"),
  MILL_BY_OPTION(Options, by),
};

static const MillNotice notices[] = {
  MILL_INFO(
      NOTICE_NOTHING, "{lane} has no device events", "gpu-timeline leaves it out",
      "choose other categories",
      "No slice has one of the categories of device events.  Traces of the host alone have none."),
  MILL_INFO(NOTICE_NO_LAUNCH, "{count} device event[|s] of {lane} [has|have] no launch",
            "gpu-timeline counts [it|them]",
            "leave [it|them] out, as TraceLens does: linked-only=true",
            "No host event has the same correlation id. Work that was launched before the trace "
            "began has no launch in it, and neither has work that the driver starts by itself."),
  MILL_INFO(NOTICE_LEFT_OUT, "{count} device event[|s] of {lane} [has|have] no launch",
            "gpu-timeline leaves [it|them] out", NULL,
            "No event of the host has the same correlation id, and linked-only=true leaves such "
            "device work out."),
  MILL_WARNING(
      NOTICE_STRANGE,
      "{events} slice[|s] of {lane} [has|have] a stream and an unknown category, such as "
      "{category}: {share} % of its device time",
      "tables of device work leave [it|them] out",
      "if [it is|they are] device work, name all its categories for gpu-timeline (categories=), or "
      "give [it|them] the category kernel",
      "stagemill recognises device work by its category: kernel, gpu_memcpy, gpu_memset, "
      "mtia_ccp_events, or an old spelling of these. A slice with a stream ran on a device. The "
      "share is of the sum of durations."),
};

static const MillRead reads[] = {
  { "correlation", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "stream", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
};

static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "table.gpu-timeline", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = timeline_open,
  .process = timeline_process,
  .flush = timeline_flush,
  .report = timeline_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = timeline_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "gpu-timeline",
  .family = "torch",
  .version = "1.0.0",
  .tag = "GPUTL",
  .title = "Device time: computation, exposed communication and copies, idle",
  .help = "Splits the time of devices by unions of intervals: computation, communication and "
          "copies that computation does not hide, and idle time, for each rank and as a mean over "
          "ranks.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
