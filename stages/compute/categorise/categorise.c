/* Says of every slice what it is for: the attribute class.  Names tell most of it; a transfer of the device between
 * the starts of the first and the last kernel of its job is part of the collectives' protocol, so that the first pass
 * learns when kernels start. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "class.h"
#include "kit/devices/device.h"
#include "kit/state/instance.h"
#include "kit/state/keyed.h"
#include "kit/state/state.h"
#include "kit/text/symbol.h"
#include "kit/trace/transfer.h"

enum { SIGNAL_BYTES = 128 }; /* a transfer of so many only tells the other side */
enum { COMPUTES = 1, COLLECTIVE = 2, N_VARIANTS = 4 };

typedef struct Job { /* starts of its kernels */
  bool known;
  int64_t first_ns, last_ns;
} Job;

typedef struct Categorise {
  const MillStageHost *host;
  const MillHost *common;
  DeviceWords words;
  MillSym class_key, job_key, bytes_key, class_sym[N_CLASSES];
  SymClass names[N_VARIANTS];
  Keyed *jobs; /* by the attribute jobname */
} Categorise;

static int categorise_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                           const void *options, void **out_instance)
{
  (void)self, (void)options, (void)level;
  const MillHost *common = host->common;
  Categorise *c = instance_new(Categorise, host, out_instance);
  if (!c) return -MILL_LIMIT;
  device_open(&c->words, common);
  c->class_key = symbol_of(common, "class");
  c->job_key = symbol_of(common, "jobname");
  c->bytes_key = symbol_of(common, "bytes");
  for (uint32_t i = CLASS_OTHER; i < N_CLASSES; i++)
    c->class_sym[i] = symbol_of(common, class_names[i]);
  c->jobs = keyed_new(common, sizeof(Job));
  return c->jobs ? 0 : -MILL_LIMIT;
}

/* ---- jobs */

/* NULL: memory was refused. */
static Job *job_of(Categorise *c, const MillBatch *b, const MillEvent *e)
{
  char number[DIGITS_MAX];
  size_t len;
  const char *text = transfer_text(c->common, b, mill_attr(b, e, c->job_key), number, &len);
  return keyed_get(c->jobs, text ? text : "", len);
}

static void see(Job *job, int64_t first_ns, int64_t last_ns)
{
  if (!job->known || first_ns < job->first_ns) job->first_ns = first_ns;
  if (!job->known || last_ns > job->last_ns) job->last_ns = last_ns;
  job->known = true;
}

static bool is_timed_slice(const MillEvent *e)
{
  return e->kind == MILL_SLICE && !(e->flags & MILL_FLAG_NO_TS);
}

static int categorise_observe(void *instance, const MillBatch *b)
{
  Categorise *c = instance;
  if (c->words.is_named) return 0;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (!is_timed_slice(e) || !device_computes(&c->words, e)) continue;
    Job *job = job_of(c, b, e);
    if (!job) return -MILL_LIMIT;
    see(job, e->ts_ns, e->ts_ns);
  }
  return 0;
}

static const StateField job_fields[] = {
  STATE_MOST(Job, known),
  STATE_LEAST(Job, first_ns),
  STATE_MOST(Job, last_ns),
};
static const StateType job_state = STATE_TYPE(Job, job_fields);

static const StateField categorise_fields[] = { STATE_KEYED(Categorise, jobs, job_state) };
static const StateType categorise_state = STATE_TYPE(Categorise, categorise_fields);
STATE_DECISION(Categorise, categorise_state)

/* ---- classes */

static EventClass class_by_name(Categorise *c, const MillBatch *b, const MillEvent *e)
{
  bool computes = device_computes(&c->words, e), group = device_is_collective(&c->words, b, e);
  SymClass *known = &c->names[computes * COMPUTES + group * COLLECTIVE];
  uint8_t class = symclass_get(known, e->name);
  if (class) return (EventClass) class;
  size_t len;
  const char *text = c->common->symbol_text(c->common, e->name, &len);
  const ClassFacts facts = { c->words.is_named, computes, group };
  class = (uint8_t)class_of(facts, text, len);
  symclass_put(c->common, known, e->name, class);
  return (EventClass) class;
}

static bool only_signals(const Categorise *c, const MillBatch *b, const MillEvent *e)
{
  int64_t bytes;
  return transfer_number(c->common, b, mill_attr(b, e, c->bytes_key), &bytes) &&
         bytes == SIGNAL_BYTES;
}

/* Of a transfer between the kernels of its job; false: memory was refused. */
static bool refine(Categorise *c, const MillBatch *b, const MillEvent *e, EventClass *io_class)
{
  const Job *job = job_of(c, b, e);
  if (!job) return false;
  if (!job->known || e->ts_ns <= job->first_ns || e->ts_ns >= job->last_ns) return true;
  bool signals = only_signals(c, b, e);
  if (*io_class == CLASS_DATA_OUT)
    *io_class = signals ? CLASS_SIGNAL_DATA : CLASS_SEND_DATA;
  else
    *io_class = signals ? CLASS_SIGNAL_ACK : CLASS_RECV_DATA;
  return true;
}

static int categorise_process(void *instance, MillBatch *b)
{
  Categorise *c = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE) continue;
    EventClass class = class_by_name(c, b, e);
    bool transfers = class == CLASS_DATA_IN || class == CLASS_DATA_OUT;
    if (transfers && !c->words.is_named && is_timed_slice(e) && device_has(&c->words, b, e) &&
        !refine(c, b, e, &class))
      return -MILL_LIMIT;
    int status = c->host->set(c->host, b, i, c->class_key, mill_sym(c->class_sym[class]));
    if (status < 0) return status;
  }
  return 0;
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = categorise_open,
  .observe = categorise_observe,
  .save_decision = save_decision,
  .load_decision = load_decision,
  .process = categorise_process,
};

static const MillRead reads[] = {
  DEVICE_READS,
  { "jobname", MILL_AS_TEXT, MILL_KIND(MILL_SLICE) },
  { "bytes", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
};

static const char *const needs[] = { "events", NULL };
static const char *const wants[] = { "slices", NULL };
static const char *const provides[] = { "attr.class", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .name = "categorise",
  .family = "compute",
  .version = "1.0.0",
  .tag = "CAT",
  .title = "Classify every slice",
  .help =
      "Gives each slice the attribute class: a step of the device's work, such as COMPUTE_EXEC or "
      "DATA_IN, or a step of the protocol of a collective, such as "
      "MAIU_P2PRDMA_PROTOCOL_SEND_DATA. The class depends on the slice's name, its CollGroup, and "
      "whether it is between the kernels of its job.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .reads = MILL_ROWS(reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
