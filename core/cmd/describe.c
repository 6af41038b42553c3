/* Stages, profiles, metrics and rules described in full, as pages. */
/* SPDX-License-Identifier: MIT */
#include "cmd/describe.h"

#include <string.h>

#include "model/notice.h"
#include "model/option.h"

const char *describe_better(const MillMetric *m)
{
  static const char *const names[] = { NULL, "lower", "higher" };
  return names[m->better <= MILL_HIGHER ? m->better : 0];
}

static const char *per_text(uint32_t per)
{
  return per == MILL_PER_LANE ? "one per rank or input" : "one for the run";
}

/* ------------------------------------------------------------------- stages */

static char *joined(const char *const *facts)
{
  return facts ? g_strjoinv(", ", (char **)(uintptr_t)facts) : g_strdup("");
}

static void put_facts(Page *p, const char *label, const char *const *facts)
{
  g_autofree char *text = joined(facts);
  if (*text) page_item(p, label, text);
}

/* A count needs no unit; durations and sizes are usually given with one of their own. */
static void put_option_unit(GString *text, const MillOption *o)
{
  bool any_unit = o->type == MILL_OPT_DURATION || o->type == MILL_OPT_SIZE;
  if (o->unit && strchr(o->unit, '|'))
    g_string_append(text, ", with its unit");
  else if (o->unit && *o->unit && strcmp(o->unit, "count") != 0)
    g_string_append_printf(text, ", in %s%s", o->unit, any_unit ? " or with a unit" : "");
}

static void put_options(Page *p, const Descriptor *s)
{
  if (!s->n_options) return;
  page_heading(p, "Options");
  for (uint32_t i = 0; i < s->n_options; i++) {
    const MillOption *o = &s->options[i];
    g_autofree char *expected = option_expected(o);
    g_autoptr(GString) text = g_string_new(o->help);
    g_string_append_printf(text, " (%s", option_type_name(o));
    if (expected && *expected) g_string_append_printf(text, ", %s", expected);
    put_option_unit(text, o);
    if (o->flags & MILL_OPTION_REQUIRED)
      g_string_append(text, "; required");
    else if (o->default_text && *o->default_text)
      g_string_append_printf(text, "; default %s", o->default_text);
    g_string_append(text, o->flags & MILL_OPTION_DEPRECATED ? "; deprecated)" : ")");
    page_item(p, o->name, text->str);
  }
}

const char *describe_read(const MillRead *read)
{
  return *read->name == '$' ? read->name + 1 : read->name;
}

static void put_reads(Page *p, const Descriptor *s)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (uint32_t i = 0; i < s->n_reads; i++)
    g_string_append_printf(text, "%s%s", i ? ", " : "", describe_read(&s->reads[i]));
  if (text->len) page_item(p, "reads", text->str);
}

static void put_tables(Page *p, const Descriptor *s)
{
  for (uint32_t t = 0; t < s->n_tables; t++) {
    const MillTable *table = &s->tables[t];
    g_autofree char *heading = g_strdup_printf("Table %s", table->name);
    page_heading(p, heading);
    g_autofree char *text =
        g_strdup_printf("%s (%s).", table->help ? table->help : "", per_text(table->per));
    page_text(p, text);
    for (uint32_t c = 0; c < table->columns.n; c++) {
      const MillColumn *column = &table->columns.at[c];
      page_itemf(p, column->name, "%s%s%s%s%s", column->help ? column->help : "",
                 column->unit ? " (" : "", column->unit ? column->unit : "",
                 column->unit ? ")" : "", column->flags & MILL_COLUMN_KEY ? "; key" : "");
    }
  }
}

char *describe_metric_inputs(const Descriptor *stage, const MillMetric *metric)
{
  g_autofree char *facts = joined(stage->needs);
  const char *how_many = metric->inputs == MILL_INPUTS_ONE    ? "; exactly one input"
                         : metric->inputs == MILL_INPUTS_PAIR ? "; off=PATH on=PATH"
                                                              : "";
  return g_strconcat(*facts ? facts : "any events", how_many, NULL);
}

const char *describe_metric_unit(const MillMetric *m)
{
  if (m->unit) return m->unit;
  return m->kind == MILL_JSON ? "object" : "number";
}

static char *metric_text(const MillMetric *m)
{
  GString *text = g_string_new(m->help);
  const char *better = describe_better(m);
  g_string_append_printf(text, " (%s", describe_metric_unit(m));
  if (better) g_string_append_printf(text, "; %s is better", better);
  g_string_append_printf(text, "; %s", per_text(m->per));
  if (m->stats) g_string_append_printf(text, "; statistics %s", m->stats);
  if (m->headline) g_string_append_printf(text, "; headline %s", m->headline);
  if (m->aliases) g_string_append_printf(text, "; also called %s", m->aliases);
  g_string_append_c(text, ')');
  return g_string_free(text, FALSE);
}

static void put_metrics(Page *p, const Descriptor *s)
{
  if (s->n_metrics) page_heading(p, "Metrics");
  for (uint32_t i = 0; i < s->n_metrics; i++) {
    g_autofree char *text = metric_text(&s->metrics[i]);
    page_item(p, s->metrics[i].name, text);
  }
}

