/* What a test expects of its case. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "harness-internal.h"
#include "input/sources.h"
#include "plan/module.h"
#include "record.h"

static HarnessRun *outcome;
static bool failure_expected, failure_told;

/* ----------------------------------------------------------------- the run */

static void complain_about_rule(const Error *e)
{
  g_autofree char *text = harness_error_text(e);
  if (harness_broken_rule(e)) harness_complain(NULL, 0, "broken rule: %s", text);
}

static void tell_failure(void)
{
  if (!outcome || !outcome->error || failure_expected || failure_told) return;
  if (harness_broken_rule(outcome->error)) return;
  g_autofree char *text = harness_error_text(outcome->error);
  harness_complain(NULL, 0, "the run failed: %s", text);
  failure_told = true;
}

/* Of what is missing after a failure the failure is the cause: it comes first. */
#define complain(...) (tell_failure(), harness_complain(__VA_ARGS__))

/* The case changes: what came of it is of another one. */
static void forget_outcome(void)
{
  tell_failure();
  g_clear_pointer(&outcome, harness_run_free);
  failure_expected = failure_told = false;
}

const HarnessRun *harness_outcome(void)
{
  if (outcome) return outcome;
  HarnessCase *c = harness_case();
  if (!c->lanes->len) harness_lane(NULL, 0, "");
  c->forget = forget_outcome;
  outcome = harness_run(c, &harness_plain);
  complain_about_rule(outcome->error);
  if (outcome->outside)
    harness_complain(NULL, 0, "%s %s", module_kind_name(c->descriptor->kind), outcome->outside);
  return outcome;
}

/* NULL: nothing can be said of it, and why has been reported. */
static const HarnessRun *sound_outcome(void)
{
  const HarnessRun *r = harness_outcome();
  return harness_broken_rule(r->error) ? NULL : r;
}

/* ------------------------------------------------------------------ events */

static bool same_cell(const char *a, const char *b)
{
  double x, y;
  if (strcmp(a, b) == 0) return true;
  if (!num_real(a, strlen(a), &x) || !num_real(b, strlen(b), &y)) return false;
  return fabs(x - y) <= 1e-6 * fmax(fabs(x), fabs(y));
}

/* Lines as they are written here, so that only what they mean counts; false after a complaint. */
static bool canonical(const char *file, int line, const char *const *lines, GPtrArray *out)
{
  bool good = true;
  for (; *lines; lines++) {
    char *why = NULL;
    HarnessLine *event = harness_line_parse(*lines, &why);
    if (event)
      g_ptr_array_add(out, harness_line_format(event));
    else
      complain(file, line, "%s", why);
    good = good && event;
    g_free(why);
    harness_line_free(event);
  }
  return good;
}

static void compare_events(const char *file, int line, const GPtrArray *wanted,
                           const GPtrArray *events)
{
  guint n_events = events ? events->len : 0;
  for (guint i = 0; i < MAX(wanted->len, n_events); i++) {
    const char *want = i < wanted->len ? wanted->pdata[i] : "nothing";
    g_autofree char *got =
        i < n_events ? harness_line_format(events->pdata[i]) : g_strdup("nothing");
    if (strcmp(got, want) != 0)
      complain(file, line, "event %u is %s\n      expected %s", i, got, want);
  }
}

static bool has_lane(const HarnessRun *r, const char *file, int line, uint32_t index)
{
  guint n = harness_n_lanes(r);
  if (index < n) return true;
  complain(file, line, "there is no lane %u: %u left the run", index, n);
  return false;
}

/* The arguments up to HARNESS_END, which ends the array, too. */
static GPtrArray *take_texts(va_list args)
{
  GPtrArray *texts = g_ptr_array_new();
  for (const char *text; (text = va_arg(args, const char *));)
    g_ptr_array_add(texts, (gpointer)text);
  g_ptr_array_add(texts, NULL);
  return texts;
}

void harness_expect(const char *file, int line, uint32_t lane_index, ...)
{
  va_list args;
  va_start(args, lane_index);
  g_autoptr(GPtrArray) lines = take_texts(args);
  va_end(args);
  harness_expect_events(file, line, lane_index, (const char *const *)lines->pdata);
}

void harness_expect_events(const char *file, int line, uint32_t lane_index,
                           const char *const *lines)
{
  g_autoptr(GPtrArray) wanted = g_ptr_array_new_with_free_func(g_free);
  harness_record_number(CASE_EVENTS, lane_index, NULL);
  for (guint i = 0; lines[i]; i++) harness_record_line(lines[i]);
  const HarnessRun *r = canonical(file, line, lines, wanted) ? sound_outcome() : NULL;
  if (r && has_lane(r, file, line, lane_index))
    compare_events(file, line, wanted, harness_events(r, lane_index));
}

char *harness_attr_text(const HarnessLine *e, const char *key)
{
  for (guint i = 0; i < e->attrs->len; i++) {
    const HarnessAttr *a = &g_array_index(e->attrs, HarnessAttr, i);
    if (g_str_equal(a->key, key)) return harness_value_format(&a->value);
  }
  return NULL;
}

