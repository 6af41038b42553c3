/* Plans as one line a class of lanes: where events are sorted, held, merged and split. */
/* SPDX-License-Identifier: MIT */
#include "plan/facts.h"
#include "plan/planner.h"

#include "check.h"
#include "plan-stages.h"
#include "scratch.h"

#define READS(name) .reads = (const MillRead[]){ { name, MILL_AS_ANY, 0 } }, .n_reads = 1
#define STAGE(n, t, s, o, ...)                                                                  \
  {                                                                                             \
    .kind = MILL_KIND_STAGE, .scope = s, .name = n, .family = "t", .stage_ops = &o, __VA_ARGS__ \
  }

static const Descriptor stages[] = {
  PLAN_STAGES(STAGE),
  STAGE("shared", "", MILL_SCOPE_WHOLE, once, .needs = LIST("clock.cycles")),
  STAGE("counts", "", MILL_SCOPE_EVENT, once, .flags = MILL_READ_ONLY | MILL_MERGES),
  STAGE("marks", "", MILL_SCOPE_LANE, once, .private_attrs = LIST("mark")),
  STAGE("marked", "", MILL_SCOPE_WHOLE, once, READS("mark")),
  STAGE("beside", "", MILL_SCOPE_RUN, over_all, .needs = LIST("clock.cycles"),
        .wants = LIST("of.log")),
  STAGE("joined", "", MILL_SCOPE_WHOLE, once, .wants = LIST("of.log")),
  STAGE("chosen", "", MILL_SCOPE_LANE, once, READS("$attr")),
  STAGE("path", "", MILL_SCOPE_LANE, once, READS("$.attr")),
};

static const Descriptor *stage_named(const char *name)
{
  for (size_t i = 0; i < G_N_ELEMENTS(stages); i++)
    if (!strcmp(stages[i].name, name)) return &stages[i];
  return NULL;
}

static void entry_free(gpointer data)
{
  ProfileEntry *e = data;
  g_free(e->id);
  g_free(e->use);
  g_free(e->enabled_origin);
  g_ptr_array_unref(e->with);
  g_free((gpointer)e->module);
  g_free(e);
}

/* Every entry has a setting that one stage reads by; "?" after its name makes it optional. */
static Profile *profile_of(const char *words)
{
  static ProfileSetting attr = { .name = (char *)"attr", .text = (char *)"mark" };
  static ProfileSetting path = { .name = (char *)"attr", .text = (char *)"args.mark.kind" };
  Profile *p = g_new0(Profile, 1);
  g_auto(GStrv) names = g_strsplit(words, " ", -1);
  p->name = g_strdup("t");
  p->params = g_ptr_array_new();
  p->chain = g_ptr_array_new();
  p->sinks = g_ptr_array_new();
  p->sources = g_ptr_array_new();
  p->figures = g_ptr_array_new();
  p->entries = g_ptr_array_new_with_free_func(entry_free);
  for (char **name = names; *name; name++) {
    ProfileEntry *e = g_new0(ProfileEntry, 1);
    Module *m = g_new0(Module, 1);
    char *mark = strchr(*name, '?');
    if (mark) *mark = '\0';
    m->stage = stage_named(*name);
    *e = (ProfileEntry){ g_strdup(*name), g_strdup(*name), true, NULL, NULL, g_ptr_array_new(), m };
    e->optional = mark != NULL;
    g_ptr_array_add(e->with, strcmp(*name, "path") ? &attr : &path);
    g_ptr_array_add(p->entries, e);
  }
  return p;
}

/* "o:" observes, "-" strips; then how the segment ends and what all wait for. */
static void add_segment(GString *out, const Plan *plan, const Segment *s)
{
  static const char *const ends[] = { "sink", "hold", "sort", "reread" };
  static const char *const barriers[] = { "", " lane", " run", " merge", " split" };
  static const char *const kinds[] = { "o:", "", "-" };
  for (guint i = 0; i < s->passes->len; i++) {
    const Pass *p = &g_array_index(s->passes, Pass, i);
    g_string_append_printf(out, "%s%s ", kinds[p->kind], plan->stages[p->stage].id);
  }
  g_string_append_printf(out, "%s%s", ends[s->end], barriers[s->barrier]);
}

