/* What tests of stages call: cases, expectations, programs; see harness.h. */
#include <gmodule.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "harness-internal.h"
#include "model/tags.h"

/* One case at a time: a test program is one thread. */
static HarnessCase current;
static HarnessResult *outcome; /* of the current case, once something asked for it */
static unsigned failures;
enum { MAX_SHOWN = 8 }; /* broken properties of one test */

/* ---- a case */

static void lane_free(gpointer p)
{
  HarnessLane *own = p;
  g_free(own->lane.name);
  g_free(own->lane.label);
  g_free(own->lane.dialect);
  g_ptr_array_unref(own->lane.tags);
  g_ptr_array_unref(own->lines);
  g_free(own);
}

static void case_init(void)
{
  if (current.options) return;
  current.options = g_ptr_array_new_with_free_func(g_free);
  current.lanes = g_ptr_array_new_with_free_func(lane_free);
}

static void forget_outcome(void)
{
  harness_result_free(outcome);
  outcome = NULL;
}

void harness_clear(void)
{
  case_init();
  forget_outcome();
  g_ptr_array_set_size(current.options, 0);
  g_ptr_array_set_size(current.lanes, 0);
}

static void complain(const char *file, int line, const char *format, ...) G_GNUC_PRINTF(3, 4);
static void complain(const char *file, int line, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  failures++;
  if (file)
    printf("  %s:%d: %s\n", file, line, text);
  else
    printf("  %s\n", text);
}

void harness_with(const char *const *options)
{
  case_init();
  forget_outcome();
  for (; *options; options++) g_ptr_array_add(current.options, g_strdup(*options));
}

static HarnessLane *add_lane(void)
{
  case_init();
  forget_outcome();
  HarnessLane *own = g_new0(HarnessLane, 1);
  own->lane.index = current.lanes->len;
  own->lane.rank = current.lanes->len;
  own->lane.name = g_strdup_printf("lane%u.json", current.lanes->len);
  own->lane.label = g_strdup("");
  own->lane.dialect = g_strdup("");
  own->lane.tags = tags_new();
  own->lines = g_ptr_array_new_with_free_func((GDestroyNotify)harness_line_free);
  g_ptr_array_add(current.lanes, own);
  return own;
}

static void replace_text(char **io_text, const char *text)
{
  g_free(*io_text);
  *io_text = g_strdup(text);
}

static bool set_base(Lane *lane, const char *text)
{
  int64_t ns;
  if (!num_duration(text, strlen(text), &ns)) return false;
  lane->base_ns = ns;
  return true;
}

static bool set_fact(Lane *lane, const char *fact)
{
  const char *value = strchr(fact, '=');
  if (!value) return false;
  value++;
  if (g_str_equal(fact, "rank=-")) return lane->rank = -1, true;
  if (g_str_has_prefix(fact, "rank=")) return num_int(value, strlen(value), &lane->rank);
  if (g_str_has_prefix(fact, "base=")) return set_base(lane, value);
  if (g_str_has_prefix(fact, "name=")) return replace_text(&lane->name, value), true;
  if (g_str_has_prefix(fact, "label=")) return replace_text(&lane->label, value), true;
  if (g_str_has_prefix(fact, "dialect=")) return replace_text(&lane->dialect, value), true;
  if (!g_str_has_prefix(fact, "tag.")) return false;
  tags_set(lane->tags, fact + strlen("tag."), TAG_GIVEN);
  return true;
}

void harness_lane(const char *facts)
{
  HarnessLane *own = add_lane();
  g_auto(GStrv) parts = g_strsplit(facts, " ", -1);
  for (char **part = parts; *part; part++)
    if (**part && !set_fact(&own->lane, *part))
      complain(NULL, 0, "\"%s\" is no fact of a lane", *part);
}

void harness_given(const char *const *lines)
{
  case_init();
  forget_outcome();
  HarnessLane *lane =
      current.lanes->len ? current.lanes->pdata[current.lanes->len - 1] : add_lane();
  for (; *lines; lines++) {
    char *why = NULL;
    HarnessLine *line = harness_line_parse(*lines, &why);
    if (line)
      g_ptr_array_add(lane->lines, line);
    else
      complain(NULL, 0, "%s", why);
    g_free(why);
  }
}

/* ---- expectations */

static void run_case(void)
{
  static const HarnessManner plain = { .batch_size = 1024, .max_events = UINT32_MAX };
  case_init();
  if (outcome) return;
  if (current.lanes->len == 0) add_lane();
  outcome = harness_drive(&current, &plain);
  for (guint i = 0; i < outcome->broken->len; i++)
    complain(NULL, 0, "broken promise: %s", (char *)outcome->broken->pdata[i]);
}

