/* Fuzz target: any text as the summary.json, and as the run.json, of a finished run. */
/* SPDX-License-Identifier: MIT */
#include "output/run-file.h"
#include "promise.h"
#include "results/load.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refusal says where and why, in characters that can be printed. */
static void check_error(Error *e)
{
  g_autoptr(GString) out = g_string_new(NULL);
  PROMISE(e->status == EXIT_INPUT && !strcmp(e->code, "RUN-31"));
  PROMISE(e->at && e->at->len == 1 && e->why && e->why->len == 1);
  error_format(e, true, false, out);
  PROMISE(g_utf8_validate(out->str, (gssize)out->len, NULL));
  error_free(e);
}

static void check_value(const MillValue *v)
{
  PROMISE(v->type == MILL_NONE || v->type == MILL_INT || v->type == MILL_REAL ||
          v->type == MILL_TEXT || v->type == MILL_BOOL || v->type == MILL_JSON);
  if (v->type == MILL_TEXT) PROMISE(v->u.text[v->len] == 0);
}

static void check_tables(const MillResults *r)
{
  MillTableResult t = { .size = sizeof t };
  for (uint32_t i = 0; r->table(r, i, &t); i++) {
    PROMISE(t.table->columns.n <= t.columns.n && t.name && t.table->name && t.table->help);
    for (uint64_t row = 0; row < t.n_rows; row++)
      for (uint32_t c = 0; c < t.columns.n; c++) check_value(&r->row(r, i, row)[c]);
  }
}

static void check_rest(const MillResults *r, uint32_t n_lanes)
{
  MillMetricResult m = { .size = sizeof m };
  MillNoticeResult n = { .size = sizeof n };
  MillFigureResult f = { .size = sizeof f };
  for (uint32_t i = 0; r->metric(r, i, &m); i++) {
    check_value(&m.value);
    PROMISE((m.value.type == MILL_NONE) == (m.reason != NULL) && m.metric->name && m.stat &&
            m.group);
    PROMISE(m.lane == MILL_NO_LANE || m.lane < n_lanes);
  }
  for (uint32_t i = 0; r->notice(r, i, &n); i++) PROMISE(n.code && n.what && n.notice->what);
  for (uint32_t i = 0; r->figure(r, i, &f); i++)
    PROMISE(f.table < r->n_tables && f.name && f.figure->name && f.figure->table);
}

static void try_summary(const char *text, size_t len)
{
  Results *r;
  Error *e = results_load_text("summary.json", text, len, &r);
  PROMISE((e == NULL) == (r != NULL));
  if (e) {
    check_error(e);
    return;
  }
  check_tables(results_view(r));
  check_rest(results_view(r), results_n_lanes(r));
  results_free(r);
}

static void try_run_file(const char *text, size_t len)
{
  RunFile *f, *again;
  g_autoptr(GPtrArray) none = g_ptr_array_new();
  Error *e = run_file_load_text("run.json", g_memdup2(text, len), len, &f);
  PROMISE((e == NULL) == (f != NULL));
  if (e) {
    check_error(e);
    return;
  }
  char *same = run_file_with(f, none, false);
  g_free(provenance_text(&f->provenance));
  PROMISE(run_file_load_text("run.json", same, strlen(same), &again) == NULL);
  PROMISE(again->outputs->len == f->outputs->len);
  run_file_free(again);
  run_file_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size > 1 << 16) return 0;
  try_summary((const char *)data, size);
  try_run_file((const char *)data, size);
  return 0;
}
