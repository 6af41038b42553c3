/* Brings the slices of different tracers to one form: stamps and power as whole numbers, one spelling of names and of
 * the attribute `bytes`, the job that a slice is of.  What cannot be on a time line (no start; slices of no or a
 * negative duration) is dropped and counted. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/trace/attr-value.h"
#include "kit/devices/device.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "kit/trace/stamps.h"
#include "normalise-text.h"

enum {
  NO_TIME = 1,
  NO_DURATION = 2,
  NEGATIVE = 3,
  NO_NAME = 4,
  NO_PROCESS = 5,
  UNREADABLE = 6,
  ZERO_LENGTH = 7,
  NO_PHASE = 8,
  TIMELESS = 9
};
enum { OTHER = 1, STAMP = 2, POWER = 3, BYTES = 4, JOB = 5 }; /* classes of keys */
enum { KNOWN = 1, NOWHERE = 2 };                              /* classes of tracks */
enum { MOST_CHANGES = 8 };

typedef struct Options {
  bool jobs;
} Options;

typedef struct Normalise {
  const MillStageHost *host;
  const MillHost *common;
  DeviceWords device;
  SymMap names;
  SymClass keys, tracks;
  MillSym stamps[STAMPS], power, bytes, bytes_capital, job_key, job;
  bool adds_job, knows_job;
} Normalise;

/* What is to be set on an event, found before any of it is set: setting moves attributes. */
typedef struct Changes {
  uint32_t n;
  bool has_job, has_ends[2];
  int64_t ends[2]; /* TS1 and TS5 */
  MillSym keys[MOST_CHANGES];
  MillValue values[MOST_CHANGES];
} Changes;

static int normalise_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                          const void *options, void **out_instance)
{
  static const char *const names[STAMPS] = { "TS1", "TS2", "TS3", "TS4", "TS5" };
  (void)self, (void)level;
  const MillHost *common = host->common;
  Normalise *n = instance_new(Normalise, host, out_instance);
  if (!n) return -MILL_LIMIT;
  device_open(&n->device, common);
  n->adds_job = ((const Options *)options)->jobs;
  for (int i = 0; i < STAMPS; i++) n->stamps[i] = common->intern(common, names[i], 3);
  n->power = symbol_of(common, "Power");
  n->bytes = symbol_of(common, "bytes");
  n->bytes_capital = symbol_of(common, "Bytes");
  n->job_key = symbol_of(common, "jobname");
  return 0;
}

/* ---- what is missing */

static bool has_process(Normalise *n, uint32_t track)
{
  uint8_t class = symclass_get(&n->tracks, track);
  if (!class) {
    MillTrack row = { .size = sizeof row };
    n->common->track_info(n->common, track, &row);
    class = row.process.type == MILL_NONE ? NOWHERE : KNOWN;
    symclass_put(n->common, &n->tracks, track, class);
  }
  return class == KNOWN;
}

static void note(const Normalise *n, uint32_t number, const MillBatch *b, uint32_t i)
{
  n->common->note(n->common, number, b, i, NULL, 0);
}

/* True if the slice stays. */
static bool check(Normalise *n, MillBatch *b, uint32_t i)
{
  const MillEvent *e = &b->events[i];
  uint32_t fault = e->flags & MILL_FLAG_NO_TS ? NO_TIME
                   : e->dur_ns == -1          ? NO_DURATION
                   : e->dur_ns < 0            ? NEGATIVE
                                              : 0;
  if (fault) {
    note(n, fault, b, i);
    mill_drop(&mill_events(b)[i]);
    return false;
  }
  if (e->name == 0) note(n, NO_NAME, b, i);
  if (!has_process(n, e->track)) note(n, NO_PROCESS, b, i);
  return true;
}

/* ---- attributes */

static uint8_t class_of_key(const Normalise *n, MillSym key)
{
  for (int k = 0; k < STAMPS; k++)
    if (key == n->stamps[k]) return STAMP;
  if (key == n->power) return POWER;
  if (key == n->bytes_capital) return BYTES;
  return key == n->job_key ? JOB : OTHER;
}

static uint8_t key_class(Normalise *n, MillSym key)
{
  uint8_t class = symclass_get(&n->keys, key);
  if (!class) symclass_put(n->common, &n->keys, key, class = class_of_key(n, key));
  return class;
}

static void change(Changes *c, MillSym key, MillValue value)
{
  if (c->n == MOST_CHANGES) return; /* there are no more keys than that, each of them once */
  c->keys[c->n] = key;
  c->values[c->n++] = value;
}

