/* The text sink: summary.txt, the few lines that a person would paste into an issue. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>
#include <string.h>

#include "block.h"
#include "kit/sink/cell.h"

#define LONGEST_TITLE 400
#define LONGEST_WARNING 2000
#define MAX_WARNINGS 8
#define MAX_LEFT_OUT 4 /* names of stages that one fact is missing for */

typedef struct Options {
  int64_t lines, rows, width, screen;
} Options;

typedef struct Sink {
  const MillSinkHost *host;
  int64_t max_lines; /* 0: as many as the tables ask for */
  int64_t screen;    /* lines of a screen; 0: there is none */
  Extent extent;
} Sink;

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  Sink *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  const Options *o = options;
  s->max_lines = o->lines;
  s->screen = o->screen;
  s->extent.width = (uint32_t)o->width;
  s->extent.rows = o->rows < 0 ? ALL_ROWS : (uint64_t)o->rows;
  *out_instance = s;
  return 0;
}

static void put_title(GString *out, const MillHost *common, const MillResults *r, size_t width)
{
  g_autoptr(GString) text = g_string_new(NULL);
  const char *title = r->info(r, "verdict"), *profile = r->info(r, "profile");
  uint32_t n = common->n_lanes(common);
  if (!title) title = r->info(r, "title");
  if (title && *title) {
    cell_text(text, title, strlen(title), LONGEST_TITLE);
  } else {
    if (profile) cell_text(text, profile, strlen(profile), LONGEST_TITLE);
    g_string_append_printf(text, " · %u input%s", n, n == 1 ? "" : "s");
  }
  cell_wrap(out, text->str, width, 0);
}

static bool is_warning(const MillNotice *n)
{
  return n->level == MILL_LEVEL_WARNING || n->level == MILL_LEVEL_ERROR;
}

/* Its lines each from where the first begins. */
static void put_help(GString *out, const char *help, size_t width)
{
  const char *before = "  help: ";
  g_auto(GStrv) lines = g_strsplit(help, "\n", -1);
  for (char **line = lines; *line; line++, before = "        ") {
    g_autoptr(GString) text = g_string_new(before);
    cell_text(text, *line, strlen(*line), LONGEST_WARNING);
    cell_wrap(out, text->str, width, 8);
  }
}

static void put_warning(GString *out, const MillNoticeResult *n, size_t width)
{
  g_autoptr(GString) line = g_string_new(NULL);
  const char *level = n->notice->level == MILL_LEVEL_ERROR ? "error" : "warning";
  g_string_append_printf(line, "%s[%s]: ", level, n->code);
  cell_text(line, n->what, strlen(n->what), LONGEST_WARNING);
  if (n->count > 1 && !strstr(n->notice->what, "{count}")) {
    NumScale plain = num_scale("count", 0, true);
    g_string_append(line, " (");
    num_scale_put(line, &plain, (double)n->count);
    g_string_append(line, " times)");
  }
  cell_wrap(out, line->str, width, 2);
  if (n->help && *n->help) put_help(out, n->help, width);
}

/* What is doubtful, and what to do. */
static void put_warnings(GString *out, const MillResults *r, size_t width)
{
  MillNoticeResult n = { .size = sizeof n };
  uint32_t kinds = 0;
  for (uint32_t i = 0; r->notice(r, i, &n); i++) {
    if (!is_warning(n.notice)) continue;
    if (!kinds) g_string_append_c(out, '\n');
    if (kinds++ < MAX_WARNINGS) put_warning(out, &n, width);
  }
  if (kinds > MAX_WARNINGS)
    g_string_append_printf(out, "and %u more kind%s of warning\n", kinds - MAX_WARNINGS,
                           kinds - MAX_WARNINGS == 1 ? "" : "s");
}

/* "a, b and 3 more" */
static void put_some(GString *line, const char *names)
{
  g_auto(GStrv) list = g_strsplit(names, ",", -1);
  guint n = g_strv_length(list), shown = n > MAX_LEFT_OUT + 1 ? MAX_LEFT_OUT : n;
  for (guint i = 0; i < shown; i++) {
    if (i) g_string_append(line, ", ");
    cell_text(line, list[i], strlen(list[i]), LONGEST_TITLE);
  }
  if (shown < n) g_string_append_printf(line, " and %u more", n - shown);
}

/* "FACT INPUTS OF STAGE,STAGE": of all inputs, or of some. */
static void put_lacking(GString *line, char **parts, bool all)
{
  g_string_append(line, line->len ? "; " : "left out: ");
  put_some(line, parts[3]);
  g_string_append_printf(line, " (no %s", parts[0]);
  if (!all) g_string_append_printf(line, " in %s of %s inputs", parts[1], parts[2]);
  g_string_append_c(line, ')');
}

/* Stages that lack what they need.  Where inputs of several kinds come together, each of them passes by many stages: then
 * these are only counted. */
