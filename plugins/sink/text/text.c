/* The text sink: summary.txt, the few lines that a person would paste into an issue. */
#include <glib.h>
#include <stagemill/stage.h>
#include <string.h>

#include "block.h"
#include "cell.h"

#define TITLE_WIDTH 120
#define MAX_CODES 8

typedef struct Options {
  int64_t lines;
} Options;

typedef struct Sink {
  const MillHost *host;
  int64_t max_lines; /* 0: as many as the tables ask for */
} Sink;

static int open_sink(const MillStage *self, const MillHost *host, const void *options,
                     void **out_instance)
{
  (void)self;
  Sink *s = g_new0(Sink, 1);
  s->host = host;
  s->max_lines = ((const Options *)options)->lines;
  *out_instance = s;
  return 0;
}

static void close_sink(void *instance) { g_free(instance); }

static void put_title(GString *out, const MillHost *host, const MillResults *r)
{
  const char *title = r->info(r, "title"), *profile = r->info(r, "profile");
  uint32_t n = host->n_lanes(host);
  if (title && *title) {
    cell_text(out, title, strlen(title), TITLE_WIDTH);
  } else {
    if (profile) cell_text(out, profile, strlen(profile), TITLE_WIDTH);
    g_string_append_printf(out, " · %u lane%s", n, n == 1 ? "" : "s");
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
  const char *code, *what, *effect, *help;
  g_autofree char *first = NULL;
  uint64_t count, events = 0;
  uint32_t kinds = 0;
  CellScale plain = cell_scale("count", 0, true);
  for (uint32_t i = 0; i < r->n_notices; i++) {
    const MillNotice *n = r->notice(r, i, &code, &count, &what, &effect, &help);
    if (!is_warning(n)) continue;
    events += count;
    if (!first) first = g_strdup(code);
    if (kinds++ < MAX_CODES) g_string_append_printf(codes, "%s%s", kinds > 1 ? ", " : "", code);
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
  g_autoptr(GString) out = g_string_new(NULL);
  g_autoptr(GString) warnings = g_string_new(NULL);
  put_title(out, s->host, r);
  block_metrics(out, s->host, r);
  put_warnings(warnings, r);
  int64_t left = s->max_lines - lines_of(out) - lines_of(warnings);
  block_tables(out, s->host, r, s->max_lines ? (uint32_t)MAX(left, 0) : UINT32_MAX);
  g_string_append(out, warnings->str);
  return s->host->output(s->host, "summary.txt", NULL, out->str, out->len);
}

static const MillOption options[] = {
  MILL_INT_OPTION(Options, lines, "lines", "15", "0:1000000", "",
                  "Most lines of the summary, empty ones apart; 0: all that the tables ask for"),
};

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .results = write_results,
  .close = close_sink,
};

static const MillStage stage = {
  .size = sizeof(MillStage),
  .kind = MILL_KIND_SINK,
  .scope = MILL_SCOPE_RUN,
  .flags = MILL_READ_ONLY,
  .name = "text",
  .family = "text",
  .version = "1.0.0",
  .tag = "TXT",
  .title = "Write a short summary for people",
  .help =
      "summary.txt holds the headline metrics, the first rows of the tables that declare some, and "
      "the kinds of "
      "warnings. Times and sizes are scaled for reading; exact values are in the other formats.",
  .options = options,
  .n_options = MILL_COUNT(options),
  .options_size = sizeof(Options),
  .ops = &ops,
};

MILL_MODULE(stage, "stagemill", "MIT");
