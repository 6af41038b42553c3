/* The plan as text: what runs where, and where every value came from. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/plan-show.h"
#include "plan/rounds.h"
#include "plan/rule.h"
#include "plan/sink-roles.h"

const char *plan_pass_name(PassKind kind)
{
  static const char *const names[] = { "observe", "process", "strip" };
  return names[kind];
}

const char *plan_end_name(SegmentEnd end)
{
  static const char *const names[] = { "sinks", "hold", "sort", "reread" };
  return names[end];
}

const char *plan_barrier_name(Barrier barrier)
{
  static const char *const names[] = { "none", "lane", "run", "merge", "split" };
  return names[barrier];
}

char *plan_pass_text(const Plan *plan, const Pass *pass)
{
  const char *id = plan->stages[pass->stage].id;
  if (pass->kind == PASS_OBSERVE) return g_strdup_printf("observe %s", id);
  if (pass->kind == PASS_STRIP) return g_strdup_printf("remove private attributes of %s", id);
  return g_strdup(id);
}

/* ------------------------------------------------------------------- files */

#define TABLE "{table}" /* in the name of a file: one for each table */

static void add_tables(const Plan *plan, const char *pattern, GPtrArray *files)
{
  for (uint32_t i = 0; i < plan->n_stages; i++) {
    const PlanStage *s = &plan->stages[i];
    for (uint32_t t = 0; s->used && t < s->stage->n_tables; t++) {
      g_autofree char *name = plan_result_name(s, s->stage->tables[t].name, '-');
      g_autoptr(GString) file = g_string_new(pattern);
      g_string_replace(file, TABLE, name, 0);
      g_ptr_array_add(files, g_strdup(file->str));
    }
  }
}

/* As its sink declares them. */
static void add_format(const Plan *plan, const Module *sink, GPtrArray *files)
{
  g_auto(GStrv) names = g_strsplit(sink && sink->stage->files ? sink->stage->files : "", " ", -1);
  for (char **name = names; *name; name++)
    if (strstr(*name, TABLE))
      add_tables(plan, *name, files);
    else
      g_ptr_array_add(files, g_strdup(*name));
}

GPtrArray *plan_files(const Plan *plan, Modules *modules)
{
  GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) formats = plan_formats(plan, modules, NULL);
  for (guint i = 0; i < formats->len; i++)
    add_format(plan, sink_of_format(modules, formats->pdata[i]), files);
  g_ptr_array_add(files, g_strdup("run.json"));
  return files;
}

/* ----------------------------------------------------------------- profile */

static void put_setting(GString *out, const char *indent, const char *name, const ProfileSetting *s)
{
  bool ends_empty = s->history && g_str_has_suffix(s->history, " "); /* a default of no text */
  g_string_append_printf(out, "%s%s = %s   (%s%s%s%s)\n", indent, name, *s->text ? s->text : "\"\"",
                         s->origin, s->history ? "; " : "", s->history ? s->history : "",
                         ends_empty ? "\"\"" : "");
}

static void put_head(const Plan *plan, GString *out)
{
  const Profile *p = plan->profile;
  g_string_append_printf(out, "profile %s", p->name);
  for (guint i = 1; i < p->chain->len; i++)
    g_string_append_printf(out, " < %s", (const char *)p->chain->pdata[i]);
  g_string_append_printf(out, "   (%s)\n", p->file ? p->file : "the stage alone");
  if (p->description && *p->description) g_string_append_printf(out, "  %s\n", p->description);
  if (p->join_ranks) g_string_append(out, "  files of one rank are joined by time\n");
  if (!p->params->len) return;
  g_string_append(out, "\nparameters\n");
  for (guint i = 0; i < p->params->len; i++) {
    const ProfileParam *q = p->params->pdata[i];
    g_string_append_printf(out, "  %s = %s%s%s   (%s)\n", q->name, *q->text ? q->text : "\"\"",
                           q->unit ? " " : "", q->unit ? q->unit : "", q->origin);
  }
}

static void put_list(GString *out, const char *label, const char *const *items)
{
  if (!items || !*items) return;
  g_autofree char *list = g_strjoinv(", ", (char **)items);
  g_string_append_printf(out, "      %-9s%s\n", label, list);
}

