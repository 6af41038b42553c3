/* The markdown sink: summary.md, for the text of a merge request or an issue. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>

#include "base/num.h"
#include "escape.h"
#include "kit/sink/result.h"
#include "kit/sink/results-sink.h"
#include "page.h"

static void put_info(GString *out, const MillResults *r, const char *before, const char *key)
{
  const char *text = r->info(r, key);
  if (!text || !*text) return;
  g_string_append(out, before);
  escape_string(out, text);
}

static void put_title(GString *out, const MillHost *common, const MillResults *r)
{
  const char *title = r->info(r, "verdict"), *profile = r->info(r, "profile");
  if (!title) title = r->info(r, "title");
  uint32_t n = common->n_lanes(common);
  g_string_append(out, "# ");
  escape_string(out, title && *title ? title : profile ? profile : "results");
  g_string_append(out, "\n\n");
  escape_string(out, profile ? profile : "results");
  g_string_append_printf(out, " · %u input%s", n, n == 1 ? "" : "s");
  put_info(out, r, " · ", "program");
  put_info(out, r, " ", "version");
  g_string_append_c(out, '\n');
}

/* A cell is one line: what comes in lines is a list. */
static void put_lines(GString *out, const char *text)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++) {
    if (line > lines) g_string_append(out, line == lines + 1 ? " " : "; ");
    escape_string(out, *line);
  }
}

static void put_notice(GString *out, const MillNoticeResult *n)
{
  char count[NUM_BUF];
  num_format_count(count, (int64_t)MIN(n->count, INT64_MAX));
  g_string_append_printf(out, "| %s | %s | %s | ", n->code, result_level(n->notice), count);
  escape_string(out, n->what);
  if (n->effect && *n->effect) g_string_append(out, "; ");
  if (n->effect) escape_string(out, n->effect);
  g_string_append(out, " | ");
  if (n->help) put_lines(out, n->help);
  g_string_append(out, " |\n");
}

static void put_cost(GString *out, const MillFindingResult *f)
{
  char cost[NUM_BUF];
  if (f->cost_ns.type != MILL_INT) return;
  num_format_duration(cost, f->cost_ns.u.i);
  g_string_append_printf(out, ", %s", cost);
}

static void put_finding(GString *out, const MillFindingResult *f)
{
  g_string_append_printf(out, "- **%.0f %%**", f->share);
  put_cost(out, f);
  g_string_append(out, ": ");
  escape_string(out, f->text);
  g_string_append(out, "  \n  ");
  escape_string(out, f->advice);
  g_string_append_c(out, '\n');
}

static void put_findings(GString *out, const MillResults *r)
{
  MillFindingResult f = { .size = sizeof f };
  const char *none = r->n_findings ? NULL : r->info(r, "no-findings");
  if (none) {
    g_string_append_c(out, '\n');
    escape_string(out, none);
    g_string_append_c(out, '\n');
  }
  if (!r->n_findings) return;
  g_string_append(out, "\n## Findings\n\nThe most costly first; what they cost overlaps.\n\n");
  for (uint32_t i = 0; r->finding(r, i, &f); i++) put_finding(out, &f);
}

void page_notices(GString *out, const MillResults *r)
{
  MillNoticeResult n = { .size = sizeof n };
  if (!r->n_notices) return;
  g_string_append(out, "\n## Notices\n\n| code | level | count | what | help |\n"
                       "| --- | --- | ---: | --- | --- |\n");
  for (uint32_t i = 0; r->notice(r, i, &n); i++) put_notice(out, &n);
}

static int write_results(void *instance, const MillResults *r)
{
  const MillSinkHost *host = instance;
  g_autoptr(GString) out = g_string_new(NULL);
  put_title(out, host->common, r);
  put_findings(out, r);
  page_metrics(out, host->common, r);
  page_captions(out, host->common, r);
  page_tables(out, host->common, r);
  page_notices(out, r);
  return host->output(host, "summary.md", NULL, out->str, out->len);
}

RESULTS_SINK(
    write_results, "markdown", "MDN", "Write a summary as Markdown", .files = "summary.md",
    .help = "summary.md holds the findings, the metrics, the captions, the first rows of tables "
            "that declare some, and the notices, as GitHub-flavoured Markdown. Texts from inputs "
            "are plain text.");
