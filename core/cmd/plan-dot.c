/* The plan as a graph for dot(1): one row of boxes a class of lanes, one box a segment. */
/* SPDX-License-Identifier: MIT */
#include "cmd/plan-show.h"

/* Inside double quotes dot knows \" and \\ and, in labels, \n. */
static void put_escaped(GString *out, const char *text)
{
  for (; text && *text; text++) {
    if (*text == '"' || *text == '\\') g_string_append_c(out, '\\');
    g_string_append_c(out, *text);
  }
}

static void put_segment(const Plan *plan, const Segment *s, guint class, guint index, GString *out)
{
  g_string_append_printf(out, "  c%us%u [label=\"", class, index);
  for (guint i = 0; i < s->passes->len; i++) {
    g_autofree char *text = plan_pass_text(plan, &g_array_index(s->passes, Pass, i));
    put_escaped(out, text);
    g_string_append(out, "\\n");
  }
  if (!s->passes->len) g_string_append(out, "pass on");
  g_string_append(out, "\"];\n");
}

static void put_edge(const Plan *plan, const Segment *s, const char *from, const char *to,
                     GString *out)
{
  g_string_append_printf(out, "  %s -> %s [label=\"%s", from, to,
                         s->end == END_SINK ? "" : plan_end_name(s->end));
  if (s->barrier != BARRIER_NONE)
    g_string_append_printf(out, ", barrier %s", plan_barrier_name(s->barrier));
  if (s->decides >= 0) {
    g_string_append(out, "\\n");
    put_escaped(out, plan->stages[s->decides].id);
    g_string_append(out, " decides");
  }
  g_string_append(out, "\"];\n");
}

static void put_class(const Plan *plan, const PlanClass *c, guint number, GString *out)
{
  for (guint i = 0; i < c->segments->len; i++)
    put_segment(plan, c->segments->pdata[i], number, i, out);
  for (guint i = 0; i < c->segments->len; i++) {
    g_autofree char *from = g_strdup_printf("c%us%u", number, i),
                    *next = g_strdup_printf("c%us%u", number, i + 1);
    g_autofree char *joint = g_strdup_printf("c%us0", plan->classes->len);
    bool last = i + 1 == c->segments->len;
    put_edge(plan, c->segments->pdata[i], from, !last ? next : c->ends_in_merge ? joint : "sinks", out);
  }
}

void plan_format_dot(const Plan *plan, GString *out)
{
  g_string_append(out, "digraph plan {\n  rankdir=LR;\n  node [shape=box];\n");
  for (guint i = 0; i < plan->classes->len; i++) {
    const PlanClass *c = plan->classes->pdata[i];
    g_string_append_printf(out, "  in%u [shape=oval, label=\"", i);
    put_escaped(out, c->source && *c->source ? c->source : "input");
    if (c->dialect && *c->dialect) g_string_append(out, "\\n");
    put_escaped(out, c->dialect);
    g_string_append_printf(out, "\"];\n  in%u -> c%us0;\n", i, i);
    put_class(plan, c, i, out);
  }
  if (plan->joint) put_class(plan, plan->joint, plan->classes->len, out);
  g_string_append(out, "  sinks [shape=oval];\n}\n");
}
