/* Figures on the terminal; see preview.h. */
/* SPDX-License-Identifier: MIT */
#include "base/standard.h"
#include "cmd/preview.h"

#include <string.h>
#include <unistd.h>

#include "model/printable.h"
#include "plan/sink-roles.h"
#include "results/load.h"
#include "output/present.h"

#define PREVIEW_FILE "figures.txt" /* of its type text */

enum { WIDEST = 1000, HIGHEST = 1000 }; /* as its options go */

static GPtrArray *names_of(Results *r)
{
  const MillResults *view = results_view(r);
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  MillFigureResult f = { .size = sizeof f };
  for (uint32_t i = 0; i < view->n_figures && view->figure(view, i, &f); i++)
    g_ptr_array_add(names, g_strdup(f.name));
  return names;
}

GPtrArray *preview_names(const char *folder)
{
  Results *r = NULL;
  g_autoptr(Error) e = results_load(folder, &r);
  GPtrArray *names = e ? g_ptr_array_new_with_free_func(g_free) : names_of(r);
  results_free(r);
  return names;
}

static bool has_name(const GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (!strcmp(names->pdata[i], name)) return true;
  return false;
}

static Error *unknown_figure(const PreviewJob *job, GPtrArray *names)
{
  g_autofree char *safe = printable(job->figure);
  Error *e = cli_usage(job->cli->command, "this run has no figure \"%s\"", safe);
  g_ptr_array_add(names, NULL);
  error_suggest(e, job->figure, (const char *const *)names->pdata);
  g_autofree char *list = g_strjoinv(", ", (char **)names->pdata);
  return error_help(e, "figures: %s", list);
}

static Error *check_figures(const PreviewJob *job, Results *r)
{
  g_autoptr(GPtrArray) names = names_of(r);
  if (!names->len) {
    g_autofree char *safe = printable(job->folder);
    Error *e = error_new(EXIT_INPUT, "RUN-33", "%s has no figures", safe);
    return error_why(e, "no stage of its profile declares a figure");
  }
  return !job->figure || has_name(names, job->figure) ? NULL : unknown_figure(job, names);
}

static GPtrArray *settings_of(const PreviewJob *job, const char *format)
{
  GPtrArray *set = g_ptr_array_new_with_free_func(g_free);
  int columns = MIN(cli_width(standard_out()), WIDEST),
      lines = MIN(cli_height(standard_out()), HIGHEST);
  g_ptr_array_add(set, g_strdup_printf("%s.type=text", format));
  g_ptr_array_add(set, g_strdup_printf("%s.columns=%d", format, columns));
  g_ptr_array_add(set, g_strdup_printf("%s.lines=%d", format, lines));
  if (job->figure) g_ptr_array_add(set, g_strdup_printf("%s.figures=%s", format, job->figure));
  return set;
}

static Error *draw(const PreviewJob *job, Results *r, GString *out)
{
  const char *const formats[] = { format_of_role(job->modules, MILL_DRAWS), NULL };
  g_autoptr(GPtrArray) settings = settings_of(job, *formats);
  Output *nowhere = output_nowhere();
  PresentJob present = { .modules = job->modules,
                         .formats = formats,
                         .settings = settings,
                         .results = r,
                         .output = nowhere };
  size_t len = 0;
  output_capture(nowhere, PREVIEW_FILE);
  Error *e = present_results(&present);
  const char *text = e ? NULL : output_captured(nowhere, PREVIEW_FILE, &len);
  while (len && text[len - 1] == '\n') len--;
  if (len) g_string_append_len(out, text, (gssize)len);
  if (len) g_string_append_c(out, '\n');
  output_free(nowhere);
  return e;
}

Error *preview_figures(const PreviewJob *job, GString *out)
{
  Results *r = NULL;
  Error *e = results_load(job->folder, &r);
  if (!e) e = check_figures(job, r);
  if (!e) e = draw(job, r, out);
  results_free(r);
  return e;
}
