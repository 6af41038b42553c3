/* The summary of a run as the screen has room for it; see screen.h. */
#include "cmd/screen.h"

#include <string.h>
#include <unistd.h>

#include "cmd/cli.h"

#define SUMMARY "summary.txt"

bool screen_differs(int64_t rows) { return rows || cli_has_width(STDOUT_FILENO); }

/* What the profile and the command line set, and then what the screen needs. */
static GPtrArray *settings_for(const Run *run, int64_t rows)
{
  GPtrArray *set = g_ptr_array_new_with_free_func(g_free);
  const GPtrArray *given = run->options.sink_set;
  for (guint i = 0; given && i < given->len; i++) g_ptr_array_add(set, g_strdup(given->pdata[i]));
  if (cli_has_width(STDOUT_FILENO))
    g_ptr_array_add(set, g_strdup_printf("text.width=%d", cli_width(STDOUT_FILENO)));
  if (rows) g_ptr_array_add(set, g_strdup_printf("text.rows=%" G_GINT64_FORMAT, rows));
  return set;
}

Error *screen_summary(const Run *run, int64_t rows, GString *out)
{
  static const char *const formats[] = { "text", NULL };
  g_autoptr(GPtrArray) settings = settings_for(run, rows);
  Output *nowhere = output_nowhere();
  Sinks *sinks = NULL;
  output_capture(nowhere, SUMMARY);
  Error *e = sinks_new(run->modules, formats, settings, &sinks);
  if (!e) e = sinks_open(sinks, &run->env, nowhere);
  if (!e) e = sinks_end(sinks, run_results(run));
  size_t len = 0;
  const char *text = e ? NULL : output_captured(nowhere, SUMMARY, &len);
  if (text) g_string_append_len(out, text, (gssize)len);
  sinks_free(sinks);
  output_free(nowhere);
  return e;
}
