/* The store of one run, and what follows from its columns taken together. */
/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "notices.h"

/* Half as much again, or `first`; NULL: refused, and the source has failed. */
static void *more(Memory *m, void *old, size_t *io_max, size_t first, size_t size)
{
  size_t max = *io_max ? *io_max + *io_max / 2 : first;
  void *larger = m->refused ? NULL : m->common->resize(m->common, old, max * size);
  m->refused = !larger;
  if (larger) *io_max = max;
  return larger;
}

bool ints_grow(Ints *a)
{
  int64_t *larger = more(a->memory, a->v, &a->max, 256, sizeof *a->v);
  if (larger) a->v = larger;
  return larger != NULL;
}

bool gaps_grow(Gaps *g)
{
  uint32_t *larger = more(g->memory, g->v, &g->max, 4096, sizeof *g->v);
  if (larger) g->v = larger;
  return larger != NULL;
}

static void free_stat(gpointer p)
{
  Stat *s = p;
  g_free(s->name);
  g_free(s->key);
}

static void free_kind(gpointer p) { g_free(((ErrorKind *)p)->text); }

void run_init(Run *r, const MillHost *common)
{
  *r = (Run){ .memory = { common, false },
              .stats = g_array_new(FALSE, FALSE, sizeof(Stat)),
              .error_kinds = g_array_new(FALSE, FALSE, sizeof(ErrorKind)),
              .tags = g_ptr_array_new_with_free_func(g_free) };
  for (int i = 0; i < N_COLUMNS; i++) r->columns[i].memory = &r->memory;
  Gaps *g = &r->gaps;
  g->memory = g->big.memory = g->ends.memory = g->sums.memory = &r->memory;
  g_array_set_clear_func(r->stats, free_stat);
  g_array_set_clear_func(r->error_kinds, free_kind);
  run_reset(r);
}

void run_drop_column(Run *r, int column)
{
  r->columns[column].n = 0;
  r->column_keys[column] = NULL;
}

void run_drop_gaps(Run *r)
{
  r->gaps.n = r->gaps.big.n = r->gaps.ends.n = r->gaps.sums.n = 0;
  r->gaps_key = NULL;
}

void run_drop_errors(Run *r)
{
  r->n_error_texts = r->error_text_len = 0;
  r->n_errors = 0;
  r->errors_key = NULL;
}

void run_drop_requests(Run *r)
{
  for (int i = 0; i < N_COLUMNS; i++) run_drop_column(r, i);
  run_drop_gaps(r);
  run_drop_errors(r);
  r->n_requests = 0;
  r->totals[TOTAL_DURATION] = ABSENT;
}

void run_reset(Run *r)
{
  run_drop_requests(r);
  r->detailed = false;
  for (int i = 0; i < N_TOTALS; i++) r->totals[i] = ABSENT;
  for (int i = 0; i < N_RATES; i++) r->rates[i] = -1;
  g_array_set_size(r->stats, 0);
  g_array_set_size(r->error_kinds, 0);
  g_ptr_array_set_size(r->tags, 0);
}

void run_clear(Run *r)
{
  g_array_free(r->stats, TRUE);
  g_array_free(r->error_kinds, TRUE);
  g_ptr_array_free(r->tags, TRUE);
}

/* ------------------------------------------------------------ one by one */
static bool is_percentile(const char *stat)
{
  double percent;
  return stat[0] == 'p' && num_real(stat + 1, strlen(stat + 1), &percent) && percent >= 0 &&
         percent <= 100;
}

