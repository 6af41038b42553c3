/* One case through the engine: the module under test, and what is in memory around it. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/guard.h"
#include "harness-internal.h"
#include "outside.h"
#include "plan/profile-parts.h"
#include "sched/execute.h"
#include "sched/new-run.h"
#include "sched/planning.h"

const HarnessManner harness_plain = { .batch_events = 1024, .jobs = 1, .max_events = UINT32_MAX };
const HarnessManner harness_again = {
  .batch_events = 1024, .jobs = 1, .max_events = UINT32_MAX, .is_again = true
};

static const char origin[] = "the test";

/* ----------------------------------------------------------------- modules */

/* What has no prefix is stagemill's own; whose a prefix is, the test does not say. */
static MillModule module_of(uint32_t kind, const void *descriptor, const char *name)
{
  const char *vendor = strchr(name, '.') ? "" : "stagemill";
  return (MillModule){ MILL_MAGIC, sizeof(MillModule), MILL_ABI, kind, descriptor, vendor, "" };
}

static bool tests(const HarnessRun *r, uint32_t kind) { return r->test->descriptor->kind == kind; }

/* The one stage of the plan that is not under test, or NULL. */
static const MillStage *other_stage(const HarnessRun *r)
{
  if (r->test->with_stage) return r->test->with_stage;
  return tests(r, MILL_KIND_SOURCE) ? &harness_reader : NULL;
}

static Error *add_modules(HarnessRun *r)
{
  const MillStage *other = other_stage(r);
  MillModule *own = r->modules_in_memory;
  Error *e = modules_add(r->modules, r->test->module, origin);
  own[0] = module_of(MILL_KIND_SOURCE, &r->source, HARNESS_SOURCE);
  own[1] = module_of(MILL_KIND_SINK, &r->sink, HARNESS_SINK);
  if (other) own[2] = module_of(MILL_KIND_STAGE, other, other->name);
  if (!e && !tests(r, MILL_KIND_SOURCE)) e = modules_add(r->modules, &own[0], origin);
  if (!e && !tests(r, MILL_KIND_SINK)) e = modules_add(r->modules, &own[1], origin);
  if (!e && other) e = modules_add(r->modules, &own[2], origin);
  return e ? error_of_kind(e, ERROR_BROKEN_RULE) : NULL;
}

/* ------------------------------------------------------------------ inputs */

static InputSpec *given_input(const HarnessLane *lane)
{
  InputSpec *s = input_spec_new(lane->name);
  s->no_file = true;
  s->source = g_strdup(HARNESS_SOURCE);
  return s;
}

static InputSpec *file_input(const HarnessRun *r, const HarnessLane *lane, guint index)
{
  g_autofree char *path = harness_input_path(r->test, lane, index);
  InputSpec *s = input_spec_new(path);
  s->folder = g_file_test(path, G_FILE_TEST_IS_DIR);
  s->source = g_strdup(r->test->descriptor->name);
  if (lane->has_rank) s->rank = lane->rank;
  return s;
}

static GPtrArray *make_inputs(const HarnessRun *r)
{
  GPtrArray *inputs = g_ptr_array_new();
  for (guint i = 0; i < r->test->lanes->len; i++) {
    const HarnessLane *lane = r->test->lanes->pdata[i];
    InputSpec *s = tests(r, MILL_KIND_SOURCE) ? file_input(r, lane, i) : given_input(lane);
    if (*lane->label) s->label = g_strdup(lane->label);
    s->tags = g_ptr_array_ref(lane->tags);
    g_ptr_array_add(inputs, s);
  }
  return inputs;
}

/* ----------------------------------------------------------------- profile */

static void add_entry(Profile *p, const char *name, const GPtrArray *options)
{
  ProfileEntry *entry = entry_new();
  entry->id = g_strdup(name);
  entry->use = g_strdup(name);
  entry->place = g_strdup(origin);
  for (guint i = 0; options && i < options->len; i++) {
    g_auto(GStrv) pair = g_strsplit(options->pdata[i], "=", 2);
    setting_put(entry->with, pair[0], pair[1], origin, NULL);
  }
  g_ptr_array_add(p->entries, entry);
}

static Error *make_profile(const HarnessRun *r, Profile **out)
{
  const MillStage *other = other_stage(r);
  Profile *p = *out = profile_new();
  p->name = g_strdup("test");
  if (tests(r, MILL_KIND_STAGE)) add_entry(p, r->test->descriptor->name, r->test->options);
  if (other) add_entry(p, other->name, NULL);
  Error *e = profile_resolve(p, r->modules, NULL);
  if (e) g_clear_pointer(out, profile_free);
  return e;
}

/* ------------------------------------------------------------- the whole */

/* The format that the program gives the sink: with its vendor. */
static char *format_of(const HarnessRun *r)
{
  const char *name = tests(r, MILL_KIND_SINK) ? r->test->descriptor->name : HARNESS_SINK;
  const Module *m = modules_get(r->modules, MILL_KIND_SINK, name);
  return g_strdup(m->stage->family);
}

/* Of a sink by its format, of a source by its name. */
static GPtrArray *settings_of(const HarnessRun *r, uint32_t kind, const char *name)
{
  GPtrArray *settings = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; tests(r, kind) && i < r->test->options->len; i++)
    g_ptr_array_add(settings,
                    g_strdup_printf("%s.%s", name, (const char *)r->test->options->pdata[i]));
  return settings;
}

