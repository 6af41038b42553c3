/* Gate rules: rules.c reads them, gate.c applies them. */
/* SPDX-License-Identifier: MIT */
#include "compare/gate.h"

#include <glib.h>

#include "check.h"
#include "compare/rules.h"
#include "results/load.h"

#define METRIC(name, value, more) \
  "{\"name\":\"" name "\",\"value\":" value ",\"unit\":\"ms\",\"n\":1" more "}"
#define SUMMARY(metrics)                                                                \
  "{\"schema_version\":\"2.1\",\"program\":{\"name\":\"stagemill\",\"version\":\"1\"}," \
  "\"profile\":\"p\",\"lanes\":[],\"metrics\":[" metrics "],\"tables\":[],\"notices\":[]}"
#define TTFT(value) \
  METRIC("ttft", value, ",\"stat\":\"p99\",\"better\":\"lower\",\"group\":{\"mode\":\"fast\"}")

static Results *load(const char *metric)
{
  Results *r = NULL;
  g_autofree char *text = g_strdup_printf("%s", metric);
  Error *e = results_load_text("test", text, strlen(text), &r);
  CHECK(e == NULL);
  error_free(e);
  return r;
}

/* "verdict: reason" of the only line, or the code of the error and its suggestion. */
static char *apply(const char *rule, const double *base, int n_base, const double *changed,
                   int n_changed)
{
  static const char *const metrics[] = { "output_throughput", NULL };
  static const char *const findings[] = { "straggler", NULL };
  const GateWords known = { metrics, findings };
  g_autofree char *text = g_strdup_printf("{\"schema_version\":\"1\",\"rules\":[%s]}", rule);
  g_autoptr(Rules) rules = NULL;
  Gate *gate = NULL;
  CompareSide sides[2] = { { (char *)"old", g_ptr_array_new() },
                           { (char *)"new", g_ptr_array_new() } };
  for (int i = 0; i < n_base + n_changed; i++) {
    double v = i < n_base ? base[i] : changed[i - n_base];
    g_autofree char *summary = g_strdup_printf(SUMMARY(TTFT("%g")), v);
    g_ptr_array_add(sides[i >= n_base].runs, load(summary));
  }
  Error *e = rules_parse("gate.json", text, strlen(text), &rules);
  CHECK(e == NULL && rules != NULL);
  if (!e) e = gate_new(rules, sides, 2, &known, &gate);
  char *out;
  if (e) {
    out = g_strdup_printf("%s %s", e->code, e->help ? (char *)e->help->pdata[0] : e->what);
  } else {
    const GateLine *l = &g_array_index(gate->lines, GateLine, 0);
    CHECK_INT(gate->lines->len, 1);
    out = g_strdup_printf("%s: %s", gate_verdict_name(l->verdict), l->reason ? l->reason : "-");
  }
  error_free(e);
  gate_free(gate);
  for (int s = 0; s < 2; s++) {
    g_ptr_array_set_free_func(sides[s].runs, (GDestroyNotify)results_free);
    g_ptr_array_unref(sides[s].runs);
  }
  return out;
}