bool stat_name(char stat[16])
{
  static const char *const names[][2] = {
    { "mean", "mean" },   { "avg", "mean" }, { "average", "mean" },
    { "median", "p50" },  { "std", "std" },  { "min", "min" },
    { "minimum", "min" }, { "max", "max" },  { "maximum", "max" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (strcmp(stat, names[i][0]) != 0) continue;
    g_strlcpy(stat, names[i][1], 16);
    return true;
  }
  return is_percentile(stat);
}

bool run_stat(Run *r, const char *metric, const char *stat, const char *key, double value)
{
  Stat s = { g_strdup_printf("%s.%s", metric, stat), g_strdup(key), value };
  for (guint i = 0; i < r->stats->len; i++) {
    Stat *old = &g_array_index(r->stats, Stat, i);
    if (strcmp(old->name, s.name) != 0) continue;
    bool same_key = strcmp(old->key, key) == 0;
    free_stat(old);
    *old = s;
    return same_key;
  }
  if (r->stats->len < MAX_LISTED)
    g_array_append_val(r->stats, s);
  else
    free_stat(&s);
  return false;
}

void run_drop_stats(Run *r, const char *key)
{
  size_t len = strlen(key);
  for (guint i = r->stats->len; i > 0; i--) {
    const char *its = g_array_index(r->stats, Stat, i - 1).key;
    if (strncmp(its, key, len) == 0 && (its[len] == '\0' || its[len] == '.'))
      g_array_remove_index(r->stats, i - 1);
  }
}

void run_drop_tag(Run *r, const char *name)
{
  size_t len = strlen(name);
  for (guint i = r->tags->len; i > 0; i--) {
    const char *tag = r->tags->pdata[i - 1];
    if (strncmp(tag, name, len) == 0 && tag[len] == '=') g_ptr_array_remove_index(r->tags, i - 1);
  }
}

void run_tag(Run *r, const char *name, const char *value, size_t len)
{
  size_t n = strlen(name);
  char *tag = g_strdup_printf("%s=%.*s", name, (int)len, value);
  for (guint i = 0; i < r->tags->len; i++) {
    if (strncmp(r->tags->pdata[i], tag, n + 1) != 0) continue;
    g_free(r->tags->pdata[i]);
    r->tags->pdata[i] = tag;
    return;
  }
  g_ptr_array_add(r->tags, tag);
}

static bool has_space_for_error(Run *r, size_t len)
{
  while (r->max_error_text - r->error_text_len < len) {
    char *larger = more(&r->memory, r->error_text, &r->max_error_text, 4096, 1);
    if (!larger) return false;
    r->error_text = larger;
  }
  if (r->n_error_texts < r->max_error_texts) return true;
  ErrorText *larger = more(&r->memory, r->errors, &r->max_error_texts, 64, sizeof *r->errors);
  if (larger) r->errors = larger;
  return larger != NULL;
}

void run_error(Run *r, size_t request, const char *text, size_t len)
{
  if (len == 0 || !has_space_for_error(r, len)) return;
  memcpy(r->error_text + r->error_text_len, text, len);
  r->errors[r->n_error_texts++] = (ErrorText){ request, r->error_text_len, len };
  r->error_text_len += len;
}

void run_error_kind(Run *r, const char *text, int64_t count)
{
  if (r->error_kinds->len < MAX_LISTED) {
    bool last = r->error_kinds->len == MAX_LISTED - 1;
    ErrorKind kind = { g_strdup(last ? "others" : text), count };
    g_array_append_val(r->error_kinds, kind);
    return;
  }
  int64_t *others = &g_array_index(r->error_kinds, ErrorKind, MAX_LISTED - 1).count;
  if (__builtin_add_overflow(*others, count, others)) *others = INT64_MAX;
}

Row run_row(void)
{
  Row row;
  for (int i = 0; i < N_COLUMNS; i++) row.values[i] = ABSENT;
  return row;
}

void run_add(Run *r, const Row *row)
{
  Gaps *g = &r->gaps;
  int64_t sum = 0;
  size_t big = g->big.n, first = g->ends.n ? (size_t)g->ends.v[g->ends.n - 1] : 0;
  for (int i = 0; i < N_COLUMNS; i++) ints_push(&r->columns[i], row->values[i]);
  for (size_t i = g->n; i > first; i--)
    sum += g->v[i - 1] == GAP_BIG ? g->big.v[--big] : (int64_t)g->v[i - 1];
  ints_push(&g->ends, (int64_t)g->n);
  ints_push(&g->sums, g->n > first ? sum : ABSENT);
  r->n_requests++;
}

/* --------------------------------------------------------------- the whole */
/* The first column that there is decides. */
static bool same_length(Run *r, Window *w, const char *key, size_t n, const char **io_first)
{
  if (!key) return true;
  if (!*io_first) {
    *io_first = key;
    r->n_requests = n;
  }
  if (n == r->n_requests) return true;
  g_autofree char *what =
      g_strdup_printf("\"%s\" and \"%s\" have different lengths", *io_first, key);
  g_autofree char *why = g_strdup_printf("%zu values and %zu", r->n_requests, n);
  return window_fail(w, BENCH_LENGTHS, w->p, what, why);
}

static bool check_lengths(Run *r, Window *w)
{
  const char *first = NULL;
  for (int i = 0; i < N_COLUMNS; i++)
    if (!same_length(r, w, r->column_keys[i], r->columns[i].n, &first)) return false;
  return same_length(r, w, r->gaps_key, r->gaps.ends.n, &first) &&
         same_length(r, w, r->errors_key, r->n_errors, &first);
}

const ErrorText *run_next_error(const Run *r, guint *io_next, size_t request)
{
  if (*io_next >= r->n_error_texts) return NULL;
  const ErrorText *e = &r->errors[*io_next];
  if (e->request != request) return NULL;
  ++*io_next;
  return e;
}

bool run_failed(const Run *r, size_t request, const ErrorText *error)
{
  if (error) return true;
  const Ints *output = &r->columns[COL_OUTPUT];
  return output->n && output->v[request] == 0;
}

static int64_t count_failed(const Run *r)
{
  int64_t n = 0;
  guint next = 0;
  for (size_t i = 0; i < r->n_requests; i++) {
    const ErrorText *error = run_next_error(r, &next, i);
    n += run_failed(r, i, error);
  }
  return n;
}

/* A request that gave nothing is a failure to some and a success to others: either count will do. */
static bool is_count_of_requests(const Run *r, int64_t completed, int64_t failed)
{
  int64_t n = (int64_t)r->n_requests, told = r->totals[TOTAL_FAILED];
  return completed == n || completed == n - failed || completed == n - told;
}

/* The sum over all requests, or over those that did not fail, to 1 %: some count retokenized texts. */
static bool is_sum_of_requests(const Run *r, const Ints *lens, int64_t total)
{
  double all = 0, done = 0;
  guint next = 0;
  for (size_t i = 0; i < lens->n; i++) {
    const ErrorText *error = run_next_error(r, &next, i);
    all += (double)lens->v[i];
    done += run_failed(r, i, error) ? 0 : (double)lens->v[i];
  }
  return fabs((double)total - all) <= all / 100 || fabs((double)total - done) <= done / 100;
}

static const char *wrong_tokens(const Run *r)
{
  static const struct {
    int column, total;
    const char *name;
  } sums[] = { { COL_INPUT, TOTAL_INPUT, "input tokens" },
               { COL_OUTPUT, TOTAL_OUTPUT, "output tokens" } };
  for (size_t i = 0; i < G_N_ELEMENTS(sums); i++) {
    const Ints *lens = &r->columns[sums[i].column];
    int64_t total = r->totals[sums[i].total];
    if (lens->n && total != ABSENT && !is_sum_of_requests(r, lens, total)) return sums[i].name;
  }
  return NULL;
}

const char *run_wrong_total(const Run *r)
{
  const int64_t *totals = r->totals, failed = count_failed(r);
  if (totals[TOTAL_FAILED] != ABSENT && totals[TOTAL_FAILED] != failed) return "failed requests";
  if (totals[TOTAL_COMPLETED] != ABSENT &&
      !is_count_of_requests(r, totals[TOTAL_COMPLETED], failed))
    return "completed requests";
  return wrong_tokens(r);
}

/* Producers count failures and successes; older ones only the latter, and some neither. */
static void complete_counts(Run *r, Window *w)
{
  int64_t *totals = r->totals;
  if (r->detailed) {
    int64_t failed = count_failed(r);
    if (totals[TOTAL_FAILED] == ABSENT)
      totals[TOTAL_FAILED] = failed;
    else if (totals[TOTAL_FAILED] != failed)
      w->common->note(w->common, BENCH_FAILED, NULL, MILL_NO_EVENT, NULL, 0);
    if (totals[TOTAL_COMPLETED] == ABSENT)
      totals[TOTAL_COMPLETED] = (int64_t)r->n_requests - failed;
    else if (!is_count_of_requests(r, totals[TOTAL_COMPLETED], failed))
      w->common->note(w->common, BENCH_COMPLETED, NULL, MILL_NO_EVENT, NULL, 0);
  }
  /* Nothing was measured: zeros only stand for that. */
  if (totals[TOTAL_COMPLETED] == 0) g_array_set_size(r->stats, 0);
}

bool run_finish(Run *r, Window *w)
{
  if (r->memory.refused) return false;
  if (r->detailed && !check_lengths(r, w)) return false;
  complete_counts(r, w);
  if (r->detailed && wrong_tokens(r))
    w->common->note(w->common, BENCH_TOKENS, NULL, MILL_NO_EVENT, NULL, 0);
  return true;
}