static void put_figures(Page *p, const Descriptor *s)
{
  if (s->n_figures) page_heading(p, "Figures");
  for (uint32_t i = 0; i < s->n_figures; i++) {
    const MillFigure *f = &s->figures[i];
    page_itemf(p, f->name, "%s%sof the table %s", f->title ? f->title : "", f->title ? "; " : "",
               f->table);
  }
}

static void put_notices(Page *p, const Descriptor *s)
{
  if (s->n_notices) page_heading(p, "Notices");
  for (uint32_t i = 0; i < s->n_notices; i++) {
    const MillNotice *n = &s->notices[i];
    g_autofree char *code = notice_code(s, i);
    g_autofree char *what = notice_example(n->what), *effect = notice_example(n->effect),
                    *help = notice_example(n->help);
    page_itemf(p, code, "%s: %s%s%s%s%s", notice_level(n->level), what, effect ? ". Effect: " : "",
               effect ? effect : "", help ? ". Help: " : "", help ? help : "");
  }
}

static void put_examples(Page *p, const Descriptor *s)
{
  const char *examples = s->extension ? s->extension(MILL_EXAMPLES) : NULL;
  if (!examples) return;
  page_heading(p, "Examples");
  page_code(p, examples);
}

static char *claims_of(const Descriptor *s)
{
  static const struct {
    uint32_t flag;
    const char *text;
  } claims[] = { { MILL_READ_ONLY, "changes no event" }, { MILL_MAY_DROP, "may drop events" },
                 { MILL_MAY_EMIT, "may create events" }, { MILL_MERGES, "merges over ranks" },
                 { MILL_ANY_ORDER, "in any order" },     { MILL_MOVES_BASE, "moves the base" } };
  GString *text = g_string_new(NULL);
  for (size_t i = 0; s->kind == MILL_KIND_STAGE && i < G_N_ELEMENTS(claims); i++)
    if (s->flags & claims[i].flag)
      g_string_append_printf(text, "%s%s", text->len ? ", " : "", claims[i].text);
  return g_string_free(text, FALSE);
}

static void put_files(Page *p, const Descriptor *s)
{
  if (!s->files) return;
  g_auto(GStrv) files = g_strsplit(s->files, " ", -1);
  put_facts(p, "files", (const char *const *)files);
}

void describe_stage(Page *p, const Module *m)
{
  const Descriptor *s = m->stage;
  g_autofree char *claims = claims_of(s);
  bool is_stage = s->kind == MILL_KIND_STAGE;
  if (p->form == PAGE_MAN) page_heading(p, "Description");
  page_text(p, s->help && *s->help ? s->help : s->title);
  page_heading(p, "About");
  if (p->form == PAGE_MAN) /* the same bytes wherever it was built */
    page_itemf(p, module_kind_name(s->kind), "%s %s, %s", s->name, s->version,
               m->licence ? m->licence : "");
  else
    page_itemf(p, module_kind_name(s->kind), "%s %s, %s, from %s (%s)", s->name, s->version,
               m->licence ? m->licence : "", m->path, m->origin);
  if (s->kind != MILL_KIND_SOURCE) page_item(p, is_stage ? "family" : "format", s->family);
  put_files(p, s);
  if (is_stage) {
    bool two_phase = s->stage_ops->observe != NULL;
    page_itemf(p, "scope", "%s%s", module_scope_name(s->scope), two_phase ? ", in two phases" : "");
  }
  if (*claims) page_item(p, "claims", claims);
  put_facts(p, "needs", s->needs);
  put_facts(p, s->kind == MILL_KIND_SOURCE ? "may provide" : "uses if present", s->wants);
  put_facts(p, "provides", s->provides);
  put_facts(p, "spoils", s->spoils);
  put_reads(p, s);
  page_item(p, "log tag", s->tag);
  put_options(p, s);
  put_tables(p, s);
  put_metrics(p, s);
  put_figures(p, s);
  put_notices(p, s);
  put_examples(p, s);
}

/* ----------------------------------------------------------------- profiles */

static void put_texts(GString *out, const char *label, const GPtrArray *texts, const char *joint)
{
  for (guint i = 0; i < texts->len; i++)
    g_string_append_printf(out, "%s%s", i ? joint : label, (const char *)texts->pdata[i]);
}

static void put_made_for(Page *p, const ProfileFor *f)
{
  if (!f) return;
  g_autoptr(GString) text = g_string_new("inputs");
  put_texts(text, " of dialect ", f->dialects, " or ");
  put_texts(text, f->dialects->len ? ", with " : " with ", f->facts, ", ");
  put_texts(text, "; best if labelled ", f->labels, ", ");
  put_texts(text, "; not chosen where there is ", f->unless, " or ");
  page_item(p, "made for", text->str);
}