static void test_one_run(void)
{
  static const struct {
    const char *rule;
    double base, changed;
    const char *wanted;
  } rows[] = {
#define CHANGE(more) "{\"metric\":\"ttft.p99\",\"max_change\":\"5%\"" more "}"
    { CHANGE(""), 100, 100, "neutral: -" },
    { CHANGE(""), 100, 105, "neutral: -" },
    { CHANGE(""), 100, 106, "regression: a change of +6.00 % is beyond max_change, 5 %" },
    { CHANGE(""), 100, 90, "improved: -" },
    { CHANGE(",\"worse\":\"lower\""), 100, 90,
      "regression: a change of -10.00 % is beyond max_change, 5 %" },
    { CHANGE(",\"ignore_below\":\"6ms\""), 100, 106, "neutral: -" },
    { CHANGE(",\"ignore_below\":\"5999us\""), 100, 106,
      "regression: a change of +6.00 % is beyond max_change, 5 %" },
    { CHANGE(",\"ignore_below\":5.5"), 100, 106,
      "regression: a change of +6.00 % is beyond max_change, 5 %" },
    { CHANGE(",\"min_runs\":2"), 100, 106, "inconclusive: fewer than 2 runs a side" },
    { CHANGE(""), 0, 0, "neutral: -" },
    { CHANGE(""), 0, 1, "regression: the change is beyond max_change, 5 %" },
    { CHANGE(",\"where\":{\"mode\":\"fast\"}"), 100, 106,
      "regression: a change of +6.00 % is beyond max_change, 5 %" },
    { CHANGE(",\"where\":{\"mode\":\"slow\"}"), 100, 106,
      "not-applicable: no group has the tags of \"where\"" },
    { "{\"metric\":\"ttft\",\"max\":\"106ms\"}", 1, 106, "neutral: -" },
    { "{\"metric\":\"ttft\",\"max\":\"0.1s\"}", 1, 106, "regression: 106 ms is above max 100 ms" },
    { "{\"metric\":\"ttft.p99\",\"min\":107}", 1, 106, "regression: 106 ms is below min 107 ms" },
    { "{\"metric\":\"ttft\",\"max\":\"10ms\"}", 1, 10.0004,
      "regression: 10.0004 ms is above max 10.0000 ms" },
    { "{\"metric\":\"ttft\",\"min\":\"1000s\"}", 1, 10.5,
      "regression: 10.50 ms is below min 1,000,000.00 ms" },
    { "{\"metric\":\"ttft\",\"max\":\"1ns\"}", 1, 10.5,
      "regression: 10.50 ms is above max 1e-06 ms" },
    { "{\"metric\":\"ttft\",\"min\":\"1s\"}", 0, 0, "regression: 0 ms is below min 1,000 ms" },
    { "{\"metric\":\"output_throughput\",\"min\":107}", 1, 106,
      "not-applicable: no stage of these runs reports it" },
    { "{\"metric\":\"ttft.p98\",\"min\":107}", 1, 106, "PRF-33 did you mean \"ttft.p99\"?" },
    { "{\"metric\":\"ttft\",\"max\":\"3%\"}", 1, 106, "PRF-32 \"3%\" is not a limit in ms" },
    { "{\"metric\":\"ttft\",\"max\":\"3KiB\"}", 1, 106, "PRF-32 \"3KiB\" is not a limit in ms" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *got = apply(rows[i].rule, &rows[i].base, 1, &rows[i].changed, 1);
    if (!CHECK_STR(got, rows[i].wanted)) CHECK_ROW(rows[i].rule);
  }
}

/* With 4 and 4 runs the interval is from the least to the largest ratio: 107/103 and 112/100, then 99/103. */
static void test_repeated(void)
{
  static const double base[] = { 100, 101, 102, 103 }, slow[] = { 107, 109, 110, 112 };
  static const double noisy[] = { 99, 115, 118, 119 };
  g_autofree char *worse = apply(CHANGE(""), base, 4, slow, 4);
  CHECK(g_str_has_prefix(worse, "regression: "));
  g_autofree char *noise = apply(CHANGE(""), base, 4, noisy, 4);
  CHECK_STR(noise, "inconclusive: the change is within the noise of the runs");
  g_autofree char *few = apply(CHANGE(""), base, 3, noisy, 4);
  CHECK(g_str_has_prefix(few, "regression: "));
  g_autofree char *better = apply(CHANGE(""), slow, 4, base, 4);
  CHECK_STR(better, "improved: -");
  g_autofree char *sure = apply(CHANGE(",\"confidence\":0.99"), base, 4, slow, 4);
  CHECK_STR(sure, "inconclusive: the change is within the noise of the runs");
}

static void test_wrong_files(void)
{
  static const struct {
    const char *text, *code, *place, *says;
  } rows[] = {
#define RULES(rules) "{\"schema_version\":\"1\",\n\"rules\":[" rules "]}"
    { "{", "PRF-30", "gate.json:1:2", NULL },
    { "[]", "PRF-32", "gate.json:1:1", "must be an object" },
    { "{\"rules\":[{\"metric\":\"a\",\"max\":1}]}", "PRF-32", "gate.json:1:1", "schema_version" },
    { "{\"schema_version\":\"2\",\"rules\":[{\"metric\":\"a\",\"max\":1}]}", "PRF-32",
      "gate.json:1:19", "reads" },
    { "{\"schema_version\":\"1\"}", "PRF-32", "gate.json:1:1", "no list of \"rules\"" },
    { "{\"schema_version\":\"1\",\"rule\":[],\"rules\":[{\"metric\":\"a\",\"max\":1}]}", "PRF-31",
      "gate.json:1:23", "did you mean \"rules\"?" },
    { RULES(""), "PRF-32", "gate.json:2:9", "at least one" },
    { RULES("1"), "PRF-32", "gate.json:2:10", "must be an object" },
    { RULES("{\"max\":1}"), "PRF-32", "gate.json:2:10", "neither \"metric\" nor \"finding\"" },
    { RULES("{\"metric\":1,\"max\":1}"), "PRF-32", "gate.json:2:20", "name of a metric" },
    { RULES("{\"metric\":\"a\"}"), "PRF-32", "gate.json:2:10", "none of" },
    { RULES("{\"metrc\":\"a\",\"metric\":\"a\",\"max\":1}"), "PRF-31", "gate.json:2:11",
      "did you mean \"metric\"?" },
    { RULES("{\"metric\":\"a\",\"max_chnge\":\"5%\",\"max\":1}"), "PRF-31", "gate.json:2:24",
      "did you mean \"max_change\"?" },
    { RULES("{\"metric\":\"a\",\"max_change\":5}"), "PRF-32", "gate.json:2:37", "a percentage" },
    { RULES("{\"metric\":\"a\",\"max_change\":\"5\"}"), "PRF-32", "gate.json:2:37",
      "a percentage" },
    { RULES("{\"metric\":\"a\",\"max_change\":\"-5%\"}"), "PRF-32", "gate.json:2:37", "from 0" },
    { RULES("{\"metric\":\"a\",\"max\":\"5 apples\"}"), "PRF-32", "gate.json:2:30", "with a unit" },
    { RULES("{\"metric\":\"a\",\"min\":true}"), "PRF-32", "gate.json:2:30", "a number" },
    { RULES("{\"metric\":\"a\",\"max\":1,\"worse\":\"highr\"}"), "PRF-32", "gate.json:2:40",
      "did you mean \"higher\"?" },
    { RULES("{\"metric\":\"a\",\"max\":1,\"min_runs\":0}"), "PRF-32", "gate.json:2:43", "from 1" },
    { RULES("{\"metric\":\"a\",\"max\":1,\"min_runs\":1.5}"), "PRF-32", "gate.json:2:43",
      "whole number" },
    { RULES("{\"metric\":\"a\",\"max\":1,\"confidence\":95}"), "PRF-32", "gate.json:2:45",
      "between 0 and 1" },
    { RULES("{\"metric\":\"a\",\"max\":1,\"optional\":1}"), "PRF-32", "gate.json:2:43",
      "true or false" },
    { RULES("{\"metric\":\"a\",\"max\":1,\"where\":\"x\"}"), "PRF-32", "gate.json:2:40",
      "an object of tags" },
    { RULES("{\"metric\":\"a\",\"max\":1,\"where\":{\"x\":1}}"), "PRF-32", "gate.json:2:45",
      "a text" },
    { RULES("{\"metric\":\"a\",\"max\":1,\"ignore_below\":1}"), "PRF-32", "gate.json:2:10",
      "needs a \"max_change\"" },
    { RULES("{\"metric\":\"a\",\"max_change\":\"1%\",\"ignore_below\":-1}"), "PRF-32",
      "gate.json:2:57", "not below 0" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Rules *rules = NULL;
    g_autoptr(GString) out = g_string_new(NULL);
    Error *e = rules_parse("gate.json", rows[i].text, strlen(rows[i].text), &rules);
    bool good = CHECK(e != NULL);
    if (e) error_format(e, false, false, out);
    if (e) good = CHECK_STR(e->code, rows[i].code) && CHECK_INT(e->status, EXIT_PROFILE);
    good = CHECK(strstr(out->str, rows[i].place) != NULL) && good;
    good = CHECK(!rows[i].says || strstr(out->str, rows[i].says) != NULL) && good;
    if (!good) printf("\n    %s\n%s", rows[i].text, out->str);
    error_free(e);
    rules_free(rules);
  }
}

static void test_limits(void)
{
  double v;
  CHECK(rules_limit("2ms", "ns", &v) && v == 2e6);
  CHECK(rules_limit("2ms", "us", &v) && v == 2e3);
  CHECK(rules_limit("1.5", "s", &v) && v == 1.5);
  CHECK(rules_limit("4KiB", "bytes", &v) && v == 4096);
  CHECK(rules_limit("3%", "percent", &v) && v == 3);
  CHECK(!rules_limit("3%", "ns", &v) && !rules_limit("2ms", "bytes", &v) &&
        !rules_limit("", "ns", &v));
}

static void test_kind_of_file(void)
{
  static const char rules[] = "{\"rules\":[]}", profile[] = "{\"profile\":1,\"rules\":[]}";
  CHECK(rules_are(rules, strlen(rules)));
  CHECK(!rules_are(profile, strlen(profile)));
  CHECK(!rules_are("[", 1));
}

TEST_MAIN({ "one run a side", test_one_run }, { "repeated runs", test_repeated },
          { "wrong files", test_wrong_files }, { "limits", test_limits },
          { "kind of file", test_kind_of_file })