static void put_stage(const Plan *plan, uint32_t index, GString *out)
{
  const PlanStage *s = &plan->stages[index];
  bool two_phase = s->stage->stage_ops->observe != NULL;
  g_string_append_printf(out, "  %s", s->id);
  if (strcmp(s->id, s->stage->name)) g_string_append_printf(out, " (%s)", s->stage->name);
  g_string_append_printf(out, "  %s  scope %s%s%s%s   (%s)\n", s->stage->version,
                         module_scope_name(s->stage->scope), two_phase ? ", two phases" : "",
                         s->stage->flags & MILL_READ_ONLY ? ", changes no event" : "",
                         s->used              ? ""
                         : s->entry->optional ? ", left out"
                                              : ", skipped",
                         s->entry->enabled_origin);
  const char *lacks = plan_left_out(plan, index);
  if (lacks) g_string_append_printf(out, "      left out: no input has %s\n", lacks);
  put_list(out, "needs", s->stage->needs);
  put_list(out, "provides", s->stage->provides);
  put_list(out, "spoils", s->stage->spoils);
  for (guint i = 0; i < s->entry->with->len; i++) {
    const ProfileSetting *set = s->entry->with->pdata[i];
    g_autofree char *name = g_strdup_printf("%s.%s", s->id, set->name);
    put_setting(out, "      ", name, set);
  }
}

static void put_stages(const Plan *plan, GString *out)
{
  bool any = false;
  g_string_append(out, "\nstages\n");
  for (uint32_t i = 0; i < plan->n_stages; i++) put_stage(plan, i, out);
  if (!plan->n_stages) g_string_append(out, "  none\n");
  for (guint i = 0; i < plan->profile->entries->len; i++) {
    const ProfileEntry *e = plan->profile->entries->pdata[i];
    if (e->enabled) continue;
    if (!any) g_string_append(out, "\ndisabled\n");
    any = true;
    g_string_append_printf(out, "  %s   (%s)\n", e->id, e->enabled_origin);
  }
}

/* What the profile says of them; each stage has those that it declares. */
static void put_figures(const Plan *plan, GString *out)
{
  const GPtrArray *figures = plan->profile->figures;
  if (figures->len) g_string_append(out, "\nfigures\n");
  for (guint i = 0; i < figures->len; i++) {
    const ProfileEntry *f = figures->pdata[i];
    g_string_append_printf(out, "  %s of %s", f->id, f->use);
    if (!f->enabled) g_string_append(out, ", off");
    g_string_append_printf(out, "   (%s)\n", f->place);
    for (guint k = 0; f->enabled && k < f->with->len; k++) {
      const ProfileSetting *s = f->with->pdata[k];
      if (strcmp(s->name, "name")) put_setting(out, "      ", s->name, s);
    }
  }
}

static void put_rule(const ProfileEntry *e, GString *out)
{
  g_string_append_printf(out, "  %s%s   (%s)\n", e->id, e->enabled ? "" : ", off",
                         e->rule ? e->rule->file : e->place);
  if (e->fault) g_string_append_printf(out, "      not used: %s\n", e->fault->what);
  for (guint i = 0; e->rule && i < e->rule->params->len; i++) {
    const RuleParam *p = e->rule->params->pdata[i];
    g_string_append_printf(out, "      %s.%s = %s   (%s)\n", e->id, p->name, p->text, p->origin);
  }
}

static void put_rules(const char *heading, const GPtrArray *rules, GString *out)
{
  if (rules->len) g_string_append_printf(out, "\n%s\n", heading);
  for (guint i = 0; i < rules->len; i++) put_rule(rules->pdata[i], out);
}

/* ------------------------------------------------------------------ classes */

/* The events at the end of one of the first segments: see reread.h. */
static void put_hold(const PlanClass *c, GString *out)
{
  guint held = c->n_lanes - c->n_lanes_reread;
  if (!c->n_lanes)
    g_string_append(out, "      reread the files, or hold the events\n");
  else if (!held)
    g_string_append(out, "      reread the input\n");
  else if (held == c->n_lanes)
    g_string_append_printf(out, "      hold the events   (%s)\n", c->lanes_why);
  else
    g_string_append_printf(out, "      reread %u inputs, hold the events of %u   (%s)\n",
                           c->n_lanes_reread, held, c->lanes_why);
}

static const char *why_of(const PlanClass *c, const Segment *s, guint index)
{
  return s->reason || index != c->n_reread || s->end == END_SINK ? s->reason : c->hold_why;
}

