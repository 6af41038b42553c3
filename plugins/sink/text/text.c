/* The text sink: summary.txt, the few lines that a person would paste into an issue. */
#include <glib.h>
#include <stagemill/sink.h>
#include <string.h>

#include "block.h"
#include "cell.h"

#define TITLE_WIDTH 120
#define MAX_CODES 8

typedef struct Options {
  int64_t lines;
} Options;

typedef struct Sink {
  const MillSinkHost *host;
  int64_t max_lines; /* 0: as many as the tables ask for */
} Sink;

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  Sink *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->max_lines = ((const Options *)options)->lines;
  *out_instance = s;
  return 0;
}

static void put_title(GString *out, const MillHost *common, const MillResults *r)
{
  const char *title = r->info(r, "title"), *profile = r->info(r, "profile");
  uint32_t n = common->n_lanes(common);
  if (title && *title) {
    cell_text(out, title, strlen(title), TITLE_WIDTH);
  } else {
    if (profile) cell_text(out, profile, strlen(profile), TITLE_WIDTH);
    g_string_append_printf(out, " · %u input%s", n, n == 1 ? "" : "s");
  }
  g_string_append_c(out, '\n');
}

static bool is_warning(const MillNotice *n)
{
  return n->level == MILL_LEVEL_WARNING || n->level == MILL_LEVEL_ERROR;
}

/* 2 kinds of warning (37 events): OVC-02, JSN-01   stagemill explain OVC-02 */
static void put_warnings(GString *out, const MillResults *r)
{
  g_autoptr(GString) codes = g_string_new(NULL);
  g_autofree char *first = NULL;
  MillNoticeResult n = { .size = sizeof n };
  uint64_t events = 0;
  uint32_t kinds = 0;
  CellScale plain = cell_scale("count", 0, true);
  for (uint32_t i = 0; r->notice(r, i, &n); i++) {
    if (!is_warning(n.notice)) continue;
    events += n.count;
    if (!first) first = g_strdup(n.code);
    if (kinds++ < MAX_CODES) g_string_append_printf(codes, "%s%s", kinds > 1 ? ", " : "", n.code);
  }
  if (!kinds) return;
  if (kinds > MAX_CODES) g_string_append(codes, ", ...");
  g_string_append_printf(out, "\n%u kind%s of warning (", kinds, kinds == 1 ? "" : "s");
  cell_number(out, &plain, (double)events);
  g_string_append_printf(out, " event%s): %s   stagemill explain %s\n", events == 1 ? "" : "s",
                         codes->str, first);
}

/* Empty ones do not count. */
static int64_t lines_of(const GString *text)
{
  int64_t n = 0;
  for (const char *c = text->str; *c; c++) n += *c == '\n' && c > text->str && c[-1] != '\n';
  return n;
}

static int write_results(void *instance, const MillResults *r)
{
  const Sink *s = instance;
  const MillHost *common = s->host->common;
  g_autoptr(GString) out = g_string_new(NULL);
  g_autoptr(GString) warnings = g_string_new(NULL);
  put_title(out, common, r);
  block_metrics(out, common, r);
  put_warnings(warnings, r);
  int64_t left = s->max_lines - lines_of(out) - lines_of(warnings);
  block_tables(out, common, r, s->max_lines ? (uint32_t)MAX(left, 0) : UINT32_MAX);
  g_string_append(out, warnings->str);
  return s->host->output(s->host, "summary.txt", NULL, out->str, out->len);
}

static const MillOption options[] = {
  MILL_INT_OPTION(Options, lines, "lines", "15", "0:1000000", NULL,
                  "Maximum number of lines, empty ones not counted; 0: all that tables ask for"),
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
  .version = "1.0.0",
  .tag = "TXT",
  .title = "Write a short summary for people",
  .help =
      "summary.txt holds the headline metrics, the first rows of the tables that declare some, and "
      "the kinds of "
      "warnings. Times and sizes are scaled for reading; exact values are in the other formats.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