static void put_left_out(GString *out, const MillResults *r, size_t width)
{
  const char *text = r->info(r, "left-out");
  g_autoptr(GString) line = g_string_new(NULL), some = g_string_new(NULL);
  g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
  guint kinds = 0, stages = 0;
  for (char **l = lines; *l; l++) {
    g_auto(GStrv) parts = g_strsplit(*l, " ", 4);
    if (g_strv_length(parts) < 4) continue;
    bool all = !strcmp(parts[1], parts[2]);
    put_lacking(all ? line : some, parts, all);
    if (all) continue;
    g_auto(GStrv) names = g_strsplit(parts[3], ",", -1);
    kinds++;
    stages += g_strv_length(names);
  }
  if (kinds > 1)
    g_string_printf(some, "left out: %u stages of some inputs (see: stagemill plan)", stages);
  for (guint i = 0; i < 2; i++) {
    const GString *one = i ? some : line;
    if (!one->len) continue;
    if (!i || !line->len) g_string_append_c(out, '\n');
    cell_wrap(out, one->str, width, 2);
  }
}

static int64_t lines_of(const GString *text, bool with_empty)
{
  int64_t n = 0;
  for (const char *c = text->str; *c; c++)
    n += *c == '\n' && (with_empty || (c > text->str && c[-1] != '\n'));
  return n;
}

/* Empty lines give way where a screen has no room for them, the last one first. */
static void squeeze(GString *text, int64_t most)
{
  int64_t over = lines_of(text, true) - most;
  for (char *c = text->str + text->len; over > 0 && c > text->str; c--)
    if (*c == '\n' && c[-1] == '\n') {
      g_string_erase(text, c - text->str, 1);
      over--;
    }
}

static bool has_views(const MillResults *r)
{
  const char *views = r->info(r, "views");
  return views && *views && r->info(r, "verdict");
}

/* What stands above the tables. */
static void put_answer(GString *out, const MillHost *common, const MillResults *r, const Extent *x)
{
  const char *none = r->n_findings ? NULL : r->info(r, "no-findings");
  put_title(out, common, r, x->width);
  if (none) cell_wrap(out, none, x->width, 0);
  block_findings(out, r, x);
  if (!x->only) block_metrics(out, common, r, x);
}

/* Where a profile has views, a screen shows what it has lines for, and a file all of them. */
static Extent extent_of(const Sink *s, const MillResults *r)
{
  Extent x = s->extent;
  if (!has_views(r) || x.rows) return x;
  x.only = r->info(r, "views");
  x.is_screen = s->screen > 0;
  if (!x.is_screen) x.rows = ALL_ROWS;
  return x;
}

static int write_results(void *instance, const MillResults *r)
{
  const Sink *s = instance;
  const MillHost *common = s->host->common;
  Extent x = extent_of(s, r);
  g_autoptr(GString) out = g_string_new(NULL);
  g_autoptr(GString) warnings = g_string_new(NULL);
  put_answer(out, common, r, &x);
  put_left_out(warnings, r, x.width);
  put_warnings(warnings, r, x.width);
  const int64_t most = x.is_screen ? s->screen - lines_of(warnings, false) : s->max_lines;
  const int64_t left = most - lines_of(out, false);
  x.lines = most ? (uint32_t)CLAMP(left, 0, UINT32_MAX) : UINT32_MAX;
  block_tables(out, common, r, &x);
  g_string_append(out, warnings->str);
  if (x.is_screen) squeeze(out, s->screen);
  return s->host->output(s->host, "summary.txt", NULL, out->str, out->len);
}

static const MillOption options[] = {
  MILL_INT_OPTION(Options, lines, "lines", "15", "0:1000000", NULL,
                  "Maximum number of lines, without empty ones; 0: as many as tables declare. "
                  "Groups, and tables with one row per input, are always whole"),
  MILL_INT_OPTION(Options, rows, "rows", "0", "-1:", NULL,
                  "Rows of each table; 0: as many as the table declares; -1: all"),
  MILL_INT_OPTION(Options, width, "width", "100", "40:10000", NULL,
                  "Maximum width of a line, in columns of a terminal"),
  MILL_INT_OPTION(Options, screen, "screen", "0", "0:1000", NULL,
                  "Lines of a screen, to which views of a profile are cut; 0: all of them"),
};

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .results = write_results,
};

static const MillSink sink = {
  .size = sizeof(MillSink),
  .options_size = sizeof(Options),
  .name = "text",
  .format = "text",
  .flags = MILL_USUAL | MILL_SUMMARY,
  .files = "summary.txt",
  .version = "1.0.0",
  .tag = "TXT",
  .title = "Write a short summary for people",
  .help =
      "summary.txt holds the headline metrics, the first rows of the tables that declare some, and "
      "the warnings. Times and sizes are scaled for reading; exact values are in the other "
      "formats.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
