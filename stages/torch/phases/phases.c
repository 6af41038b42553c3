/* What an inference engine did for prompts and for answers: its steps by phase, with the device work that was launched in
 * them.  Steps are known by their annotations (lib/serve-steps.h). */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>

#include "kit/declare/rows.h"
#include "kit/devices/torch-words.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/state/pairmap.h"
#include "kit/text/symbol.h"
#include "torch/lib/serve-steps.h"

enum { TABLE_PHASES };

typedef struct Phase {
  int64_t steps, requests, tokens, time_ns;
  bool lacks_requests, lacks_tokens;
  IntervalSet device;
} Phase;

typedef struct Phases {
  const MillStageHost *host;
  const MillHost *common;
  TorchWords words;
  MillSym correlation;
  ServeSteps steps;
  PairMap by_correlation; /* phase + 1 */
  Phase of[N_SERVE_PHASES];
} Phases;

static int phases_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Phases *p = instance_new(Phases, host, out_instance);
  if (!p) return -MILL_LIMIT;
  p->words.common = p->steps.common = host->common;
  p->correlation = symbol_of(host->common, "correlation");
  pairmap_open(&p->by_correlation, host->common);
  for (int i = 0; i < N_SERVE_PHASES; i++) p->of[i].device.common = host->common;
  return 0;
}

static bool take_call(Phases *p, const MillBatch *b, const MillEvent *e)
{
  int64_t correlation;
  const ServeSpan *span = serve_steps_at(&p->steps, e->track, e->ts_ns);
  if (!span || !mill_attr_int(b, e, p->correlation, &correlation)) return true;
  uint64_t *known = pairmap_at(&p->by_correlation, 0, (uint64_t)correlation);
  if (known) *known = (uint64_t)span->step.phase + 1;
  return known != NULL;
}

static bool take_work(Phases *p, const MillBatch *b, const MillEvent *e)
{
  int64_t correlation;
  if (e->dur_ns <= 0 || !mill_attr_int(b, e, p->correlation, &correlation)) return true;
  const uint64_t found = pairmap_get(&p->by_correlation, 0, (uint64_t)correlation);
  return !found ||
         interval_add(&p->of[found - 1].device, e->ts_ns, interval_end(e->ts_ns, e->dur_ns));
}

static bool take(Phases *p, const MillBatch *b, const MillEvent *e)
{
  const TorchKind kind = torch_kind(&p->words, e);
  if (kind == TORCH_RANGE) return serve_steps_see(&p->steps, e);
  if (kind == TORCH_CALL) return take_call(p, b, e);
  return !torch_is_device(kind) || take_work(p, b, e);
}

static int phases_process(void *instance, MillBatch *b)
{
  Phases *p = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS) continue;
    if (!take(p, b, e)) return -MILL_LIMIT;
  }
  return 0;
}

/* ---- results */

static void add_step(Phase *p, const ServeSpan *span)
{
  const ServeStep *s = &span->step;
  p->steps++;
  p->time_ns = add_clipped(p->time_ns, interval_span(span->start_ns, span->end_ns));
  p->lacks_requests |= s->requests == SERVE_UNKNOWN;
  p->lacks_tokens |= s->tokens == SERVE_UNKNOWN;
  if (s->requests != SERVE_UNKNOWN) p->requests = add_clipped(p->requests, s->requests);
  if (s->tokens != SERVE_UNKNOWN) p->tokens = add_clipped(p->tokens, s->tokens);
}

typedef struct PhaseRow {
  const char *phase;
  int64_t steps, requests, tokens, time_ns, device_ns;
  double per_token_ns;
} PhaseRow;

static int report_phase(Phases *p, int phase)
{
  Phase *of = &p->of[phase];
  if (of->steps == 0) return 0;
  interval_normalise(&of->device);
  PhaseRow row = { .phase = serve_phase_names[phase],
                   .steps = of->steps,
                   .requests = of->lacks_requests ? MILL_NO_INT : of->requests,
                   .tokens = of->lacks_tokens ? MILL_NO_INT : of->tokens,
                   .time_ns = of->time_ns,
                   .device_ns = interval_length(&of->device),
                   .per_token_ns = (double)NAN };
  if (!of->lacks_tokens && of->tokens > 0)
    row.per_token_ns = (double)row.device_ns / (double)of->tokens;
  return mill_row(p->host, TABLE_PHASES, &row);
}

static int phases_report(void *instance)
{
  Phases *p = instance;
  int status = 0;
  for (size_t t = 0; t < p->steps.n_tracks; t++)
    for (size_t i = 0; i < p->steps.tracks[t].n; i++) {
      const ServeSpan *span = &p->steps.tracks[t].spans[i];
      add_step(&p->of[span->step.phase], span);
    }
  for (int i = 0; i < N_SERVE_PHASES && status == 0; i++) status = report_phase(p, i);
  return status;
}

/* ---- the descriptor */

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(PhaseRow, phase, "phase", NULL,
                 "prefill: prompts; decode: answers; mixed: both in one step"),
  MILL_BRIEF(PhaseRow, steps, "steps", "count", "Steps of the engine"),
  MILL_BRIEF(PhaseRow, requests, "requests", "count",
             "Requests that they served, summed over steps; empty if an annotation does not say"),
  MILL_BRIEF(PhaseRow, tokens, "tokens", "count",
             "Tokens that they computed; empty if an annotation does not say"),
  MILL_BRIEF(PhaseRow, time_ns, "time", "ns", "Their time on the host"),
  MILL_BRIEF(PhaseRow, device_ns, "device", "ns", "Union of the device work launched in them"),
  MILL_BRIEF(PhaseRow, per_token_ns, "device_per_token", "ns", "Device time of a token"),
};
static const MillTable tables[] = {
  [TABLE_PHASES] = { .per = MILL_PER_LANE,
                     .brief_rows = 8,
                     .name = "phases",
                     .help = "Steps of an inference engine: prefill, decode, mixed",
                     .columns = MILL_ROWS(columns) },
};

static const MillRead reads[] = { { "correlation", MILL_AS_INT, MILL_KIND(MILL_SLICE) } };
static const char *const needs[] = { "events", "order.lane", NULL };
static const char *const wants[] = { "annotations", NULL };
static const char *const provides[] = { "table.phases", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = phases_open,
  .process = phases_process,
  .report = phases_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "phases",
  .family = "torch",
  .version = "1.0.0",
  .tag = "PHASE",
  .title = "Prefill and decode of an inference engine",
  .help = "Sums the steps that vLLM and SGLang annotate by phase: prefill, decode, mixed. Reports "
          "their requests, tokens and time, and the device time of a token.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  OWN_ROWS(tables, reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