static void add_skipped(GString *out, const Plan *plan, uint32_t stage)
{
  const char *lacks = plan_left_out(plan, stage);
  g_string_append_printf(out, lacks ? " (without %s: %s)" : " (no %s)", plan->stages[stage].id,
                         lacks);
}

static void add_class(GString *out, const Plan *plan, const PlanClass *c)
{
  for (guint i = 0; i < c->segments->len; i++) {
    g_string_append(out, i ? " | " : "");
    add_segment(out, plan, c->segments->pdata[i]);
  }
  for (guint i = 0; i < c->skipped->len; i++)
    add_skipped(out, plan, g_array_index(c->skipped, PlanSkip, i).stage);
}

static char *plan_text(const char *words, const char *const *classes, bool cascade)
{
  GString *out = g_string_new(NULL);
  g_autoptr(GPtrArray) all_facts =
      g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  PlanInputClass inputs[4];
  uint32_t n = 0;
  g_autoptr(GPtrArray) none = g_ptr_array_new();
  ModuleSearch search = { .paths = none, .no_user = true, .no_env = true, .no_installed = true };
  for (; classes[n]; n++) {
    g_auto(GStrv) words_of = g_strsplit(classes[n], " ", -1);
    Facts *facts = facts_new();
    for (char **w = words_of; *w; w++)
      if (**w) facts_add(facts, *w);
    g_ptr_array_add(all_facts, facts);
    inputs[n] = (PlanInputClass){ "source", classes[n], facts, facts_has(facts, "of.side") };
  }
  Modules *modules = modules_new(&search);
  Profile *profile = profile_of(words);
  Plan *plan = NULL;
  g_autoptr(Error) e = plan_new(profile, modules, inputs, n, cascade, &plan);
  if (e) g_string_append_printf(out, "%s %d", e->code, e->status);
  for (guint c = 0; plan && c < plan->classes->len; c++) {
    g_string_append(out, c ? " ; " : "");
    add_class(out, plan, plan->classes->pdata[c]);
  }
  if (plan && plan->joint) {
    g_string_append(out, " => ");
    add_class(out, plan, plan->joint);
  }
  plan_free(plan);
  modules_free(modules);
  return g_string_free(out, FALSE);
}

typedef struct Row {
  const char *words;
  const char *const *classes;
  bool cascade;
  const char *wanted;
} Row;

static void check_rows(const Row *rows, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    g_autofree char *got = plan_text(rows[i].words, rows[i].classes, rows[i].cascade);
    if (!CHECK_STR(got, rows[i].wanted)) CHECK_ROW(rows[i].words);
  }
}

static void test_one_class(void)
{
  static const char *const bare[] = { "", NULL }, *const ordered[] = { "order.lane", NULL };
  static const char *const cycles[] = { "clock.cycles", NULL };
  static const Row rows[] = {
    { "filter stats", bare, false, "filter stats sink" },
    { "sort", bare, false, "sort | sort sink" },
    { "sort sort", bare, false, "sort | sort sort sink" },
    { "sort", ordered, false, "sort sink" },
    { "pair sort", ordered, false, "pair sort | sort sink" },
    { "pair overlap stats", bare, false, "pair sort | o:overlap reread lane | overlap stats sink" },
    { "unwrap stats", cycles, false, "o:unwrap hold lane | unwrap stats sink" },
    { "sync stats", bare, false, "o:sync hold run | sync stats sink" },
    { "sync unwrap", cycles, false, "o:sync hold run | sync o:unwrap hold lane | unwrap sink" },
    { "marks stats", bare, false, "marks -marks stats sink" },
    { "marks stats chosen stats", bare, false, "marks stats chosen -marks stats sink" },
    { "marks stats path stats", bare, false, "marks stats path -marks stats sink" },
  };
  check_rows(rows, G_N_ELEMENTS(rows));
}