static bool same_cell(const char *a, const char *b)
{
  double x, y;
  if (strcmp(a, b) == 0) return true;
  if (!num_real(a, strlen(a), &x) || !num_real(b, strlen(b), &y)) return false;
  return fabs(x - y) <= 1e-6 * fmax(fabs(x), fabs(y));
}

static char *canonical(const char *text)
{
  char *why = NULL;
  HarnessLine *line = harness_line_parse(text, &why);
  char *out = line ? harness_line_format(line) : why;
  harness_line_free(line);
  return out;
}

void harness_expect(const char *file, int line, uint32_t lane_index, const char *const *lines)
{
  run_case();
  guint n = lines ? g_strv_length((gchar **)(uintptr_t)lines) : 0;
  GPtrArray *events = lane_index < outcome->events->len ? outcome->events->pdata[lane_index] : NULL;
  guint n_events = events ? events->len : 0;
  for (guint i = 0; i < MAX(n, n_events); i++) {
    g_autofree char *wanted = i < n ? canonical(lines[i]) : g_strdup("nothing");
    g_autofree char *got =
        i < n_events ? harness_line_format(events->pdata[i]) : g_strdup("nothing");
    if (strcmp(got, wanted) != 0)
      complain(file, line, "event %u is %s\n      expected %s", i, got, wanted);
  }
}

void harness_expect_attr(const char *file, int line, uint32_t event, const char *key,
                         const char *value)
{
  run_case();
  GPtrArray *events = outcome->events->len ? outcome->events->pdata[0] : NULL;
  if (!events || event >= events->len) {
    complain(file, line, "there is no event %u", event);
    return;
  }
  const HarnessLine *e = events->pdata[event];
  g_autofree char *got = NULL;
  for (guint i = 0; !got && i < e->attrs->len; i++) {
    const HarnessAttr *a = &g_array_index(e->attrs, HarnessAttr, i);
    if (g_str_equal(a->key, key)) got = harness_value_format(&a->value);
  }
  if (got && value ? !same_cell(got, value) : got != value)
    complain(file, line, "event %u: %s is %s, expected %s", event, key, got ? got : "absent",
             value ? value : "absent");
}

static char *row_text(const MillValue *cells, uint32_t n, uint32_t lane_index)
{
  GString *text = g_string_new(NULL);
  const HarnessLane *own =
      lane_index < current.lanes->len ? current.lanes->pdata[lane_index] : NULL;
  if (own && own->lane.rank >= 0)
    g_string_append_printf(text, "%" G_GINT64_FORMAT " | ", own->lane.rank);
  else if (own)
    g_string_append(text, "- | ");
  for (uint32_t i = 0; i < n; i++) {
    g_autofree char *cell = harness_value_format(&cells[i]);
    g_string_append_printf(text, "%s%s", i ? " | " : "", cell);
  }
  return g_string_free(text, FALSE);
}

/* All rows of a table as texts. */
static GPtrArray *rows_of(uint32_t table)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
  for (guint r = 0; r < outcome->reports->len; r++) {
    const HarnessReport *report = outcome->reports->pdata[r];
    const RowSet *rows = &report->reported->tables[table];
    for (guint i = 0; i < rows->cells->len; i += rows->n_columns)
      g_ptr_array_add(texts, row_text(&g_array_index(rows->cells, MillValue, i), rows->n_columns,
                                      report->lane));
  }
  return texts;
}

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

static uint32_t table_index(const char *name)
{
  uint32_t i = 0;
  while (i < current.stage->n_tables && strcmp(current.stage->tables[i].name, name) != 0) i++;
  return i;
}

void harness_expect_table(const char *file, int line, const char *table, const char *const *rows)
{
  run_case();
  uint32_t index = table_index(table);
  guint n = rows ? g_strv_length((gchar **)(uintptr_t)rows) : 0;
  if (index == current.stage->n_tables) {
    complain(file, line, "there is no table %s", table);
    return;
  }
  g_autoptr(GPtrArray) got = rows_of(index);
  for (guint i = 0; i < MAX(n, got->len); i++) {
    const char *wanted = i < n ? rows[i] : "nothing";
    if (i >= got->len)
      complain(file, line, "row %u of %s is missing: %s", i, table, wanted);
    else if (!same_row(got->pdata[i], wanted))
      complain(file, line, "row %u of %s is %s\n      expected %s", i, table, (char *)got->pdata[i],
               wanted);
  }
}

