/* A run from its inputs to its results, one step after the other; see session.h. */
/* SPDX-License-Identifier: MIT */
#include "api/session.h"

#include "sched/execute.h"
#include "sched/new-run.h"
#include "sched/planning.h"

void session_begin(Session *s, Modules *modules, const RunOptions *options)
{
  *s = (Session){ .modules = modules, .options = *options };
  s->options.sink_set = g_ptr_array_new_with_free_func(g_free);
  s->options.source_set = g_ptr_array_new_with_free_func(g_free);
  s->options.sources = g_ptr_array_new_with_free_func(g_free);
  s->options.capture = g_ptr_array_new_with_free_func(g_free);
  s->options.formats = g_ptr_array_new();
}

void session_clear(Session *s)
{
  run_free(s->run);
  g_ptr_array_unref(s->options.sink_set);
  g_ptr_array_unref(s->options.source_set);
  g_ptr_array_unref(s->options.sources);
  g_ptr_array_unref(s->options.capture);
  g_clear_pointer(&s->options.formats, g_ptr_array_unref);
  g_clear_pointer(&s->options.arguments, g_ptr_array_unref);
  modules_free(s->modules);
}

void session_use_edges(RunOptions *options, const Profile *profile)
{
  profile_settings(profile->sinks, options->sink_set);
  profile_settings(profile->sources, options->source_set);
  for (guint i = 0; i < profile->sources->len; i++) {
    const ProfileEntry *source = profile->sources->pdata[i];
    g_ptr_array_add(options->sources, g_strdup(source->id));
  }
}

Error *session_open(Session *s, GPtrArray *specs)
{
  Error *e = s->options.state ? shard_check_specs(specs) : NULL;
  if (e) return e;
  g_ptr_array_set_free_func(specs, NULL); /* the run owns them from here on, also when it fails */
  return run_new(s->modules, specs, &s->options, &s->run);
}

Error *session_plan(Session *s, Profile *profile)
{
  s->run->options.formats = s->options.formats;
  s->run->options.formats_asked = s->options.formats_asked;
  s->run->options.arguments = s->options.arguments;
  return run_plan(s->run, profile);
}

Error *session_execute(Session *s) { return run_execute(s->run); }
