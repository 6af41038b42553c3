/* Results from a summary: each value as it was written, and what is damaged refused with its place.
 * load.c, load-metrics.c, load-parts.c, load-table.c, load-file.c */
/* SPDX-License-Identifier: MIT */
#include "results/load.h"

#include "check.h"
#include "scratch.h"

#define HEAD                                                            \
  "{\"schema_version\": \"2.1\",\n"                                     \
  "\"program\": {\"name\": \"stagemill\", \"version\": \"0.9\"},\n"     \
  "\"profile\": \"p\", \"title\": \"A \\u2028title\", \"inputs\": 1,\n" \
  "\"events\": 18446744073709551614, \"start_ns\": \"-5\", \"tags\": [\"model\", \"tp\"],\n"
#define LANES                                                                                     \
  "\"lanes\": [\n"                                                                                \
  "{\"index\": 0, \"rank\": 3, \"label\": \"a\\\"b\", \"name\": \"r.json (run 2)\",\n"            \
  " \"file\": \"r.json\", \"dialect\": \"kineto\", \"offset_ns\": 12, \"tags\": {\"model\": "     \
  "\"m=x\"}},\n"                                                                                  \
  "{\"index\": 1, \"rank\": null, \"label\": \"\", \"name\": \"standard input\", \"file\": "      \
  "null,\n"                                                                                       \
  " \"dialect\": \"\", \"tags\": {}, \"newer\": [1, {\"a\": [2]}]}], \"left_out\": [{\"lacks\": " \
  "\"f.a\", \"inputs\": 1, \"of\": 2, \"stages\": [\"s\", \"t\"]}],\n"
#define METRICS                                                                                    \
  "\"metrics\": [\n"                                                                               \
  "{\"name\": \"x_m\", \"stat\": \"p50\", \"lane\": 1, \"value\": 9007199254740993, \"unit\": "    \
  "\"ns\", \"n\": "                                                                                \
  "18446744073709551615, \"better\": \"lower\", \"definition\": 0},\n"                             \
  "{\"name\": \"r\", \"group\": {\"a=b\": \"1\\n2\", \"c\": \"\"}, \"value\": 0.1, \"unit\": "     \
  "null, \"n\": 1, "                                                                               \
  "\"better\": null},\n"                                                                           \
  "{\"name\": \"o\", \"value\": {\"b\":[1, 2.50]}, \"unit\": null, \"n\": 1, \"better\": null},\n" \
  "{\"name\": \"none\", \"unit\": null, \"better\": null, \"reason\": \"no \\u0007 events\"}],\n"  \
  "\"definitions\": [{\"name\": \"m\", \"per\": \"lane\", \"type\": \"int\", \"unit\": \"ns\", "   \
  "\"better\": "                                                                                   \
  "\"lower\", \"stats\": \"p50,n\", \"aliases\": \"mm\", \"inputs\": \"pair\", \"help\": "         \
  "\"h\"}],\n"
#define COLUMNS                                                                               \
  "\"columns\": [{\"name\": \"rank\", \"unit\": null, \"type\": \"int\", \"key\": true, "     \
  "\"lead\": true},\n"                                                                        \
  "{\"name\": \"name\", \"unit\": null, \"type\": \"text\", \"key\": true, \"brief\": true, " \
  "\"finding\": true},\n"                                                                     \
  "{\"name\": \"time\", \"unit\": \"ns\", \"type\": \"real\", \"key\": false, \"better\": "   \
  "\"lower\", \"help\": \"t\"},\n"                                                            \
  "{\"name\": \"ok\", \"unit\": null, \"type\": \"bool\", \"key\": false, \"better\": "       \
  "\"higher\"}],\n"
#define ROWS                                                                            \
  "\"rows\": [\n"                                                                       \
  "{\"rank\": 9223372036854775807, \"name\": \"z\", \"time\": 1e+300, \"ok\": true},\n" \
  "{\"ok\": false, \"time\": 5, \"name\": \"a\\u0000\\ud83d\\ude00\", \"rank\": null}]"