static void put_end(const Plan *plan, const PlanClass *c, guint index, GString *out)
{
  static const char *const ends[] = { NULL, "hold the events", "sort the events: order.lane",
                                      "reread the held events" };
  const Segment *s = c->segments->pdata[index];
  const char *why = why_of(c, s, index);
  static const char *const barriers[] = { NULL, "within the lane: no other lane matters",
                                          "wait for all lanes",
                                          "merge all lanes into one stream: order.run",
                                          "split the stream into lanes" };
  if (index < c->n_reread)
    put_hold(c, out);
  else if (ends[s->end])
    g_string_append_printf(out, "      %s%s%s%s\n", ends[s->end], why ? "   (" : "", why ? why : "",
                           why ? ")" : "");
  if (barriers[s->barrier]) {
    g_string_append_printf(out, "      barrier: %s", barriers[s->barrier]);
    if (s->decides >= 0) g_string_append_printf(out, "; %s decides", plan->stages[s->decides].id);
    g_string_append_c(out, '\n');
  }
}

static void put_segments(const Plan *plan, const PlanClass *c, GString *out)
{
  for (guint i = 0; i < c->segments->len; i++) {
    const Segment *s = c->segments->pdata[i];
    g_string_append_printf(out, "  segment %u%s: ", i + 1, s->merged ? " (one stream)" : "");
    for (guint p = 0; p < s->passes->len; p++) {
      g_autofree char *text = plan_pass_text(plan, &g_array_index(s->passes, Pass, p));
      g_string_append_printf(out, "%s%s", p ? " > " : "", text);
    }
    if (s->end == END_SINK)
      g_string_append_printf(out, "%ssinks\n", s->passes->len ? " > " : "");
    else
      g_string_append(out, s->passes->len ? "\n" : "-\n");
    put_end(plan, c, i, out);
  }
  for (guint i = 0; i < c->skipped->len; i++) {
    const PlanSkip *b = &g_array_index(c->skipped, PlanSkip, i);
    g_string_append_printf(out, "  skipped: %s   (lacks %s)\n", plan->stages[b->stage].id, b->fact);
  }
}

static void put_class(const Plan *plan, const PlanClass *c, GString *out)
{
  g_string_append_printf(
      out, "\nlanes of %s%s%s\n", c->source && *c->source ? c->source : "any source",
      c->dialect && *c->dialect ? ", dialect " : "", c->dialect ? c->dialect : "");
  g_string_append(out, "  facts: ");
  for (guint i = 0; i < c->facts->len; i++)
    g_string_append_printf(out, "%s%s", i ? ", " : "", (const char *)c->facts->pdata[i]);
  g_string_append(out, c->facts->len ? "\n" : "none\n");
  put_segments(plan, c, out);
}

static void put_reads(const Plan *plan, GString *out)
{
  g_autoptr(GPtrArray) names = plan_decoded(plan);
  if (!names->len) return;
  g_string_append(out, "\nattributes decoded\n  ");
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf(out, "%s%s", i ? ", " : "", (const char *)names->pdata[i]);
  g_string_append_c(out, '\n');
}

/* How often each of several processes is started that share the run. */
static void put_rounds(const Plan *plan, Modules *modules, GString *out)
{
  g_autoptr(Error) e = plan_check_shards(plan, modules, NULL);
  uint32_t rounds = plan_rounds(plan);
  g_string_append(out, "\nshards\n");
  if (e)
    g_string_append_printf(out, "  none: %s\n", (const char *)e->why->pdata[0]);
  else if (rounds == 1)
    g_string_append(out, "  given once\n");
  else
    g_string_append_printf(out, "  given %u times: all lanes meet at %u barrier%s\n", rounds,
                           rounds - 1, rounds == 2 ? "" : "s");
}

void plan_format(const Plan *plan, Modules *modules, GString *out)
{
  put_head(plan, out);
  put_stages(plan, out);
  put_figures(plan, out);
  put_rules("rules", plan->profile->rules, out);
  put_rules("verdict", plan->profile->verdict, out);
  put_rules("views", plan->profile->views, out);
  for (guint i = 0; i < plan->classes->len; i++) put_class(plan, plan->classes->pdata[i], out);
  if (plan->joint) {
    g_string_append(out, "\nall lanes as one stream\n");
    put_segments(plan, plan->joint, out);
  }
  put_reads(plan, out);
  g_autoptr(GPtrArray) files = plan_files(plan, modules);
  g_string_append(out, "\nfiles\n");
  for (guint i = 0; i < files->len; i++)
    g_string_append_printf(out, "  %s\n", (const char *)files->pdata[i]);
  put_rounds(plan, modules, out);
  if (plan->hints->len) g_string_append(out, "\nhints\n");
  for (guint i = 0; i < plan->hints->len; i++)
    g_string_append_printf(out, "  %s\n", (const char *)plan->hints->pdata[i]);
}
