/* The HTML sink: report.html, one page with all results that needs nothing but a browser. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>

#include "data.h"
#include "kit/sink/results-sink.h"
#include "page.h"

typedef struct Options {
  int64_t max_rows, max_size;
} Options;

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  const Options *o = options;
  Data *d = mill_new(host->common, sizeof *d);
  if (!d) return -MILL_LIMIT;
  *d = (Data){ .host = host,
               .common = host->common,
               .out = { .text = g_string_new(NULL), .layout = JSON_DENSE },
               .max_rows = (uint64_t)o->max_rows,
               .max_bytes = (uint64_t)o->max_size,
               .left_out = g_ptr_array_new_with_free_func(g_free) };
  *out_instance = d;
  return 0;
}

static void close_sink(void *instance)
{
  Data *d = instance;
  if (!d) return;
  g_string_free(d->out.text, TRUE);
  g_ptr_array_unref(d->left_out);
}

static int write_results(void *instance, const MillResults *r)
{
  Data *d = instance;
  const MillSinkHost *host = d->host;
  if (!html_page_head_len) /* said here, where it is a warning unless the format was asked for by name */
    return mill_fail(host->common, MILL_HELPER_MISSING,
                     "this stagemill was built without the page of reports",
                     "build it with -Dhtml_report=auto, or leave out --format html");
  int status = host->output(host, HTML_FILE, NULL, html_page_head, html_page_head_len);
  if (status >= 0) status = data_write(d, r);
  if (status < 0) return status;
  return host->output(host, HTML_FILE, NULL, html_page_tail, html_page_tail_len);
}

static const MillOption options[] = {
  MILL_INT_OPTION(Options, max_rows, "max-rows", "5000", "0:", NULL,
                  "Number of rows of each table; 0: as many as max-size allows"),
  MILL_SIZE_OPTION(Options, max_size, "max-size", "10MiB", "64KiB:1GiB",
                   "Maximum size of all data of the page"),
};

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .results = write_results,
  .close = close_sink,
};

RESULTS_SINK_OF(
    &ops, "html", "HTM", "Write a report to open in a browser", .options_size = sizeof(Options),
    .flags = MILL_USUAL | MILL_PAGE, .files = "report.html", .options = MILL_ROWS(options),
    .help = "report.html is one file that needs no network: findings, headline metrics, captions, "
            "the quality of the data, charts, and tables that can be sorted, filtered and copied. "
            "It runs only its own script, loads nothing, and has the same bytes each time. It says "
            "what it leaves out; the other formats have everything.");