#define TABLES                                                                               \
  "\"tables\": [{\"name\": \"u-t\", \"help\": \"h\", \"per\": \"lane\", \"brief_rows\": 7, " \
  "\"order\": \"-time\",\n"                                                                  \
  "\"declared\": {\"name\": \"t\"}, " COLUMNS ROWS "}],\n"
#define FIGURES                                                                                   \
  "\"figures\": [{\"name\": \"u-f\", \"kind\": \"ranked\", \"table\": \"u-t\", \"x\": \"name\", " \
  "\"top\": 5, \"flags\": "                                                                       \
  "[\"down\", \"own-axes\"], \"y_better\": \"higher\", \"where\": \"ok=1\", \"drawn\": false, "   \
  "\"reason\": \"empty\",\n"                                                                      \
  "\"declared\": {\"name\": \"f\", \"table\": \"t\"}}],\n"
#define NOTICES                                                                               \
  "\"notices\": [{\"code\": \"TST-07\", \"level\": \"warning\", \"count\": 2, \"what\": \"2 " \
  "odd\", \"help\": \"do\", "                                                                 \
  "\"declared\": {\"what\": \"{count} odd\", \"explain\": \"long\"}}]}\n"
#define WHOLE HEAD LANES METRICS TABLES FIGURES NOTICES

static Results *load(const char *text)
{
  Results *r;
  Error *e = results_load_text("s.json", text, strlen(text), &r);
  if (!CHECK(e == NULL)) CHECK_ROW((char *)e->why->pdata[0]);
  error_free(e);
  return r;
}

