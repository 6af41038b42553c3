/* Which lanes get the same plan; see classes.h. */
/* SPDX-License-Identifier: MIT */
#include "input/classes.h"

#include <string.h>

#include "plan/facts.h"

static bool same_facts(const GPtrArray *a, const GPtrArray *b)
{
  if (a->len != b->len) return false;
  for (guint i = 0; i < a->len; i++)
    if (!g_ptr_array_find_with_equal_func((GPtrArray *)b, a->pdata[i], g_str_equal, NULL))
      return false;
  return true;
}

static guint class_of(const GArray *classes, const PlanInputClass *class)
{
  guint c = 0;
  for (; c < classes->len; c++) {
    const PlanInputClass *k = &g_array_index(classes, PlanInputClass, c);
    if (k->side == class->side && !strcmp(k->source, class->source) &&
        !strcmp(k->dialect, class->dialect) && same_facts(k->facts, class->facts))
      break;
  }
  return c;
}

/* The facts that side inputs, which come last, give to all other inputs. */
static GPtrArray *facts_of_sides(const Inputs *in)
{
  GPtrArray *facts = facts_new();
  for (guint i = in->lanes->len; i-- > 0;) {
    const LaneInfo *lane = inputs_lane(in, i);
    if (!lane->side) break;
    for (guint k = 0; k < lane->facts->len; k++) facts_add(facts, lane->facts->pdata[k]);
  }
  return facts;
}

static void take_side_facts(GArray *classes, const GPtrArray *facts)
{
  for (guint c = 0; c < classes->len; c++) {
    PlanInputClass *k = &g_array_index(classes, PlanInputClass, c);
    k->facts = facts_copy(k->facts);
    for (guint i = 0; i < facts->len && !k->side; i++) facts_add(k->facts, facts->pdata[i]);
  }
}

static void clear_class(gpointer class)
{
  GPtrArray *facts = ((PlanInputClass *)class)->facts;
  if (facts) g_ptr_array_unref(facts);
}

GArray *classes_of_inputs(const Inputs *in, guint *out_of_lane)
{
  GArray *classes = g_array_new(FALSE, FALSE, sizeof(PlanInputClass));
  g_autoptr(GPtrArray) of_sides = facts_of_sides(in);
  for (guint i = 0; i < in->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(in, i);
    PlanInputClass k = { inputs_reader(in, i)->source->name, lane->dialect, lane->facts,
                         lane->side };
    out_of_lane[i] = class_of(classes, &k);
    if (out_of_lane[i] == classes->len) g_array_append_val(classes, k);
  }
  take_side_facts(classes, of_sides);
  g_array_set_clear_func(classes, clear_class);
  return classes;
}
