/* Notices of a run; see told.h. */
#include "sched/told.h"

#include "model/engine.h"
#include "input/input.h"
#include "sched/lane.h"

static const char *lane_name(const Run *run, uint32_t lane)
{
  return lane < run->lanes->len ? ((const Lane *)run->lanes->pdata[lane])->name : "";
}

static void tell(GPtrArray *out, const Run *run, const MillStage *stage, const Notices *sum)
{
  for (uint32_t i = 0; i < stage->n_notices; i++) {
    const NoticeCount *c = &sum->counts[i];
    const MillNotice *n = &stage->notices[i];
    if (!c->count) continue;
    Told *t = g_new0(Told, 1);
    const char *lane = lane_name(run, c->lane);
    t->notice = n;
    t->count = c->count;
    t->code = notice_code(stage, i);
    t->what = notice_render(c, n->what, lane);
    t->effect = n->effect ? notice_render(c, n->effect, lane) : NULL;
    t->help = n->help ? notice_render(c, n->help, lane) : NULL;
    g_ptr_array_add(out, t);
  }
}

static void told_free(gpointer data)
{
  Told *t = data;
  g_free(t->code);
  g_free(t->what);
  g_free(t->effect);
  g_free(t->help);
  g_free(t);
}

/* Those that looked through folders, then those that read. */
static void gather_sources(GPtrArray *out, const Run *run)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new(), seen = g_ptr_array_new();
  g_ptr_array_extend(all, run->expanders, NULL, NULL);
  for (guint i = 0; i < run->inputs->len; i++) {
    const Input *in = run->inputs->pdata[i];
    if (in->source && in->instance) g_ptr_array_add(all, in->instance);
  }
  for (guint i = 0; i < all->len; i++) {
    const MillStage *source = ((const Instance *)all->pdata[i])->stage;
    Notices sum;
    if (g_ptr_array_find(seen, source, NULL)) continue;
    notices_init(&sum, source);
    for (guint k = i; k < all->len; k++) {
      Instance *other = all->pdata[k];
      if (other->stage == source) notices_merge(&sum, &other->notices, 0);
    }
    tell(out, run, source, &sum);
    notices_clear(&sum);
    g_ptr_array_add(seen, (gpointer)source);
  }
}

GPtrArray *told_gather(const Run *run)
{
  GPtrArray *out = g_ptr_array_new_with_free_func(told_free);
  tell(out, run, engine_stage(), &run->notices);
  gather_sources(out, run);
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    const Lane *lane;
    Notices sum;
    notices_init(&sum, run->plan->stages[s].stage);
    for (guint l = 0; (lane = run_lane(run, l)); l++)
      if (lane_reported(lane, s)) notices_merge(&sum, &lane_reported(lane, s)->notices, 0);
    for (guint g = 0; g < run->folds[s].groups->len; g++)
      notices_merge(&sum, &((FoldGroup *)run->folds[s].groups->pdata[g])->instance->notices, 0);
    tell(out, run, sum.stage, &sum);
    notices_clear(&sum);
  }
  for (guint s = 0; s < run->sinks->len; s++) {
    Sink *sink = run->sinks->pdata[s];
    if (sink->instance) notices_merge(&sink->lane_notices, &sink->instance->notices, 0);
    tell(out, run, sink->stage, &sink->lane_notices);
  }
  return out;
}