static void test_head_and_lanes(void)
{
  Results *made = load(WHOLE);
  const MillResults *r = results_view(made);
  static const char *const info[][2] = {
    { "program", "stagemill" },
    { "version", "0.9" },
    { "profile", "p" },
    { "inputs", "1" },
    { "lanes", "2" },
    { "events", "18446744073709551614" },
    { "tags", "model,tp" },
    { "title", "A \xe2\x80\xa8title" },
    { "left-out", "f.a 1 2 s,t\n" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(info); i++) CHECK_STR(r->info(r, info[i][0]), info[i][1]);
  CHECK_INT(results_n_lanes(made), 2);
  const LaneInfo *a = results_lane(made, 0), *b = results_lane(made, 1);
  CHECK(a->index == 0 && a->rank == 3 && a->base_ns == 7 && b->rank == -1 &&
        b->base_ns == MILL_NO_BASE);
  CHECK_STR(a->label, "a\"b");
  CHECK_STR(a->name, "r.json (run 2)");
  CHECK_STR(a->path, "r.json");
  CHECK_STR(a->dialect, "kineto");
  CHECK_STR(tags_get(a->tags, "model"), "m=x");
  CHECK(b->path == NULL && !tags_get(b->tags, "model") && !results_lane(made, 2));
  results_free(made);
}

static void test_metrics(void)
{
  Results *made = load(WHOLE);
  const MillResults *r = results_view(made);
  MillMetricResult m = { .size = sizeof m };
  CHECK(r->n_metrics == 4 && r->metric(r, 0, &m));
  CHECK(m.value.type == MILL_INT && m.value.u.i == 9007199254740993 && m.n == UINT64_MAX &&
        m.lane == 1);
  CHECK_STR(m.name, "x_m");
  CHECK_STR(m.stat, "p50");
  CHECK_STR(m.group, "");
  CHECK(m.metric->kind == MILL_INT && m.metric->per == MILL_PER_LANE &&
        m.metric->better == MILL_LOWER);
  CHECK(m.metric->inputs == MILL_INPUTS_PAIR && !m.reason);
  CHECK_STR(m.metric->name, "m");
  CHECK_STR(m.metric->stats, "p50,n");
  CHECK_STR(m.metric->aliases, "mm");
  r->metric(r, 1, &m);
  CHECK(m.value.type == MILL_REAL && m.value.u.r == 0.1 && m.lane == MILL_NO_LANE);
  CHECK_STR(m.group, "a\\=b=1\\n2\nc=");
  CHECK_STR(m.stat, "");
  CHECK(m.metric->kind == MILL_REAL && m.metric->unit == NULL);
  r->metric(r, 2, &m);
  CHECK(m.value.type == MILL_JSON && m.metric->kind == MILL_JSON);
  CHECK_STR(m.value.u.text, "{\"b\":[1, 2.50]}");
  r->metric(r, 3, &m);
  CHECK(m.value.type == MILL_NONE && m.n == 0);
  CHECK_STR(m.reason, "no \a events");
  results_free(made);
}

static void test_tables(void)
{
  static const uint32_t flags[] = { MILL_COLUMN_KEY,
                                    MILL_COLUMN_KEY | MILL_COLUMN_BRIEF | MILL_COLUMN_FINDING,
                                    MILL_COLUMN_LOWER, MILL_COLUMN_HIGHER };
  Results *made = load(WHOLE);
  const MillResults *r = results_view(made);
  MillTableResult t = { .size = sizeof t };
  CHECK(r->n_tables == 1 && r->table(r, 0, &t) && t.n_rows == 2 && t.columns.n == 4);
  CHECK(t.table->per == MILL_PER_LANE && t.table->brief_rows == 7 && t.table->columns.n == 3);
  CHECK_STR(t.name, "u-t");
  CHECK_STR(t.table->name, "t");
  CHECK_STR(t.table->order, "-time");
  for (uint32_t i = 0; i < 4; i++) CHECK_INT(MILL_AT(MillColumn, t.columns, i)->flags, flags[i]);
  CHECK_STR(MILL_AT(MillColumn, t.columns, 2)->unit, "ns");
  CHECK_STR(MILL_AT(MillColumn, t.columns, 2)->help, "t");
  const MillValue *a = r->row(r, 0, 0), *b = r->row(r, 0, 1);
  CHECK(a[0].u.i == INT64_MAX && a[2].u.r == 1e300 && a[3].type == MILL_BOOL && a[3].u.i == 1);
  CHECK(b[0].type == MILL_NONE && b[2].type == MILL_REAL && b[2].u.r == 5 && b[3].u.i == 0);
  CHECK(b[1].len == 6 && !memcmp(b[1].u.text, "a\0\xf0\x9f\x98\x80", 7));
  results_free(made);
}

static void test_figures_and_notices(void)
{
  Results *made = load(WHOLE);
  const MillResults *r = results_view(made);
  MillFigureResult f = { .size = sizeof f };
  MillNoticeResult n = { .size = sizeof n };
  CHECK(r->n_figures == 1 && r->figure(r, 0, &f) && f.table == 0);
  CHECK_STR(f.name, "u-f");
  CHECK_STR(f.figure->name, "f");
  CHECK_STR(f.figure->table, "t");
  CHECK_STR(f.figure->where, "ok=1");
  CHECK(f.figure->kind == MILL_FIGURE_RANKED && f.figure->top == 5 &&
        f.figure->y_better == MILL_HIGHER);
  CHECK_INT(f.figure->flags, MILL_FIGURE_DOWN | MILL_FIGURE_OWN_AXES);
  CHECK(r->n_notices == 1 && r->notice(r, 0, &n) && n.count == 2 && !n.effect);
  CHECK(n.notice->number == 7 && n.notice->level == MILL_LEVEL_WARNING && !n.notice->effect);
  CHECK_STR(n.code, "TST-07");
  CHECK_STR(n.what, "2 odd");
  CHECK_STR(n.notice->what, "{count} odd");
  CHECK_STR(n.notice->help, "do");
  CHECK_STR(n.notice->explain, "long");
  results_free(made);
}

/* ------------------------------------------------------------------ damage */

typedef struct Damage {
  const char *old, *by; /* in the whole text; by NULL: it ends there */
  const char *why;
  unsigned line;
} Damage;

static const Damage damages[] = {
  { "\"2.1\"", "\"4.0\"", "its schema_version is 4.0; this program reads 2 to 3", 1 },
  { "\"2.1\"", "2.1", "this must be a text", 1 },
  { "\"2.1\"", "\"two\"", "this is not a version of a schema", 1 },
  { "{\"schema_version\": \"2.1\",\n", "{", "\"schema_version\" is missing here", 1 },
  { "\"profile\"", "\"program\"", "\"program\" is there twice", 3 },
  { "\"start_ns\": \"-5\"", "\"start_ns\": \"soon\"", "\"start_ns\" is not a number of nanoseconds",
    1 },
  { "\"index\": 1", "\"index\": 2", "lane 2 is in the place of lane 1", 8 },
  { "\"model\": \"m=x\"", "\"\": \"x\"", "\"\" is not the name of a tag", 7 },
  { "\"model\": \"m=x\"", "\"t\": \"x\", \"t\": \"x\"", "\"t\" is there twice", 7 },
  { "\"f.a\"", "\"f a\"", "\"f a\" is not a name", 9 },
  { "\"s\", \"t\"", "\"s,t\"", "\"s,t\" is not a name", 9 },
  { "\"s\", \"t\"", "", "there is no stage", 9 },
  { "\"inputs\": 1, \"of\"", "\"of\"", "\"inputs\" is missing here", 9 },
  { "\"lane\": 1", "\"lane\": 2", "metric 0 names a lane that is not there", 11 },
  { "\"lane\": 1", "\"lane\": -1", "this must be a whole number from 0", 11 },
  { "\"definition\": 0", "\"definition\": 1", "metric 0 is not among the definitions", 11 },
  { "9007199254740993", "9223372036854775808", "the number is out of range", 11 },
  { "9007199254740993", "\"9\"", "a metric is a number or an object", 11 },
  { "\"value\": 0.1, ", "", "a metric has a value, or a reason why it has none", 12 },
  { "\"better\": \"lower\", \"def", "\"better\": \"less\", \"def",
    "this must be one of neither|lower|higher", 11 },
  { "\"type\": \"real\"", "\"type\": \"date\"", "this must be int, real, text or bool", 19 },
  { "{\"name\": \"ok\"", "{\"name\": \"time\"", "two columns have this name", 20 },
  { "\"brief\": true,", "\"lead\": \"yes\",", "this must be true or false", 18 },
  { "\"key\": false, \"better\": \"lower\"", "\"lead\": true, \"key\": true",
    "a leading column comes after another one", 19 },
  { ", \"ok\": true}", "}", "this row has no cell for some column", 22 },
  { "\"ok\": true}", "\"ok\": true, \"rank\": 1}", "\"rank\" is there twice", 22 },
  { "\"ok\": true}", "\"ok\": true, \"more\": 1}", "the table has no column \"more\"", 22 },
  { "\"ok\": true}", "\"ok\": 1}", "this value is not of its column's type", 22 },
  { "\"name\": \"z\"", "\"name\": 1", "this value is not of its column's type", 22 },
  { "9223372036854775807", "1.5", "this value is not of its column's type", 22 },
  { "\"columns\": [", "\"rows\": [], \"columns\": [", "rows come before \"columns\"", 17 },
  { "\"table\": \"u-t\"", "\"table\": \"t\"", "there is no table \"t\" for this figure", 24 },
  { "\"down\"", "\"up\"", "figures have no flag \"up\"", 24 },
  { "\"ranked\"", "\"pie\"",
    "this must be one of figure|line|bar|stacked-bar|box|violin|heatmap|density|scatter|"
    "timeline|pareto|ranked|histogram|rule",
    24 },
  { "\"level\": \"warning\"", "\"level\": null", "this must be a word", 26 },
  { "\"what\": \"2 odd\"", "\"what\": \"\\u0000\"", "U+0000 is not allowed here", 26 },
  { "\"what\": \"2 odd\"", "\"what\": \"\\ud800\"", "unpaired surrogate", 26 },
  { "\"tables\": [", "\"tables\": {", "this must be a list", 16 },
  { "}]}\n", "}]} x", "text after the value", 26 },
  { "\"tables\"", NULL, "the text ends inside an object", 16 },
};

static char *damaged(const Damage *d)
{
  const char *at = strstr(WHOLE, d->old);
  if (!CHECK(at != NULL)) return g_strdup("");
  g_autofree char *head = g_strndup(WHOLE, (gsize)(at - WHOLE));
  return d->by ? g_strconcat(head, d->by, at + strlen(d->old), NULL) : g_steal_pointer(&head);
}

static void test_damage(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(damages); i++) {
    g_autofree char *text = damaged(&damages[i]);
    Results *r;
    g_autoptr(Error) e = results_load_text("s.json", text, strlen(text), &r);
    bool good = CHECK(e != NULL && r == NULL);
    if (good) {
      g_autofree char *line = g_strdup_printf("at s.json:%u:", damages[i].line);
      good = CHECK_INT(e->status, EXIT_INPUT) && CHECK_STR(e->why->pdata[0], damages[i].why) &&
             CHECK(g_str_has_prefix(e->at->pdata[0], line));
      if (!good) CHECK_ROW((char *)e->at->pdata[0]);
    }
    if (!good) CHECK_ROW(damages[i].why);
    results_free(r);
  }
}