static void see_end(const Normalise *n, Changes *c, MillSym key, int64_t cycles)
{
  int end = key == n->stamps[0] ? 0 : 1;
  if (end && key != n->stamps[STAMPS - 1]) return;
  c->ends[end] = cycles;
  c->has_ends[end] = true;
}

/* A count as a whole number.  Power is always written anew: stages that read it as a number see one, but its text in
 * the trace would stay. */
static void take_count(Normalise *n, const MillBatch *b, uint32_t event, const MillAttr *a,
                       uint8_t class, Changes *c)
{
  int64_t value;
  if (!count_read(b, a, &value)) {
    if ((a->type & MILL_ATTR_TYPE) != MILL_REAL) note(n, UNREADABLE, b, event);
    return;
  }
  if (class == STAMP) see_end(n, c, a->key, value);
  bool is_int = (a->type & MILL_ATTR_TYPE) == MILL_INT;
  if (!is_int || (class == POWER && !(a->type & MILL_ATTR_SET))) change(c, a->key, mill_int(value));
}

static void take(Normalise *n, const MillBatch *b, uint32_t event, const MillAttr *a,
                 uint32_t n_values, Changes *c)
{
  uint8_t class = key_class(n, a->key);
  if (class == OTHER || (a->type & MILL_ATTR_TYPE) == MILL_NONE) return;
  if (class == JOB) c->has_job = true;
  if (class == STAMP || class == POWER) take_count(n, b, event, a, class, c);
  if (class != BYTES) return;
  change(c, n->bytes, attr_value(n->common, b, a, n_values));
  change(c, n->bytes_capital, mill_none());
}

static void collect(Normalise *n, const MillBatch *b, uint32_t i, Changes *c)
{
  const MillEvent *e = &b->events[i];
  c->n = 0;
  c->has_job = c->has_ends[0] = c->has_ends[1] = false;
  for (uint32_t k = 0, run; k < e->n_attrs; k += run) {
    run = attr_run(b, e, k);
    take(n, b, i, &b->attrs[e->attrs + k], run, c);
  }
  if (e->dur_ns == 0 && c->has_ends[0] && c->has_ends[1] && c->ends[0] != c->ends[1])
    note(n, ZERO_LENGTH, b, i);
}

/* ---- the job */

/* Inputs that were not joined are one job each, the first of its rank. */
static MillSym job_of_lane(Normalise *n)
{
  if (n->knows_job) return n->job;
  MillLane lane = { .size = sizeof lane };
  n->common->lane(n->common, MILL_NO_LANE, &lane);
  const char *path = lane.path ? lane.path : lane.name ? lane.name : "";
  const char *slash = strrchr(path, '/');
  n->job = normalised_job(n->common, slash && slash[1] ? slash + 1 : path);
  n->knows_job = true;
  return n->job;
}

/* ---- the calls */

static int normalise_slice(Normalise *n, MillBatch *b, uint32_t i)
{
  Changes c;
  if (!check(n, b, i)) return 0;
  MillSym name = name_spelled(&n->names, n->common, b->events[i].name);
  if (name != b->events[i].name) mill_set_name(&mill_events(b)[i], name);
  collect(n, b, i, &c);
  if (n->adds_job && !c.has_job && !n->device.is_named)
    change(&c, n->job_key, mill_sym(job_of_lane(n)));
  for (uint32_t k = 0; k < c.n; k++) {
    int status = n->host->set(n->host, b, i, c.keys[k], c.values[k]);
    if (status < 0) return status;
  }
  return 0;
}

/* What may have no time: metadata, records, and what nobody knows. */
#define UNTIMED (MILL_KIND(MILL_META) | MILL_KIND(MILL_RECORD) | MILL_KIND(MILL_OTHER))

static void normalise_other(const Normalise *n, MillBatch *b, uint32_t i)
{
  MillEvent *e = &mill_events(b)[i];
  if (e->kind == MILL_OTHER) note(n, NO_PHASE, b, i);
  if (!(e->flags & MILL_FLAG_NO_TS) || UNTIMED & MILL_KIND(e->kind)) return;
  note(n, TIMELESS, b, i);
  mill_drop(e);
}

static int normalise_process(void *instance, MillBatch *b)
{
  Normalise *n = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    int status = 0;
    if (b->events[i].kind == MILL_SLICE)
      status = normalise_slice(n, b, i);
    else
      normalise_other(n, b, i);
    if (status < 0) return status;
  }
  return 0;
}

static const MillOption options[] = {
  MILL_BOOL_OPTION(
      Options, jobs, "jobs", "true",
      "Give slices without an attribute jobname the name of their file; not in torch traces"),
};