/* The run's value, or that of the first lane; NULL: there is none. */
static const MetricValue *find_metric(const char *name, const char *stat)
{
  for (guint r = 0; r < outcome->reports->len; r++) {
    const HarnessReport *report = outcome->reports->pdata[r];
    const GArray *metrics = report->reported->metrics;
    for (guint i = 0; i < metrics->len; i++) {
      const MetricValue *m = &g_array_index(metrics, MetricValue, i);
      const MillMetric *row = &current.stage->metrics[m->metric];
      bool of_run = row->per == MILL_PER_RUN || report->lane == 0;
      bool of_stat = g_str_equal(m->stat, stat ? stat : "") ||
                     (m->value.type == MILL_NONE && (!*m->stat || !stat));
      if (of_run && of_stat && g_str_equal(row->name, name)) return m;
    }
  }
  return NULL;
}

void harness_expect_metric(const char *file, int line, const char *metric, const char *stat,
                           const char *value)
{
  run_case();
  const MetricValue *m = find_metric(metric, stat);
  if (!m) {
    complain(file, line, "metric %s was not reported", metric);
    return;
  }
  g_autofree char *got = m->value.type == MILL_NONE ? NULL : harness_value_format(&m->value);
  if (got && value ? !same_cell(got, value) : got != value)
    complain(file, line, "metric %s is %s, expected %s", metric, got ? got : "not applicable",
             value ? value : "not applicable");
}

void harness_expect_notice(const char *file, int line, uint32_t number, uint64_t count)
{
  run_case();
  int row = notices_find(current.stage, number);
  uint64_t got = row < 0 ? 0 : outcome->notices.counts[row].count;
  if (got != count)
    complain(file, line,
             "notice %u was counted %" G_GUINT64_FORMAT " times, expected %" G_GUINT64_FORMAT,
             number, got, count);
}

void harness_expect_status(const char *file, int line, uint32_t status)
{
  run_case();
  if (outcome->status != status)
    complain(file, line, "status is %u (%s), expected %u", outcome->status,
             outcome->failure ? outcome->failure : "", status);
}

void harness_expect_true(const char *file, int line, bool condition, const char *text)
{
  if (!condition) complain(file, line, "not true: %s", text);
}

/* ---- properties and other ways in */

void harness_check_properties(const MillStage *stage)
{
  current.stage = stage;
  case_init();
  if (current.lanes->len == 0) add_lane();
  g_autoptr(GPtrArray) broken = harness_broken_properties(&current);
  for (guint i = 0; i < MIN(broken->len, MAX_SHOWN); i++)
    complain(NULL, 0, "property: %s", (char *)broken->pdata[i]);
  if (broken->len > MAX_SHOWN) complain(NULL, 0, "and %u more", broken->len - MAX_SHOWN);
}

char *harness_transcript(const MillStage *stage, uint32_t batch_size)
{
  HarnessManner manner = { .batch_size = MAX(batch_size, 1), .max_events = UINT32_MAX };
  current.stage = stage;
  case_init();
  if (current.lanes->len == 0) add_lane();
  HarnessResult *r = harness_drive(&current, &manner);
  g_autofree char *text = harness_result_text(r);
  harness_result_free(r);
  return strdup(text); /* malloc's, not GLib's, is what the caller frees */
}

const MillStage *harness_load(const char *module_path)
{
  GModule *module = g_module_open(module_path, G_MODULE_BIND_LOCAL);
  gpointer symbol = NULL;
  if (!module || !g_module_symbol(module, "mill_module_v1", &symbol)) return NULL;
  g_module_make_resident(module);
  const MillModule *m = symbol;
  bool good = m->magic == MILL_MAGIC && m->n_stages > 0 && m->stages[0]->kind == MILL_KIND_STAGE;
  return good ? m->stages[0] : NULL;
}

/* ---- programs */

static bool is_asked_for(const char *name, int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], name) == 0) return true;
  return argc <= 1;
}

int harness_main(const MillStage *stage, const HarnessTest *tests, uint32_t n_tests, int argc,
                 char **argv)
{
  unsigned failed = 0, run = 0;
  for (uint32_t i = 0; i < n_tests; i++) {
    if (!is_asked_for(tests[i].name, argc, argv)) continue;
    unsigned before = failures;
    harness_clear();
    current.stage = stage;
    tests[i].run();
    harness_check_properties(stage);
    printf("%s %s\n", failures == before ? "ok    " : "FAILED", tests[i].name);
    failed += failures != before;
    run++;
  }
  harness_clear();
  printf("%s: %u tests, %u failed\n", stage->name, run, failed);
  return failed || run == 0;
}
