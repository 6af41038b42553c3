/* libstagemill: runs for other programs; see stagemill/run.h. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/run.h>

#include <string.h>
#include <unistd.h>

#include "api/session.h"
#include "base/num.h"
#include "input/input-words.h"

struct MillRun {
  Session session;
  char *profile_name, *output;
  GPtrArray *settings, *module_folders, *profile_folders, *formats; /* char * */
  Profile *profile; /* resolved, until the plan takes it */
  GString *error;
  _Atomic bool cancelled; /* may be set before there is a run */
};

/* ------------------------------------------------------------------- making */

static GPtrArray *copy_list(MillList list)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func(g_free);
  for (uint32_t i = 0; i < list.n; i++) g_ptr_array_add(copy, g_strdup(list.items[i]));
  return copy;
}

static uint32_t online_processors(void)
{
  return (uint32_t)CLAMP(sysconf(_SC_NPROCESSORS_ONLN), 1, 4096);
}

static void begin(MillRun *run, const MillRunOptions *o)
{
  const ModuleSearch search = { .paths = run->module_folders };
  const RunOptions options = { .jobs = o->jobs ? o->jobs : online_processors(),
                               .max_memory_bytes = o->max_memory_bytes,
                               .output = run->output,
                               .strict = o->flags & MILL_RUN_STRICT,
                               .recover = o->flags & MILL_RUN_RECOVER,
                               .keep_going = o->flags & MILL_RUN_KEEP_GOING,
                               .verify = o->flags & MILL_RUN_VERIFY,
                               .force = o->flags & MILL_RUN_FORCE };
  session_begin(&run->session, modules_new(&search), &options);
}

MillRun *mill_run_new(const MillRunOptions *options)
{
  MillRunOptions o = { .size = sizeof o };
  MillRun *run = g_new0(MillRun, 1);
  memcpy(&o, options, MIN(options->size, sizeof o));
  run->profile_name = g_strdup(o.profile ? o.profile : "");
  run->output = g_strdup(o.output);
  run->settings = copy_list(o.settings);
  run->module_folders = copy_list(o.module_folders);
  run->profile_folders = copy_list(o.profile_folders);
  run->formats = copy_list(o.formats);
  run->error = g_string_new(NULL);
  begin(run, &o);
  return run;
}

void mill_run_free(MillRun *run)
{
  if (!run) return;
  session_clear(&run->session);
  profile_free(run->profile);
  g_ptr_array_unref(run->settings);
  g_ptr_array_unref(run->module_folders);
  g_ptr_array_unref(run->profile_folders);
  g_ptr_array_unref(run->formats);
  g_string_free(run->error, TRUE);
  g_free(run->profile_name);
  g_free(run->output);
  g_free(run);
}

/* -------------------------------------------------------------------- steps */

/* Keeps the message of the error, and frees the error. */
static int status_of(MillRun *run, Error *e)
{
  g_string_truncate(run->error, 0);
  if (!e) return EXIT_DONE;
  int status = e->status;
  error_format(e, false, false, run->error);
  error_free(e);
  return status;
}

static Error *out_of_turn(const char *step, const char *before)
{
  Error *e = error_new(EXIT_USAGE, "RUN-90", "%s was called out of turn", step);
  return error_help(e, "%s", before);
}

static Error *load_profile(MillRun *run)
{
  const ProfileSearch search = { .paths = run->profile_folders };
  const ProfileEdits edits = { .set = run->settings, .search = &search };
  Error *e = profile_load(run->profile_name, &search, &run->profile);
  if (!e) e = profile_resolve(run->profile, run->session.modules, &edits);
  if (!e) session_use_edges(&run->session.options, run->profile);
  return e;
}

/* Without an output no format is written, whatever the profile lists. */
static void choose_formats(MillRun *run)
{
  RunOptions *o = &run->session.options;
  o->formats_asked = run->output && run->formats->len;
  if (run->output && !run->formats->len) g_clear_pointer(&o->formats, g_ptr_array_unref);
  for (guint i = 0; run->output && i < run->formats->len; i++)
    g_ptr_array_add(o->formats, run->formats->pdata[i]);
}

static Error *expand(const MillRun *run, const char *const *inputs, uint32_t n, GPtrArray **out)
{
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  for (uint32_t i = 0; i < n; i++) g_ptr_array_add(words, (gpointer)inputs[i]);
  if (n) return inputs_expand(words, out);
  if (run->profile->inputs) return inputs_expand(run->profile->inputs, out);
  return error_new(EXIT_USAGE, "RUN-90", "no input was named, and the profile names none");
}

static Error *stopped(const MillRun *run)
{
  if (!atomic_load(&run->cancelled)) return NULL;
  return error_new(MILL_RUN_CANCELLED, "RUN-09", "interrupted");
}

int mill_run_open(MillRun *run, const char *const *inputs, uint32_t n)
{
  g_autoptr(GPtrArray) specs = NULL;
  if (run->profile)
    return status_of(run, out_of_turn("mill_run_open", "it opens the inputs of a run once"));
  Error *e = load_profile(run);
  if (!e) choose_formats(run);
  if (!e) e = expand(run, inputs, n, &specs);
  if (!e) e = stopped(run);
  if (!e) e = session_open(&run->session, specs);
  if (!e) e = stopped(run);
  return status_of(run, e);
}

int mill_run_plan(MillRun *run)
{
  const Run *opened = run->session.run;
  if (!opened || opened->plan || !run->profile)
    return status_of(run, out_of_turn("mill_run_plan", "call mill_run_open before, once"));
  Error *e = stopped(run);
  return status_of(run, e ? e : session_plan(&run->session, g_steal_pointer(&run->profile)));
}

int mill_run_execute(MillRun *run)
{
  Run *planned = run->session.run;
  if (!planned || !planned->plan || planned->out.output)
    return status_of(run, out_of_turn("mill_run_execute", "call mill_run_plan before, once"));
  if (atomic_load(&run->cancelled)) run_cancel(planned, MILL_RUN_CANCELLED);
  return status_of(run, session_execute(&run->session));
}

/* ------------------------------------------------------------------- asking */

const MillResults *mill_run_results(const MillRun *run)
{
  const Run *ended = run->session.run;
  return ended && ended->out.written ? run_results(ended) : NULL;
}

int64_t mill_run_rank(const MillRun *run, uint32_t lane)
{
  const Run *opened = run->session.run;
  return opened && lane < opened->inputs->lanes->len ? inputs_lane(opened->inputs, lane)->rank : -1;
}

bool mill_run_value_text(const MillValue *value, char *out, size_t size)
{
  char number[NUM_BUF] = "";
  const char *text = number;
  size_t len = 0;
  switch (value->type) {
  case MILL_INT: len = num_format_int(number, value->u.i); break;
  case MILL_REAL: len = num_format_real(number, value->u.r); break;
  case MILL_BOOL: len = strlen(text = value->u.i ? "true" : "false"); break;
  case MILL_TEXT:
  case MILL_JSON:
    text = value->u.text;
    len = value->len;
    break;
  default: break;
  }
  if (len >= size) return false;
  memcpy(out, text, len);
  out[len] = '\0';
  return true;
}

void mill_run_progress(const MillRun *run, uint64_t *out_done, uint64_t *out_size)
{
  *out_done = *out_size = 0;
  if (run->session.run) inputs_progress(run->session.run->inputs, out_done, out_size);
}

void mill_run_cancel(MillRun *run)
{
  atomic_store(&run->cancelled, true);
  if (run->session.run) run_cancel(run->session.run, MILL_RUN_CANCELLED);
}

const char *mill_run_error(const MillRun *run) { return run->error->str; }