static void put_profile_figures(Page *p, const Profile *profile)
{
  if (profile->figures->len) page_heading(p, "Figures");
  for (guint i = 0; i < profile->figures->len; i++) {
    const ProfileEntry *f = profile->figures->pdata[i];
    g_autoptr(GString) text = g_string_new(f->use);
    if (!f->enabled) g_string_append(text, "; off");
    for (guint k = 0; k < f->with->len; k++) {
      const ProfileSetting *s = f->with->pdata[k];
      if (strcmp(s->name, "name") != 0) g_string_append_printf(text, "; %s = %s", s->name, s->text);
    }
    page_item(p, f->id, text->str);
  }
}

static void put_formats(Page *p, const Profile *profile)
{
  if (!profile->formats) return;
  g_autoptr(GString) text = g_string_new(NULL);
  put_texts(text, "", profile->formats, ", ");
  page_item(p, "formats", text->str);
}

static void put_rules(Page *p, const char *label, const GPtrArray *rules)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < rules->len; i++)
    g_string_append_printf(text, "%s%s", i ? ", " : "",
                           ((const ProfileEntry *)rules->pdata[i])->id);
  if (text->len) page_item(p, label, text->str);
}

void describe_profile(Page *p, const Profile *profile)
{
  g_autoptr(GString) chain = g_string_new(NULL);
  for (guint i = 1; profile->chain && i < profile->chain->len; i++)
    g_string_append_printf(chain, "%s%s", i > 1 ? " < " : "",
                           (const char *)profile->chain->pdata[i]);
  page_heading(p, "About");
  page_item(p, "file", profile->file ? profile->file : "");
  if (chain->len) page_item(p, "inherits", chain->str);
  put_made_for(p, profile->made_for);
  put_formats(p, profile);
  put_rules(p, "rules", profile->rules);
  put_rules(p, "verdict", profile->verdict);
  put_rules(p, "views", profile->views);
  if (profile->join_ranks)
    page_item(p, "ranks", "joins the files of one rank into one lane, by time");
  if (profile->needs_events) page_item(p, "events", "ends with status 3 if no input has an event");
  if (profile->inputs) {
    g_autoptr(GString) inputs = g_string_new(NULL);
    for (guint i = 0; i < profile->inputs->len; i++)
      g_string_append_printf(inputs, "%s%s", i ? ", " : "", (char *)profile->inputs->pdata[i]);
    page_itemf(p, "inputs", "%s, if no input is named", inputs->str);
  }
  if (profile->params->len) page_heading(p, "Parameters");
  for (guint i = 0; i < profile->params->len; i++) {
    const ProfileParam *q = profile->params->pdata[i];
    g_autofree char *term =
        q->option ? g_strdup_printf("%s, --%s %s", q->name, q->name, q->option) : g_strdup(q->name);
    page_itemf(p, term, "%s (default %s%s%s)", q->help ? q->help : "",
               q->default_text && *q->default_text ? q->default_text : "empty", q->unit ? " " : "",
               q->unit ? q->unit : "");
  }
  page_heading(p, "Stages");
  for (guint i = 0; i < profile->entries->len; i++) {
    const ProfileEntry *e = profile->entries->pdata[i];
    g_autoptr(GString) text = g_string_new(strcmp(e->id, e->use) ? e->use : "");
    if (!e->enabled) g_string_append_printf(text, "%soff until enabled", text->len ? "; " : "");
    if (e->optional)
      g_string_append_printf(text, "%sleft out without %s", text->len ? "; " : "",
                             "inputs that have what it needs");
    for (guint k = 0; k < e->with->len; k++) {
      const ProfileSetting *s = e->with->pdata[k];
      g_string_append_printf(text, "%s%s = %s", text->len ? "; " : "", s->name, s->text);
    }
    page_item(p, e->id, text->len ? text->str : "with its defaults");
  }
  put_profile_figures(p, profile);
}

/* ------------------------------------------------------------------ metrics */

void describe_metric(Page *p, const Descriptor *stage, const MillMetric *metric)
{
  g_autofree char *text = metric_text(metric),
                  *line = g_strdup_printf("stagemill metric %s INPUT...", metric->name);
  page_text(p, text);
  g_autofree char *inputs = describe_metric_inputs(stage, metric);
  page_itemf(p, "stage", "%s", stage->name);
  page_itemf(p, "inputs", "%s", inputs);
  page_code(p, line);
}

/* -------------------------------------------------------------------- rules */

static void put_rule_param(Page *p, const RuleParam *param)
{
  page_itemf(p, param->name, "%s (%g to %g; default %s)", param->help, param->min, param->max,
             param->text);
}

void describe_rule(Page *p, const Rule *rule, const GPtrArray *profiles)
{
  g_autoptr(GString) listed = g_string_new(NULL);
  put_texts(listed, "", profiles, ", ");
  if (*rule->help) page_text(p, rule->help);
  page_heading(p, "About");
  page_item(p, "file", rule->file);
  page_item(p, "profiles", listed->len ? listed->str : "none lists it");
  if (rule->params->len) page_heading(p, "Parameters");
  for (guint i = 0; i < rule->params->len; i++) put_rule_param(p, rule->params->pdata[i]);
}
