/* Rules over results; see judge.h. */
/* SPDX-License-Identifier: MIT */
#include "rules/judge.h"

#include <math.h>
#include <string.h>

#include "base/json-write.h"
#include "base/num.h"
#include "model/printable.h"
#include "plan/rule.h"
#include "rules/evidence.h"
#include "rules/group.h"
#include "rules/view.h"

enum {
  TEXT_MOST = 160,
  FINDINGS_MOST = 1000,
  SHARE_NOTE = 5,
  SHARE_WARNING = 10,
  SHARE_CRITICAL = 20
};
#define WHERE "where_"
#define WHERE_GROUP WHERE "group" /* each tag of it is a member */

/* Counts, so that findings are the same on any machine.  A hundred million steps take a few seconds. */
#define STEPS_LEAST 100000000u
#define STEPS_A_ROW 1000u
#define SQL_BYTES_MOST (512u << 20)
#define KEPT_BYTES_MOST (64u << 20)

typedef struct Judge {
  Results *results;
  const MillResults *all; /* as they were before any rule ran */
  const JudgeEnv *env;
  Sql *sql;
  bool has_empty; /* tables that did not come in this run are there */
} Judge;

/* --------------------------------------------------------------------- faults */

static void fault(const Judge *j, const char *name, const Error *e)
{
  const char *at = e->at && e->at->len ? e->at->pdata[0] : NULL;
  g_autofree char *what =
      g_strdup_printf("%s%s%s: %s", name, at ? ", " : "", at ? at : "", e->what);
  j->env->fault(j->env->context, what);
}

static void fault_of_row(const Judge *j, const char *name, const char *why)
{
  g_autofree char *what = g_strdup_printf("%s: %s", name, why);
  j->env->fault(j->env->context, what);
}

/* -------------------------------------------------------------------- a row */

static int column_of(const SqlQuery *q, const char *name)
{
  for (uint32_t i = 0; i < sql_n_columns(q); i++)
    if (!strcmp(sql_column(q, i), name)) return (int)i;
  return -1;
}

static MillValue cell(const SqlQuery *q, const char *name)
{
  const int i = column_of(q, name);
  return i < 0 ? mill_none() : sql_cell(q, (uint32_t)i);
}

static bool real_of(const MillValue *v, double *out)
{
  if (v->type == MILL_INT) *out = (double)v->u.i;
  if (v->type == MILL_REAL) *out = v->u.r;
  return (v->type == MILL_INT || v->type == MILL_REAL) && isfinite(*out);
}

static const char *text_of(Results *r, const MillValue *v)
{
  return v->type == MILL_TEXT ? results_text(r, v->u.text, v->len) : NULL;
}

/* One line, fit to be shown. */
static const char *line_of(Results *r, const MillValue *v)
{
  g_autoptr(GString) safe = g_string_new(NULL);
  printable_append(safe, v->u.text, v->len, "");
  return results_text(r, safe->str, safe->len);
}

/* At most so many characters. */
static const char *sentence(Results *r, const char *text)
{
  if (g_utf8_strlen(text, -1) <= TEXT_MOST) return text;
  const char *end = g_utf8_offset_to_pointer(text, TEXT_MOST - 3);
  g_autofree char *cut = g_strdup_printf("%.*s...", (int)(end - text), text);
  return results_text(r, cut, strlen(cut));
}

static void put_where(JsonWriter *out, const char *key, const MillValue *v)
{
  switch (v->type) {
  case MILL_INT: json_put_int(out, key, v->u.i); break;
  case MILL_REAL: json_put_real(out, key, v->u.r); break;
  case MILL_TEXT: json_put_string(out, key, v->u.text, v->len); break;
  default: break;
  }
}

static void put_tag(void *out, const char *tag, const char *value)
{
  json_put_text(out, tag, value);
}

static const char *where_of(Results *r, const SqlQuery *q)
{
  JsonWriter out = { .text = g_string_new(NULL), .layout = JSON_SPACED };
  const MillValue group = cell(q, WHERE_GROUP);
  json_put_open(&out, NULL, '{');
  group_each(&group, put_tag, &out);
  for (uint32_t i = 0; i < sql_n_columns(q); i++) {
    const char *column = sql_column(q, i);
    if (!g_str_has_prefix(column, WHERE) || !strcmp(column, WHERE_GROUP)) continue;
    const MillValue v = sql_cell(q, i);
    put_where(&out, column + strlen(WHERE), &v);
  }
  json_put_close(&out);
  const char *text = results_text(r, out.text->str, out.text->len);
  g_string_free(out.text, TRUE);
  return text;
}

static uint32_t severity_of(double share)
{
  if (share >= SHARE_CRITICAL) return MILL_FINDING_CRITICAL;
  return share >= SHARE_WARNING ? MILL_FINDING_WARNING : MILL_FINDING_NOTE;
}