/* Cut at any byte it is refused, until all of it is there. */
static void test_cut(void)
{
  size_t whole = strlen(WHOLE) - 1; /* the last newline says nothing */
  for (size_t len = 0; len <= whole; len++) {
    Results *r;
    g_autoptr(Error) e = results_load_text("s.json", WHOLE, len, &r);
    if (!CHECK((e == NULL) == (len == whole))) return;
    results_free(r);
  }
}

/* What 2.0 wrote: there is neither a definition nor a figure. */
static void test_older(void)
{
  Results *made = load(
      "{\"schema_version\": \"2.0\", \"program\": {\"name\": \"s\", \"version\": \"1\"}, "
      "\"profile\": \"p\", \"lanes\": [], \"metrics\": [{\"name\": \"m\", \"value\": 1, \"unit\": "
      "\"ns\", \"n\": 1, \"better\": \"higher\", \"help\": \"h\"}], \"tables\": [], \"notices\": "
      "[]}");
  const MillResults *r = results_view(made);
  MillMetricResult m = { .size = sizeof m };
  CHECK(r->metric(r, 0, &m) && m.metric->kind == MILL_INT && m.metric->better == MILL_HIGHER);
  CHECK_STR(m.metric->name, "m");
  CHECK_STR(m.metric->unit, "ns");
  CHECK(r->info(r, "events") == NULL && r->n_figures == 0);
  results_free(made);
}

static void test_files(void)
{
  char *folder = scratch_folder();
  g_autofree char *file = g_build_filename(folder, "summary.json", NULL);
  Results *r;
  Error *e = results_load(folder, &r);
  CHECK(e && e->status == EXIT_INPUT && !r && strstr(e->what, "it is not there"));
  error_free(e);
  scratch_write(folder, "summary.json", WHOLE, -1);
  for (int i = 0; i < 2; i++) {
    e = results_load(i ? file : folder, &r);
    CHECK(e == NULL && r && results_view(r)->n_tables == 1);
    results_free(r);
  }
  e = results_load("/dev/zero", &r);
  CHECK(e && strstr(e->what, "it is not a regular file"));
  error_free(e);
  scratch_remove(folder);
}

TEST_MAIN({ "head and lanes", test_head_and_lanes }, { "metrics", test_metrics },
          { "tables", test_tables }, { "figures and notices", test_figures_and_notices },
          { "damage", test_damage }, { "cut anywhere", test_cut }, { "an older one", test_older },
          { "files", test_files })
