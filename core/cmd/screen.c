/* The summary of a run as the screen has room for it; see screen.h. */
/* SPDX-License-Identifier: MIT */
#include "base/standard.h"
#include "cmd/screen.h"

#include <string.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "output/present.h"
#include "plan/sink-roles.h"

const char *summary_name(bool json) { return json ? "summary.json" : "summary.txt"; }

const char *summary_format(Modules *modules, bool json)
{
  return format_of_role(modules, json ? MILL_DOCUMENT : MILL_SUMMARY);
}

char *summary_setting(Modules *modules, const char *option, int64_t value)
{
  return g_strdup_printf("%s.%s=%" G_GINT64_FORMAT, summary_format(modules, false), option, value);
}

void summary_keep_whole(Modules *modules, GPtrArray *settings)
{
  g_ptr_array_add(settings, g_strdup_printf("%s.most-rows=-1", summary_format(modules, true)));
}

static bool has_views(const MillResults *r)
{
  const char *views = r->info(r, "views");
  return views && *views;
}

bool screen_differs(const MillResults *r, int64_t rows)
{
  return rows || cli_has_width(standard_out()) || has_views(r);
}

/* What the profile and the command line set, and then what the screen needs. */
static GPtrArray *settings_for(Modules *modules, const MillResults *r, const GPtrArray *given,
                               int64_t rows)
{
  enum {
    LINES = 24,
    LINES_BELOW = 5
  }; /* an empty one, the cost, the profile, and what to do next */
  const bool views = has_views(r);
  GPtrArray *set = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; given && i < given->len; i++) g_ptr_array_add(set, g_strdup(given->pdata[i]));
  if (views || cli_has_width(standard_out()))
    g_ptr_array_add(set, summary_setting(modules, "width", cli_width(standard_out())));
  if (views) g_ptr_array_add(set, summary_setting(modules, "screen", LINES - LINES_BELOW));
  if (rows) g_ptr_array_add(set, summary_setting(modules, "rows", rows));
  return set;
}

Error *screen_summary(const Run *run, int64_t rows, GString *out)
{
  const char *const formats[] = { summary_format(run->modules, false), NULL };
  g_autoptr(GPtrArray) settings =
      settings_for(run->modules, run_results(run), run->options.sink_set, rows);
  Output *nowhere = output_nowhere();
  Sinks *sinks = NULL;
  output_capture(nowhere, summary_name(false));
  Error *e = sinks_new(run->modules, formats, settings, &sinks);
  if (!e) e = sinks_open(sinks, &run->env, nowhere);
  if (!e) e = sinks_end(sinks, run_results(run));
  size_t len = 0;
  const char *text = e ? NULL : output_captured(nowhere, summary_name(false), &len);
  if (text) g_string_append_len(out, text, (gssize)len);
  sinks_free(sinks);
  output_free(nowhere);
  return e;
}

Error *screen_results(Modules *modules, Results *results, const GPtrArray *settings, int64_t rows,
                      bool json, GString *out)
{
  const char *const formats[] = { summary_format(modules, json), NULL };
  g_autoptr(GPtrArray) set = settings_for(modules, results_view(results), settings, rows);
  Output *nowhere = output_nowhere();
  if (json) summary_keep_whole(modules, set);
  output_capture(nowhere, summary_name(json));
  PresentJob present = {
    .modules = modules, .formats = formats, .settings = set, .results = results, .output = nowhere
  };
  size_t len = 0;
  Error *e = present_results(&present);
  const char *text = e ? NULL : output_captured(nowhere, summary_name(json), &len);
  if (text) g_string_append_len(out, text, (gssize)len);
  output_free(nowhere);
  return e;
}