void harness_expect_attr(const char *file, int line, uint32_t event, const char *key,
                         const char *value)
{
  harness_record_value(CASE_ATTR, event, key, value);
  const HarnessRun *r = sound_outcome();
  const GPtrArray *events = r ? harness_events(r, 0) : NULL;
  if (!r) return;
  if (!events || event >= events->len) {
    complain(file, line, "there is no event %u", event);
    return;
  }
  g_autofree char *got = harness_attr_text(events->pdata[event], key);
  if (got && value ? !same_cell(got, value) : got != value)
    complain(file, line, "event %u: %s is %s, expected %s", event, key, got ? got : "absent",
             value ? value : "absent");
}

/* ------------------------------------------------------------------- tables */

static bool same_row(const char *got, const char *wanted)
{
  g_auto(GStrv) a = g_strsplit(got, "|", -1);
  g_auto(GStrv) b = g_strsplit(wanted, "|", -1);
  guint n = g_strv_length(a);
  if (n != g_strv_length(b)) return false;
  for (guint i = 0; i < n; i++)
    if (!same_cell(g_strstrip(a[i]), g_strstrip(b[i]))) return false;
  return true;
}

static int table_index(const char *file, int line, const char *name)
{
  const Descriptor *d = harness_case()->descriptor;
  for (uint32_t i = 0; i < d->n_tables; i++)
    if (!strcmp(d->tables[i].name, name)) return (int)i;
  complain(file, line, "\"%s\" declares no table \"%s\"", d->name, name);
  return -1;
}

void harness_expect_table(const char *file, int line, const char *table, const char *const *rows)
{
  int index = table_index(file, line, table);
  const HarnessRun *r = index < 0 ? NULL : sound_outcome();
  guint n = g_strv_length((gchar **)(uintptr_t)rows);
  harness_record_item(CASE_TABLE, table);
  for (guint i = 0; i < n; i++) harness_record_row(rows[i]);
  if (!r) return;
  g_autoptr(GPtrArray) got = harness_rows(r, (uint32_t)index);
  for (guint i = 0; i < MAX(n, got->len); i++) {
    const char *wanted = i < n ? rows[i] : "nothing";
    if (i >= got->len)
      complain(file, line, "row %u of %s is missing: %s", i, table, wanted);
    else if (!same_row(got->pdata[i], wanted))
      complain(file, line, "row %u of %s is %s\n      expected %s", i, table, (char *)got->pdata[i],
               wanted);
  }
}

void harness_expect_rows(const char *file, int line, const char *table, ...)
{
  va_list args;
  va_start(args, table);
  g_autoptr(GPtrArray) rows = take_texts(args);
  va_end(args);
  harness_expect_table(file, line, table, (const char *const *)rows->pdata);
}

/* ------------------------------------------------------------------ metrics */

static int metric_index(const char *file, int line, const char *name)
{
  const Descriptor *d = harness_case()->descriptor;
  for (uint32_t i = 0; i < d->n_metrics; i++)
    if (!strcmp(d->metrics[i].name, name)) return (int)i;
  complain(file, line, "\"%s\" declares no metric \"%s\"", d->name, name);
  return -1;
}

void harness_expect_metric(const char *file, int line, const char *metric, const char *stat,
                           const char *value)
{
  g_autofree char *name = g_strconcat(metric, stat ? "." : NULL, stat, NULL);
  harness_record_value(CASE_METRIC, 0, name, value);
  int index = metric_index(file, line, metric);
  const HarnessRun *r = index < 0 ? NULL : sound_outcome();
  const MetricValue *m = r ? harness_metric(r, (uint32_t)index, stat) : NULL;
  if (!r) return;
  if (!m) {
    complain(file, line, "metric %s was not reported", metric);
    return;
  }
  g_autofree char *got = m->value.type == MILL_NONE ? NULL : harness_value_format(&m->value);
  if (got && value ? !same_cell(got, value) : got != value)
    complain(file, line, "metric %s is %s, expected %s", metric, got ? got : "not applicable",
             value ? value : "not applicable");
}

/* ------------------------------------------------------ notices and failure */

void harness_expect_notice(const char *file, int line, uint32_t number, uint64_t count)
{
  const Descriptor *d = harness_case()->descriptor;
  int row = notices_find(d, number);
  g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, count);
  harness_record_value(CASE_NOTICE, number, NULL, text);
  const HarnessRun *r = row < 0 ? NULL : sound_outcome();
  if (row < 0) complain(file, line, "\"%s\" declares no notice %u", d->name, number);
  if (!r) return;
  uint64_t got = harness_notices(r, (uint32_t)row);
  if (got && d->notices[row].level == MILL_LEVEL_ERROR) failure_expected = true;
  if (got != count)
    complain(file, line,
             "notice %u was counted %" G_GUINT64_FORMAT " times, expected %" G_GUINT64_FORMAT,
             number, got, count);
}

