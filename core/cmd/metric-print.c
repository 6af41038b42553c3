/* The values of one metric, printed; see metric.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/describe.h"
#include "cmd/metric.h"
#include "cmd/result.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/standard.h"
#include "base/tag-text.h"
#include "model/printable.h"

typedef struct Value {
  const MillMetric *metric;
  MillValue value;
  uint64_t n;
  const char *reason;
  const char *group; /* as in MillMetricResult */
} Value;

/* ------------------------------------------------------------------ finding */

static int64_t rank_of(const Run *run, uint32_t lane)
{
  return lane < run->inputs->lanes->len ? inputs_lane(run->inputs, lane)->rank : -1;
}

/* The values of the group's tags, joined by commas, fit for a line of text. */
static char *group_values(const char *group)
{
  GString *text = g_string_new(NULL);
  char *tag, *value;
  for (bool first = true; tag_text_next(&group, &tag, &value); first = false) {
    if (!first) g_string_append_c(text, ',');
    printable_append(text, value, strlen(value), "");
    g_free(tag);
    g_free(value);
  }
  return g_string_free(text, FALSE);
}

/* A metric that is left out without naming a statistic has none at all. */
static bool is_wanted(const Wanted *w, const char *name, const char *stat, const MillValue *value)
{
  if (strcmp(name, w->name)) return false;
  bool whole = !stat || !*stat;
  if (whole && value->type == MILL_NONE) return true;
  return strcmp(whole ? "" : stat, w->stat ? w->stat : "") == 0;
}

static GArray *find_values(const Cli *cli, const Run *run, const Wanted *w)
{
  GArray *found = g_array_new(FALSE, FALSE, sizeof(Value));
  const MillResults *r = run_results(run);
  int64_t rank = cli_number(cli, "rank", -1);
  for (uint32_t i = 0; i < r->n_metrics; i++) {
    MillMetricResult m = { .size = sizeof m };
    r->metric(r, i, &m);
    Value v = { m.metric, m.value, m.n, m.reason, m.group };
    if (!is_wanted(w, m.name, m.stat, &v.value)) continue;
    if (v.metric->per == MILL_PER_LANE && rank >= 0 && rank_of(run, m.lane) != rank) continue;
    g_array_append_val(found, v);
  }
  if (found->len) return found;
  Value none = { w->metric, mill_none(), 0, "no data in these inputs gives it", "" };
  g_array_append_val(found, none);
  return found;
}

/* ----------------------------------------------------------------- printing */

static char *value_text(const MillValue *v)
{
  char buf[NUM_BUF];
  if (v->type == MILL_TEXT || v->type == MILL_JSON) return g_strndup(v->u.text, v->len);
  if (v->type == MILL_BOOL) return g_strdup(v->u.i ? "true" : "false");
  if (v->type == MILL_REAL)
    num_format_real(buf, v->u.r);
  else
    num_format_int(buf, v->u.i);
  return g_strdup(buf);
}

static void put_group(const Value *v, JsonWriter *out)
{
  const char *group = v->group;
  char *tag, *value;
  json_put_open(out, "group", '{');
  while (tag_text_next(&group, &tag, &value)) {
    json_put_text(out, tag, value);
    g_free(tag);
    g_free(value);
  }
  json_put_close(out);
}

static void put_value(const Value *v, JsonWriter *out)
{
  if (v->value.type == MILL_NONE) {
    json_put_text(out, "reason", v->reason);
    return;
  }
  g_autofree char *text = value_text(&v->value);
  json_put_raw(out, "value", text, strlen(text));
  json_put_int(out, "n", (int64_t)v->n);
}

static void put_groups(const GArray *values, JsonWriter *out)
{
  json_put_open(out, "values", '[');
  for (guint i = 0; i < values->len; i++) {
    json_put_open(out, NULL, '{');
    put_group(&g_array_index(values, Value, i), out);
    put_value(&g_array_index(values, Value, i), out);
    json_put_close(out);
  }
  json_put_close(out);
}

static GString *as_json(const Wanted *w, const GArray *values)
{
  JsonWriter writer = { .text = g_string_new(NULL), .layout = JSON_COMPACT }, *out = &writer;
  const Value *first = &g_array_index(values, Value, 0);
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", w->name);
  if (w->stat) json_put_text(out, "stat", w->stat);
  if (*first->group)
    put_groups(values, out);
  else
    put_value(first, out);
  bool counts = w->stat && !strcmp(w->stat, "n"); /* how many there are, whatever of */
  json_put_text(out, "unit", counts ? "count" : first->metric->unit);
  json_put_text(out, "better", describe_better(first->metric));
  json_put_end(out);
  return writer.text;
}

