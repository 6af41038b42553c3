/* Fuzz target: any text as a profile, resolved and planned for several classes of inputs. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/codes.h"
#include "plan/facts.h"
#include "plan/planner.h"
#include "plan/profile-parts.h"
#include "promise.h"
#include "plan-stages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ------------------------------------------------------------------- modules */

typedef struct Settings {
  int64_t number;
  const char *text;
} Settings;

static const MillOption options[] = {
  MILL_INT_OPTION(Settings, number, "number", "5", "0:100", NULL, "A number."),
  MILL_STRING_OPTION(Settings, text, "text", "", "A text."),
};

#define STAGE(n, t, s, o, ...)                                                                \
  {                                                                                           \
    .size = sizeof(MillStage), .options_size = sizeof(Settings), .scope = s, .name = n,       \
    .family = "t", .version = "1.0.0", .tag = t, .title = "A stage", .help = "Does nothing.", \
    .options = MILL_ROWS(options), .ops = &o, __VA_ARGS__                                     \
  }

static const MillStage stages[] = { PLAN_STAGES(STAGE) };

static Modules *make_modules(void)
{
  const ModuleSearch nowhere = { .no_user = true, .no_env = true, .no_installed = true };
  static MillModule all[G_N_ELEMENTS(stages)];
  Modules *m = modules_new(&nowhere);
  for (size_t i = 0; i < G_N_ELEMENTS(stages); i++) {
    all[i] = (MillModule){ .magic = MILL_MAGIC,
                           .abi = MILL_ABI,
                           .size = sizeof(MillModule),
                           .kind = MILL_KIND_STAGE,
                           .vendor = "stagemill",
                           .licence = "MIT",
                           .descriptor = &stages[i] };
    Error *e = modules_add(m, &all[i], "the test");
    PROMISE(!e);
  }
  return m;
}

/* ------------------------------------------------------------------ promises */

static void check_errors(Error *first)
{
  g_autoptr(GString) out = g_string_new(NULL);
  for (Error *e = first; e; e = e->next) PROMISE(codes_find(e->code) != NULL);
  error_format(first, true, false, out);
  PROMISE(!first || g_utf8_validate(out->str, (gssize)out->len, NULL));
  error_free(first);
}

/* A lane's events come to an end, and no pass is of a stage that there is not. */
static void check_class(const Plan *plan, const PlanClass *c)
{
  PROMISE(c->ends_in_merge || c->segments->len > 0);
  for (guint i = 0; i < c->segments->len; i++) {
    const Segment *s = c->segments->pdata[i];
    bool last = i + 1 == c->segments->len;
    PROMISE((s->end == END_SINK) <= last && s->decides < (int)plan->n_stages);
    for (guint k = 0; k < s->passes->len; k++)
      PROMISE(g_array_index(s->passes, Pass, k).stage < plan->n_stages);
  }
}

static void check_plan(Profile *profile, Modules *modules, bool cascade)
{
  static const char *const words[] = { "slices order.lane", "clock.cycles", "" };
  g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  PlanInputClass inputs[G_N_ELEMENTS(words)];
  Plan *plan = NULL;
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    g_auto(GStrv) facts = g_strsplit(words[i], " ", -1);
    Facts *of_class = facts_new();
    for (char **f = facts; *f; f++)
      if (**f) facts_add(of_class, *f);
    g_ptr_array_add(kept, of_class);
    inputs[i] = (PlanInputClass){ "source", words[i], of_class };
  }
  Error *e = plan_new(profile, modules, inputs, G_N_ELEMENTS(words), cascade, &plan);
  PROMISE(e || plan);
  for (guint i = 0; !e && i < plan->classes->len; i++) check_class(plan, plan->classes->pdata[i]);
  if (!e && plan->joint) check_class(plan, plan->joint);
  check_errors(e);
  plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static Modules *modules;
  if (!modules) modules = make_modules();
  if (size < 1 || size > 1 << 16) return 0;
  Problems problems = { NULL, NULL, 0 };
  g_autoptr(GPtrArray) none = g_ptr_array_new();
  const ProfileEdits edits = { .set = none, .enable = none, .disable = none, .only = none };
  Profile *profile = profile_new();
  Layer *layer = layer_read("fuzz.json", (const char *)data + 1, size - 1, &problems);
  if (layer && !problems.n) merge_layer(profile, layer, &problems);
  bool sound = layer && !problems.n;
  check_errors(problems_take(&problems));
  Error *e = sound ? profile_resolve(profile, modules, &edits) : NULL;
  if (sound && !e)
    check_plan(profile, modules, data[0] & 1);
  else
    profile_free(profile);
  check_errors(e);
  layer_free(layer);
  return 0;
}