static void test_merge_and_split(void)
{
  static const char *const bare[] = { "", NULL }, *const both[] = { "", "clock.cycles", NULL };
  static const Row rows[] = {
    { "flow", bare, false, "sort merge => flow sink" },
    { "flow filter", bare, false, "sort merge => flow filter sink" },
    { "flow stats", bare, false, "sort merge => flow hold split | stats sink" },
    { "flow filter", bare, false, "sort merge => flow filter sink" },
    { "flow counts", bare, false, "sort merge => flow hold split | counts sink" },
    { "flow sort", bare, false, "sort merge => flow hold split | sort | sort sink" },
    { "stats flow flow", bare, false, "stats sort merge => flow sort | flow sink" },
    { "flow", both, false, "sort merge ; sort merge => flow sink" },
    { "marks flow", bare, false, "marks -marks sort merge => flow sink" },
    { "marks marked flow", bare, false, "marks sort merge => marked -marks flow sink" },
    { "marks marked flow", both, false,
      "marks sort merge ; marks sort merge => marked -marks flow sink" },
    { "shared", both, false, "sink (no shared) ; sort merge => shared sink" },
    { "unwrap stats", both, false,
      "stats sink (no unwrap) ; o:unwrap hold lane | unwrap stats sink" },
  };
  check_rows(rows, G_N_ELEMENTS(rows));
}

static void test_missing(void)
{
  static const char *const bare[] = { "", NULL };
  static const Row rows[] = {
    { "overlap", bare, false, "PRF-20 4" },
    { "overlap pair", bare, false, "PRF-20 4" },
    { "unwrap stats", bare, false, "PRF-20 4" },
    { "unwrap stats", bare, true, "stats sink" },
    { "unwrap overlap stats", bare, true, "stats sink" },
  };
  check_rows(rows, G_N_ELEMENTS(rows));
}

static void test_optional(void)
{
  static const char *const bare[] = { "", NULL }, *const both[] = { "", "clock.cycles", NULL };
  static const Row rows[] = {
    { "unwrap? stats", bare, false, "stats sink (without unwrap: clock.cycles)" },
    { "unwrap? stats", bare, true, "stats sink (without unwrap: clock.cycles)" },
    { "overlap? unwrap?", bare, false,
      "sink (without overlap: slices) (without unwrap: clock.cycles)" },
    { "unwrap? stats", both, false,
      "stats sink (no unwrap) ; o:unwrap hold lane | unwrap stats sink" },
    { "pair? overlap?", bare, false, "pair sort | o:overlap reread lane | overlap sink" },
    { "unwrap? overlap", bare, false, "PRF-20 4" },
    { "unwrap? overlap stats", bare, true, "stats sink (without unwrap: clock.cycles)" },
    { "shared?", bare, false, "sink (without shared: clock.cycles)" },
  };
  check_rows(rows, G_N_ELEMENTS(rows));
}

/* What is beside the traces goes to stages that run on those and ask for it, whatever else they need. */
static void test_side_inputs(void)
{
  static const char *const both[] = { "clock.cycles of.log", "of.log of.side", NULL };
  static const char *const other[] = { "of.log", "of.log of.side", NULL };
  static const Row rows[] = {
    { "stats beside stats", both, false,
      "stats o:beside hold run | beside stats sink ; o:beside hold run | beside sink" },
    { "pair overlap flow", both, false,
      "pair sort | o:overlap reread lane | overlap sort merge ; sink => flow sink" },
    { "shared beside", both, false,
      "sort merge ; o:beside hold run | beside sink => shared hold split | o:beside reread run | "
      "beside sink" },
    { "joined stats", both, false, "sort merge ; sink => joined hold split | stats sink" },
    { "beside", other, false, "PRF-20 4" },
    { "beside? stats", other, false, "stats sink (without beside: clock.cycles) ; sink" },
  };
  check_rows(rows, G_N_ELEMENTS(rows));
}

TEST_MAIN({ "lanes on their own", test_one_class }, { "merged and split", test_merge_and_split },
          { "missing facts", test_missing }, { "stages that may be left out", test_optional },
          { "side inputs", test_side_inputs })