/* NULL, or why the row is none, to be freed; one whose share is too small is left out. */
static char *take_row(Judge *j, const char *name, const SqlQuery *q, GArray *findings)
{
  Results *r = j->results;
  const MillValue text = cell(q, "text"), cost = cell(q, "cost_ns"), share = cell(q, "share"),
                  advice = cell(q, "advice"), evidence = cell(q, "evidence");
  MillFindingResult f = { .size = sizeof f, .name = results_text(r, name, strlen(name)) };
  double cost_ns;
  if (share.type == MILL_NONE) return NULL;
  if (!real_of(&share, &f.share)) return g_strdup("its share is not a number");
  if (f.share < SHARE_NOTE) return NULL;
  if (text.type != MILL_TEXT || !text.len) return g_strdup("it has no text");
  if (advice.type != MILL_TEXT || !advice.len) return g_strdup("it has no advice");
  f.evidence_json = text_of(r, &evidence);
  char *unknown = evidence_fault(j->all, f.evidence_json);
  if (unknown) return unknown;
  if (real_of(&cost, &cost_ns) && fabs(cost_ns) < 9e18)
    f.cost_ns = mill_int((int64_t)llround(cost_ns));
  else if (cost.type != MILL_NONE)
    return g_strdup("its cost_ns is not a number");
  f.severity = severity_of(f.share);
  f.text = sentence(r, line_of(r, &text));
  f.advice = line_of(r, &advice);
  f.where_json = where_of(r, q);
  g_array_append_val(findings, f);
  return findings->len > FINDINGS_MOST ? g_strdup("it finds more than 1000 things") : NULL;
}

/* -------------------------------------------------------------------- a rule */

static uint64_t steps_most(const MillResults *r)
{
  MillTableResult t = { .size = sizeof t };
  uint64_t n_rows = 0;
  for (uint32_t i = 0; r->table(r, i, &t); i++) n_rows += t.n_rows;
  return STEPS_LEAST + STEPS_A_ROW * n_rows;
}

static Error *open_sql(Judge *j)
{
  const JudgeEnv *env = j->env;
  j->all = results_view(j->results);
  const SqlLimits limits = { .max_steps = env->max_steps ? env->max_steps : steps_most(j->all),
                             .max_bytes = SQL_BYTES_MOST,
                             .max_kept_bytes = KEPT_BYTES_MOST,
                             .folder = env->folder };
  Error *e = sql_open(env->modules, &limits, NULL, &j->sql);
  return e ? e : sql_add_results(j->sql, j->all, env->lane, env->lanes);
}

static Error *add_empty(Judge *j)
{
  Error *e = NULL;
  g_autoptr(GPtrArray) stages = modules_all(j->env->modules, MILL_KIND_STAGE);
  for (guint i = 0; i < stages->len && !e; i++) {
    const Descriptor *d = ((const Module *)stages->pdata[i])->stage;
    for (uint32_t t = 0; t < d->n_tables && !e; t++)
      e = sql_add_empty(j->sql, d->tables[t].name, &d->tables[t]);
  }
  j->has_empty = true;
  return e;
}

/* Once more where it names a table that did not come in this run. */
static Error *prepare(Judge *j, const Rule *rule, SqlQuery **out)
{
  Error *e = sql_prepare(j->sql, rule->file, rule->text, rule->len, out);
  if (!e || j->has_empty) return e;
  Error *failed = add_empty(j);
  if (failed) return error_join(e, failed);
  error_free(e);
  return sql_prepare(j->sql, rule->file, rule->text, rule->len, out);
}

/* --------------------------------------------------------------- what it gives */

static const char *const columns[] = { "text", "share", "advice", "evidence", "cost_ns", NULL };
enum { NEEDED = 4 };

static Error *wrong_shape(const Rule *rule, const char *what, const char *name)
{
  g_autofree char *safe = printable(name), *file = printable(rule->file);
  return error_at(error_new(EXIT_PROFILE, "PRF-24", what, safe), "at %s", file);
}

static Error *check_columns(const Rule *rule, const SqlQuery *q)
{
  Error *e = NULL;
  for (int i = 0; i < NEEDED; i++)
    if (column_of(q, columns[i]) < 0)
      e = error_join(e, wrong_shape(rule, "the SELECT has no column \"%s\"", columns[i]));
  for (uint32_t i = 0; i < sql_n_columns(q); i++) {
    const char *name = sql_column(q, i);
    if (column_of(q, name) != (int)i)
      e = error_join(e, wrong_shape(rule, "two columns are called \"%s\"", name));
    const bool where = g_str_has_prefix(name, WHERE) && strlen(name) > strlen(WHERE);
    if (where || g_strv_contains(columns, name)) continue;
    Error *unknown = wrong_shape(rule, "a finding has no column \"%s\"", name);
    error_suggest(unknown, name, columns);
    e = error_join(e, error_help(unknown, "write what it is about as where_NAME"));
  }
  return e;
}