/* Four digits that count, or all of the whole part. */
static void put_rounded(GString *out, double v)
{
  char whole[NUM_BUF];
  double magnitude = fabs(v);
  int decimals = magnitude >= 1000 ? 0 : magnitude >= 100 ? 1 : magnitude >= 10 ? 2 : 3;
  for (double d = magnitude; d > 0 && d < 1 && decimals < 9; d *= 10) decimals++;
  if (!(magnitude < 1e15)) {
    num_format_real(whole, v);
    g_string_append(out, whole);
    return;
  }
  double power = pow(10, decimals);
  int64_t units = (int64_t)rint(magnitude * power), one = (int64_t)power;
  num_format_count(whole, units / one);
  g_string_append_printf(out, "%s%s", v < 0 && units ? "-" : "", whole);
  if (decimals) g_string_append_printf(out, ".%0*" G_GINT64_FORMAT, decimals, units % one);
}

/* For people: rounded, with its unit. */
static char *value_for_people(const Wanted *w, const Value *v)
{
  GString *out = g_string_new(NULL);
  char buf[NUM_BUF];
  double real = v->value.type == MILL_REAL ? v->value.u.r : (double)v->value.u.i;
  const char *unit = v->metric->unit && !(w->stat && !strcmp(w->stat, "n")) ? v->metric->unit : "";
  bool integral = v->value.type == MILL_INT || rint(real) == real;
  if (!strcmp(unit, "ns") && fabs(real) < 9e18) {
    num_format_duration(buf, (int64_t)rint(real));
    g_string_append(out, buf);
  } else if (!strcmp(unit, "bytes") && real >= 0 && real < 1.8e19) {
    num_format_size(buf, (uint64_t)rint(real));
    g_string_append(out, buf);
  } else {
    bool count = !*unit || !strcmp(unit, "count");
    if (integral && fabs(real) < 9e15) {
      num_format_count(buf, (int64_t)real);
      g_string_append(out, buf);
    } else {
      put_rounded(out, real);
    }
    if (!count) g_string_append_printf(out, " %s", strcmp(unit, "percent") ? unit : "%");
  }
  return g_string_free(out, FALSE);
}

static bool is_number(const MillValue *v) { return v->type == MILL_INT || v->type == MILL_REAL; }

/* Exact, unless a person reads it. */
static GString *as_text(const Wanted *w, const GArray *values)
{
  bool person = isatty(standard_out());
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < values->len; i++) {
    const Value *v = &g_array_index(values, Value, i);
    if (v->value.type == MILL_NONE) continue;
    g_autofree char *group = group_values(v->group);
    g_autofree char *text =
        person && is_number(&v->value) ? value_for_people(w, v) : value_text(&v->value);
    cli_append_name(out, group);
    g_string_append_printf(out, "%s%s\n", *v->group ? "\t" : "", text);
  }
  return out;
}

static Error *absent(const Wanted *w, const GArray *values)
{
  Error *errors = NULL;
  for (guint i = 0; i < values->len; i++) {
    const Value *v = &g_array_index(values, Value, i);
    if (v->value.type != MILL_NONE) continue;
    g_autofree char *group = group_values(v->group);
    const char *of = *group ? " to " : *v->group ? " to inputs without the tag" : "";
    Error *e =
        error_new(EXIT_INPUT, "RUN-94", "the metric %s does not apply%s%s", w->word, of, group);
    errors =
        error_join(errors, error_why(e, "%s", v->reason ? v->reason : "the stage gave no reason"));
  }
  return errors;
}

/* What was left out or repaired must be seen, though nothing but the value is on standard output. */
void metric_say_warnings(const Cli *cli, const Run *run)
{
  g_autoptr(GString) text = g_string_new(NULL);
  result_put_warnings(run_results(run), 0, true, text);
  if (text->len && cli->verbose >= 0) cli_say("%s", g_strchomp(text->str));
}

int metric_print(const Cli *cli, const Run *run, const Wanted *w)
{
  metric_say_warnings(cli, run);
  g_autoptr(GArray) values = find_values(cli, run, w);
  const Value *first = &g_array_index(values, Value, 0);
  if (values->len > 1 && !*first->group)
    return cli_fail(cli, error_help(cli_usage(cli->command,
                                              "the metric %s exists for each rank, and there are "
                                              "%u ranks",
                                              w->word, values->len),
                                    "name one with --rank"));
  /* An object stands for itself. */
  bool json = cli_flag(cli, "json") && first->value.type != MILL_JSON;
  GString *out = json ? as_json(w, values) : as_text(w, values);
  int status = json ? cli_print_string(cli, out) : cli_print_raw(out);
  Error *e = status ? NULL : absent(w, values);
  return e ? cli_fail(cli, e) : status;
}