static const MillNotice notices[] = {
  MILL_WARNING(NO_TIME, "{count} slice[|s] of {lane} [has|have] no start",
               "[it was|they were] dropped", "check whether the recording was cut off or edited",
               "A complete event (phase X) needs a time `ts`. If it is missing, null or not a "
               "number, the place of the slice is unknown: no viewer can draw it, and no result "
               "can use it. The slice is left out of the trace and of every result. Check the "
               "program that writes the trace."),
  MILL_WARNING(
      NO_DURATION, "{count} slice[|s] of {lane} [has|have] no duration",
      "[it was|they were] dropped", "check whether the recording was cut off or edited",
      "A complete event (phase X) needs a duration `dur`. If it is missing, null or not a number, "
      "the end of the slice is unknown, and the slice is left out of the trace and of every "
      "result. An event without length should be an instant (phase i)."),
  MILL_WARNING(
      NEGATIVE, "{count} slice[|s] of {lane} [has|have] a negative duration",
      "[it was|they were] dropped", "repeat the recording without setting the clock",
      "A slice cannot end before it begins. The clock was set back while the slice ran, or two "
      "clocks measured its two ends. The slice is left out of the trace and of every result."),
  MILL_WARNING(
      NO_NAME, "{count} slice[|s] of {lane} [has|have] no name",
      "[it counts|they count] under the empty name",
      "check what wrote the trace; --enable filter leaves such slices out",
      "Stages classify slices by their names: kernels, transfers, preparations. A slice without a "
      "name is kept, drawn and counted in sums, but it belongs to no class of work."),
  MILL_WARNING(
      NO_PROCESS, "{count} slice[|s] of {lane} [has|have] no process",
      "[it is|they are] on [a separate track|separate tracks]", "check what wrote the trace",
      "The number of the process (`pid`) says to which device or host a slice belongs. Without it, "
      "the slice stays in the lane of its input and counts for the rank of the input."),
  MILL_WARNING(UNREADABLE,
               "{count} value[|s] of TS1 to TS5 or Power in {lane} [is no whole number|are no "
               "whole numbers]",
               "[it was left as it is|they were left as they are]",
               "check what wrote the trace: stamps are decimal or 0x numbers",
               "Stamps and power are counts: numbers, or texts that hold a decimal, 0x, 0o or 0b "
               "number. Other values cannot be used. Without its stamps, an event keeps the host's "
               "time; without its power, it is not in the power over time. Check the program that "
               "writes the trace."),
  MILL_WARNING(ZERO_LENGTH,
               "{count} slice[|s] of {lane} [has|have] no length although cycles passed",
               "[its time comes|their times come] from the stamps where stages use them",
               "leave the stage cycles in: it takes times from the stamps",
               "The host gave the duration 0, but TS1 and TS5 differ: the host took the time only "
               "once, or its clock is too coarse. Stages that use stamps take the cycles; stages "
               "that use the host's time see a slice without length."),
  MILL_INFO(NO_PHASE, "{count} event[|s] of {lane} [has|have] no phase (ph) that stages know",
            "[it stays as it is|they stay as they are], and no result counts [it|them]", NULL,
            "The phase is the kind of an event: X is a slice, C a counter. If it is missing or "
            "unknown, stages ignore the event, as most viewers do."),
  MILL_WARNING(TIMELESS,
               "{count} counter[|s], arrow[|s] or instant[|s] of {lane} [has|have] no time",
               "[it was|they were] dropped", "check whether the recording was cut off or edited",
               "Every event except metadata needs a time `ts`: a counter, an end of an arrow, an "
               "instant, a begin or an end. If it is missing, null or not a number, the place of "
               "the event is unknown, and the event is left out of the trace. Check the program "
               "that writes the trace."),
};

static const MillRead reads[] = {
  { "TS1", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "TS2", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "TS3", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "TS4", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "TS5", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Power", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Bytes", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "jobname", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
};
static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "attr.jobname", NULL };

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = normalise_open,
                                  .process = normalise_process };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP,
  .options_size = sizeof(Options),
  .name = "normalise",
  .family = "clean",
  .version = "1.0.0",
  .tag = "NORM",
  .title = "Bring slices of different tracers to one form",
  .help = "Turns stamps (TS1 to TS5) and Power into whole numbers, writes RDMA as Rdma and Receive "
          "as Recv in names, renames the attribute Bytes to bytes, and adds the file of a slice "
          "(jobname). Drops and counts events without a time and slices without a duration.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