/* Those of views and of the verdict are theirs. */
static bool gives_findings(const SqlQuery *q)
{
  return column_of(q, "share") >= 0 || column_of(q, "advice") >= 0 || column_of(q, "evidence") >= 0;
}

/* One that the head does not declare would have no value. */
static Error *check_params(const Rule *rule, const SqlQuery *q)
{
  Error *e = NULL;
  const char *name;
  for (uint32_t i = 0; (name = sql_parameter(q, i)); i++) {
    if (named_find(rule->params, name)) continue;
    Error *unknown = wrong_shape(rule, "the head declares no parameter \"%s\"", name);
    e = error_join(e, error_help(unknown, "add: -- param: NAME = 60 [0, 100] What it is"));
  }
  return e;
}

/* What becomes of the rows of a rule. */
typedef Error *(*UseRows)(Judge *j, const Rule *rule, SqlQuery *q);

/* All of its findings, or none. */
static Error *find(Judge *j, const Rule *rule, SqlQuery *q)
{
  bool more = true;
  g_autofree char *wrong = NULL;
  g_autoptr(GArray) findings = g_array_new(FALSE, FALSE, sizeof(MillFindingResult));
  Error *e = check_columns(rule, q);
  while (!e && !wrong && !(e = sql_step(q, &more)) && more)
    wrong = take_row(j, rule->name, q, findings);
  if (wrong) fault_of_row(j, rule->name, wrong);
  for (guint i = 0; !e && !wrong && i < findings->len; i++)
    results_add_finding(j->results, &g_array_index(findings, MillFindingResult, i));
  return e;
}

static Error *view(Judge *j, const Rule *rule, SqlQuery *q)
{
  return view_add(j->results, rule, q);
}

static Error *say(Judge *j, const Rule *rule, SqlQuery *q)
{
  (void)rule;
  return view_add_verdict(j->results, q);
}

static Error *run_rule(Judge *j, const Rule *rule, UseRows use)
{
  SqlQuery *q = NULL;
  Error *e = prepare(j, rule, &q);
  if (!e) e = check_params(rule, q);
  for (guint i = 0; !e && i < rule->params->len; i++) {
    const RuleParam *p = rule->params->pdata[i];
    const MillValue value = mill_real(p->value);
    (void)sql_bind(q, p->name, &value);
  }
  if (!e) e = use(j, rule, q);
  sql_finish(q);
  return e;
}

static void run_all(Judge *j, const GPtrArray *rules, UseRows use)
{
  for (guint i = 0; i < rules->len; i++) {
    const ProfileEntry *entry = rules->pdata[i];
    g_autoptr(Error) wrong = entry->rule ? run_rule(j, entry->rule, use) : NULL;
    if (wrong || entry->fault) fault(j, entry->id, wrong ? wrong : entry->fault);
  }
}

/* Those that became tables, commas between. */
static void name_views(Results *r, const GPtrArray *views)
{
  const MillResults *all = results_view(r);
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < views->len; i++) {
    const char *id = ((const ProfileEntry *)views->pdata[i])->id;
    MillTableResult table;
    if (evidence_find_table(all, id, &table))
      g_string_append_printf(names, "%s%s", names->len ? "," : "", id);
  }
  results_set_info(r, "views", names->len ? names->str : NULL);
}

static guint count_enabled(const GPtrArray *rules)
{
  guint n = 0;
  for (guint i = 0; i < rules->len; i++) n += ((const ProfileEntry *)rules->pdata[i])->enabled;
  return n;
}

Error *rules_judge(Results *results, const Profile *profile, const JudgeEnv *env)
{
  Judge j = { .results = results, .env = env };
  if (count_enabled(profile->rules) + profile->verdict->len + profile->views->len == 0) return NULL;
  Error *e = open_sql(&j);
  if (!e) {
    run_all(&j, profile->rules, find);
    results_view(results); /* with what they found */
    run_all(&j, profile->verdict, say);
    run_all(&j, profile->views, view);
    name_views(results, profile->views);
  }
  sql_close(j.sql);
  return e;
}

Error *rules_check(const Rule *rule, Modules *modules)
{
  const JudgeEnv env = { .modules = modules, .folder = g_get_tmp_dir() };
  Judge j = { .results = results_new(), .env = &env };
  SqlQuery *q = NULL;
  Error *e = open_sql(&j);
  if (!e) e = prepare(&j, rule, &q);
  if (!e) e = check_params(rule, q);
  if (!e && gives_findings(q)) e = check_columns(rule, q);
  sql_finish(q);
  sql_close(j.sql);
  results_free(j.results);
  return e;
}