static void set_options(HarnessRun *r)
{
  char *format = format_of(r);
  r->options = (RunOptions){
    .jobs = r->manner.jobs,
    .batch_events = r->manner.batch_events,
    .verify = true,
    .force = true,
    .backwards = r->manner.backwards,
    .replay = r->manner.replay,
    .chunk_bytes = r->manner.chunk_bytes,
    .keep_outcomes = true,
    .state = r->manner.state,
    .shard = r->manner.shard,
    .formats = g_ptr_array_new_with_free_func(g_free),
    .sink_set = settings_of(r, MILL_KIND_SINK, format),
    .source_set = settings_of(r, MILL_KIND_SOURCE, r->test->descriptor->name),
    .output = tests(r, MILL_KIND_SINK) ? harness_output_path(r->test) : NULL,
  };
  if (r->manner.no_events)
    g_free(format);
  else
    g_ptr_array_add(r->options.formats, format);
}

static void intern(const HarnessRun *r, const char *text)
{
  if (text) symbols_intern(r->run->env.symbols, text, strlen(text));
}

/* Results must not depend on the numbers that symbols happen to have. */
static void intern_backwards(const HarnessRun *r)
{
  intern(r, "a symbol that no event has");
  for (guint l = r->test->lanes->len; l-- > 0;) {
    const HarnessLane *lane = r->test->lanes->pdata[l];
    for (guint i = lane->lines->len; i-- > 0;) {
      const HarnessLine *line = lane->lines->pdata[i];
      for (guint k = line->attrs->len; k-- > 0;)
        intern(r, g_array_index(line->attrs, HarnessAttr, k).key);
      intern(r, line->cat);
      intern(r, line->name);
    }
  }
}

static HarnessRun *at_work; /* NULL: none is */
static pthread_mutex_t saving = PTHREAD_MUTEX_INITIALIZER;

static void add_saved(void *run, const Summary *state)
{
  (void)run;
  pthread_mutex_lock(&saving);
  if (at_work) g_byte_array_append(at_work->saved, state->bytes, (guint)state->len);
  pthread_mutex_unlock(&saving);
}

static Error *open_run(HarnessRun *r)
{
  g_autoptr(GPtrArray) inputs = make_inputs(r);
  Profile *profile;
  Error *e = run_new(r->modules, inputs, &r->options, &r->run);
  if (!e) r->run->env.saved = add_saved;
  if (!e) e = make_profile(r, &profile);
  if (!e) e = run_plan(r->run, profile);
  return e;
}

static Error *execute(HarnessRun *r)
{
  Error *e = add_modules(r);
  if (e) return e;
  set_options(r);
  e = open_run(r);
  if (!e && r->manner.other_symbols) intern_backwards(r);
  if (!e) e = run_execute(r->run);
  return e;
}

/* Facts that the source may describe; the texts are those of the test. */
static GPtrArray *facts_to_describe(const HarnessRun *r)
{
  GPtrArray *facts = g_ptr_array_new();
  for (const char *const *need = r->ends.needs; need && *need; need++)
    g_ptr_array_add(facts, (gpointer)*need);
  for (guint l = 0; l < r->test->lanes->len; l++) {
    const HarnessLane *lane = r->test->lanes->pdata[l];
    g_ptr_array_extend(facts, lane->facts, NULL, NULL);
  }
  g_ptr_array_add(facts, NULL);
  return facts;
}

static void set_ends(HarnessRun *r)
{
  const Descriptor *d = r->test->descriptor;
  const MillStage *other = other_stage(r);
  bool sink = tests(r, MILL_KIND_SINK);
  r->ends.test = r->test;
  r->ends.manner = &r->manner;
  r->ends.needs = other ? other->needs : d->needs;
  r->ends.may_provide = facts_to_describe(r);
  r->ends.with_lines = tests(r, MILL_KIND_STAGE);
  r->ends.all_attrs = sink && d->flags & MILL_READS_RAW;
  r->ends.lanes = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  pthread_mutex_init(&r->ends.lock, NULL);
  r->source = harness_source(&r->ends);
  r->sink = harness_sink(&r->ends);
}

HarnessRun *harness_run(HarnessCase *c, const HarnessManner *manner)
{
  HarnessRun *r = g_new0(HarnessRun, 1);
  r->test = c;
  r->manner = *manner;
  r->modules = modules_new(NULL);
  r->saved = g_byte_array_new();
  set_ends(r);
  at_work = r;
  atomic_store(&checks_are_off, manner->is_again);
  outside_watch();
  r->error = execute(r);
  r->outside = outside_seen();
  at_work = NULL;
  if (r->options.output) {
    r->files = harness_read_files(r->options.output);
    harness_remove_folder(r->options.output);
  }
  return r;
}

void harness_run_free(HarnessRun *r)
{
  if (!r) return;
  run_free(r->run);
  error_free(r->error);
  modules_free(r->modules);
  g_clear_pointer(&r->options.formats, g_ptr_array_unref);
  g_clear_pointer(&r->options.sink_set, g_ptr_array_unref);
  g_clear_pointer(&r->options.source_set, g_ptr_array_unref);
  g_free((char *)r->options.output);
  g_clear_pointer(&r->files, g_ptr_array_unref);
  g_byte_array_unref(r->saved);
  g_free(r->outside);
  g_ptr_array_unref(r->ends.lanes);
  g_ptr_array_unref(r->ends.may_provide);
  pthread_mutex_destroy(&r->ends.lock);
  g_free(r);
}