void harness_expect_status(const char *file, int line, uint32_t status)
{
  harness_record_number(CASE_STATUS, status, NULL);
  const HarnessRun *r = sound_outcome();
  if (!r) return;
  uint32_t got = harness_status(r);
  failure_expected = true; /* or reported here */
  if (got == status) return;
  g_autofree char *text = harness_error_text(r->error);
  complain(file, line, "status is %u, expected %u%s%s", got, status, got ? ": " : "", text);
}

void harness_expect_true(const char *file, int line, bool condition, const char *text)
{
  harness_record_lack("a condition");
  if (!condition) complain(file, line, "not true: %s", text);
}

/* ------------------------------------------------------------------ sources */

void harness_expect_probe(const char *file, int line, const void *bytes, size_t len,
                          const char *name, int least)
{
  const Descriptor *d = harness_case()->descriptor;
  if (d->kind != MILL_KIND_SOURCE) {
    complain(file, line, "only a source probes");
    return;
  }
  size_t n = len == HARNESS_TEXT ? strlen(bytes) : len;
  int sure = source_sureness(d, bytes, n, name);
  harness_record_number(CASE_PROBE, (uint64_t)least, name);
  harness_record_text(bytes, n);
  if (least ? sure < least : sure > 0)
    complain(file, line, "the source is %d sure of %s, expected %s%d", sure, name,
             least ? "at least " : "", least);
}

typedef struct Described {
  const LaneInfo *lane;
  const char *file;
  int line;
} Described;

static char *number_text(int64_t value, int64_t none)
{
  return value == none ? g_strdup("-") : g_strdup_printf("%" G_GINT64_FORMAT, value);
}

/* What is known of the lane by that name; NULL: there is no such thing. */
static char *known(const LaneInfo *lane, const char *key, const char *value)
{
  g_autofree char *made = NULL;
  if (!strcmp(key, "rank")) return number_text(lane->rank, -1);
  if (!strcmp(key, "base")) return number_text(lane->base_ns, MILL_NO_BASE);
  if (!strcmp(key, "dialect")) return g_strdup(lane->dialect);
  if (!strcmp(key, "label")) return g_strdup(lane->label);
  if (!strcmp(key, "fact")) {
    bool has = g_ptr_array_find_with_equal_func(lane->facts, value, g_str_equal, NULL);
    return g_strdup(has ? value : "-");
  }
  if (!g_str_has_prefix(key, "tag.")) return NULL;
  const char *tag = lane_info_tag(lane, key + strlen("tag."), &made);
  return g_strdup(tag ? tag : "-");
}

static bool check_described(void *context, const char *key, const char *value)
{
  const Described *described = context;
  g_autofree char *got = known(described->lane, key, value);
  int64_t base;
  char number[NUM_BUF];
  if (!got) return false;
  if (!strcmp(key, "base") && num_duration(value, strlen(value), &base)) {
    num_format_int(number, base);
    value = number;
  }
  if (strcmp(got, value) != 0)
    complain(described->file, described->line, "%s of the lane is %s, expected %s", key, got,
             value);
  return true;
}

void harness_expect_described(const char *file, int line, uint32_t lane_index, const char *facts)
{
  harness_record_number(CASE_DESCRIBED, lane_index, facts);
  const HarnessRun *r = sound_outcome();
  if (!r || !has_lane(r, file, line, lane_index)) return;
  if (!r->run) {
    complain(file, line, "the input was not opened");
    return;
  }
  Described described = { inputs_lane(r->run->inputs, lane_index), file, line };
  harness_each_fact(facts, check_described, &described, file, line);
}

/* -------------------------------------------------------------------- sinks */

static void list_files(const HarnessRun *r, GString *out)
{
  for (guint i = 0; r->files && i < r->files->len; i++)
    g_string_append_printf(out, "%s%s", i ? ", " : "",
                           ((const HarnessFile *)r->files->pdata[i])->name);
}

static const HarnessFile *file_named(const HarnessRun *r, const char *name)
{
  for (guint i = 0; r->files && i < r->files->len; i++)
    if (!strcmp(((const HarnessFile *)r->files->pdata[i])->name, name)) return r->files->pdata[i];
  return NULL;
}

void harness_expect_output(const char *file, int line, const char *name, const char *text)
{
  harness_record_item(text ? CASE_OUTPUT : CASE_NO_OUTPUT, name);
  if (text) harness_record_text(text, strlen(text));
  const HarnessRun *r = sound_outcome();
  const HarnessFile *f = r ? file_named(r, name) : NULL;
  g_autoptr(GString) names = g_string_new(NULL);
  if (!r) return;
  list_files(r, names);
  if (!f && text)
    complain(file, line, "there is no file %s%s%s", name,
             names->len ? ", only: " : ", and no other", names->str);
  else if (f && !text)
    complain(file, line, "there is a file %s", name);
  else if (f && strcmp(f->text->str, text) != 0)
    complain(file, line, "%s is:\n%s\n      expected:\n%s", name, f->text->str, text);
}
